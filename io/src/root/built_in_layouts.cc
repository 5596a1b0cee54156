// SPDX-License-Identifier: BSD-3-Clause
#include "root/built_in_layouts.h"

#include <span>

namespace skimline::io {
namespace built_in {
namespace {

// Codes of TStreamerElement::fType.
enum Code : int {
  kBase = 0,
  kByte = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kFloat = 5,
  kCounter = 6,
  kDouble = 8,
  kDouble32 = 9,
  kUnsignedByte = 11,
  kUnsignedInt = 13,
  kLong64 = 16,
  kBool = 18,
  kFloat16 = 19,
  kIntArray = 43,
  kLong64Array = 56,
  kObject = 61,
  kAny = 62,
  kPointer = 64,
  kText = 65
};

// A member; `from` and `to` are the versions of its class that have it.
struct Row {
  const char* name;
  Code code;
  const char* detail = "";  // the class of an object, the counter of an array
  int from = 0;
  int to = 1000;
};

struct Table {
  const char* class_name;
  int first_version;
  int last_version;
  std::span<const Row> rows;
};

constexpr Row kTNamed[] = {{"TObject", kBase}, {"fName", kText}, {"fTitle", kText}};
constexpr Row kTAttLine[] = {{"fLineColor", kShort}, {"fLineStyle", kShort}, {"fLineWidth", kShort}};
constexpr Row kTAttFill[] = {{"fFillColor", kShort}, {"fFillStyle", kShort}};
constexpr Row kTAttMarker[] = {{"fMarkerColor", kShort}, {"fMarkerStyle", kShort}, {"fMarkerSize", kFloat}};

constexpr Row kTTree[] = {
    {"TNamed", kBase},
    {"TAttLine", kBase},
    {"TAttFill", kBase},
    {"TAttMarker", kBase},
    {"fEntries", kLong64},
    {"fTotBytes", kLong64},
    {"fZipBytes", kLong64},
    {"fSavedBytes", kLong64},
    {"fFlushedBytes", kLong64, "", 18},
    {"fWeight", kDouble},
    {"fTimerInterval", kInt},
    {"fScanField", kInt},
    {"fUpdate", kInt},
    {"fDefaultEntryOffsetLen", kInt, "", 17},
    {"fNClusterRange", kCounter, "", 19},
    {"fMaxEntries", kLong64},
    {"fMaxEntryLoop", kLong64},
    {"fMaxVirtualSize", kLong64},
    {"fAutoSave", kLong64},
    {"fAutoFlush", kLong64, "", 18},
    {"fEstimate", kLong64},
    {"fClusterRangeEnd", kLong64Array, "fNClusterRange", 19},
    {"fClusterSize", kLong64Array, "fNClusterRange", 19},
    {"fIOFeatures", kAny, "ROOT::TIOFeatures", 20},
    {"fBranches", kObject, "TObjArray"},
    {"fLeaves", kObject, "TObjArray"},
    {"fAliases", kPointer, "TList*"},
    {"fIndexValues", kAny, "TArrayD"},
    {"fIndex", kAny, "TArrayI"},
    {"fTreeIndex", kPointer, "TVirtualIndex*"},
    {"fFriends", kPointer, "TList*"},
    {"fUserInfo", kPointer, "TList*"},
    {"fBranchRef", kPointer, "TBranchRef*"},
};

constexpr Row kTNtuple[] = {{"TTree", kBase}, {"fNvar", kInt}};

constexpr Row kTBranch[] = {
    {"TNamed", kBase},
    {"TAttFill", kBase},
    {"fCompress", kInt},
    {"fBasketSize", kInt},
    {"fEntryOffsetLen", kInt},
    {"fWriteBasket", kInt},
    {"fEntryNumber", kLong64},
    {"fIOFeatures", kAny, "ROOT::TIOFeatures", 13},
    {"fOffset", kInt},
    {"fMaxBaskets", kCounter},
    {"fSplitLevel", kInt},
    {"fEntries", kLong64},
    {"fFirstEntry", kLong64, "", 11},
    {"fTotBytes", kLong64},
    {"fZipBytes", kLong64},
    {"fBranches", kObject, "TObjArray"},
    {"fLeaves", kObject, "TObjArray"},
    {"fBaskets", kObject, "TObjArray"},
    {"fBasketBytes", kIntArray, "fMaxBaskets"},
    {"fBasketEntry", kLong64Array, "fMaxBaskets"},
    {"fBasketSeek", kLong64Array, "fMaxBaskets"},
    {"fFileName", kText},
};

constexpr Row kTBranchElement[] = {
    {"TBranch", kBase},
    {"fClassName", kText},
    {"fParentName", kText},
    {"fClonesName", kText},
    {"fCheckSum", kUnsignedInt},
    {"fClassVersion", kInt, "", 0, 9},
    {"fClassVersion", kShort, "", 10},
    {"fID", kInt},
    {"fType", kInt},
    {"fStreamerType", kInt},
    {"fMaximum", kInt},
    {"fBranchCount", kPointer, "TBranchElement*"},
    {"fBranchCount2", kPointer, "TBranchElement*"},
};

constexpr Row kTBranchObject[] = {{"TBranch", kBase}, {"fClassName", kText}};
constexpr Row kTBranchRef[] = {{"TBranch", kBase}, {"fRefTable", kPointer, "TRefTable*"}};

constexpr Row kTLeaf[] = {
    {"TNamed", kBase},
    {"fLen", kInt},
    {"fLenType", kInt},
    {"fOffset", kInt},
    {"fIsRange", kBool},
    {"fIsUnsigned", kBool},
    {"fLeafCount", kPointer, "TLeaf*"},
};

constexpr Row kByteLeaf[] = {{"TLeaf", kBase}, {"fMinimum", kByte}, {"fMaximum", kByte}};
constexpr Row kBoolLeaf[] = {{"TLeaf", kBase}, {"fMinimum", kBool}, {"fMaximum", kBool}};
constexpr Row kShortLeaf[] = {{"TLeaf", kBase}, {"fMinimum", kShort}, {"fMaximum", kShort}};
constexpr Row kIntLeaf[] = {{"TLeaf", kBase}, {"fMinimum", kInt}, {"fMaximum", kInt}};
constexpr Row kLong64Leaf[] = {{"TLeaf", kBase}, {"fMinimum", kLong64}, {"fMaximum", kLong64}};
constexpr Row kLongLeaf[] = {{"TLeaf", kBase}, {"fMinimum", kLong}, {"fMaximum", kLong}};
constexpr Row kFloatLeaf[] = {{"TLeaf", kBase}, {"fMinimum", kFloat}, {"fMaximum", kFloat}};
constexpr Row kDoubleLeaf[] = {{"TLeaf", kBase}, {"fMinimum", kDouble}, {"fMaximum", kDouble}};
constexpr Row kFloat16Leaf[] = {{"TLeaf", kBase}, {"fMinimum", kFloat16}, {"fMaximum", kFloat16}};
constexpr Row kDouble32Leaf[] = {{"TLeaf", kBase}, {"fMinimum", kDouble32}, {"fMaximum", kDouble32}};
constexpr Row kElementLeaf[] = {{"TLeaf", kBase}, {"fID", kInt}, {"fType", kInt}};
constexpr Row kObjectLeaf[] = {{"TLeaf", kBase}, {"fVirtual", kBool}};
// Of the first version only what is wanted; files with a TChain do not describe the class. What lies behind
// is skipped.
constexpr Row kTChainElement[] = {{"TNamed", kBase},
                                  {"fEntries", kLong64, "", 2},
                                  {"fNPackets", kInt, "", 2},
                                  {"fPacketSize", kInt, "", 2},
                                  {"fStatus", kInt, "", 2}};
constexpr Row kTFriendElement[] = {{"TNamed", kBase}, {"fTreeName", kText}, {"fOwnFile", kBool}};
constexpr Row kTIOFeatures[] = {{"fIOBits", kUnsignedByte}};

constexpr Table kTables[] = {
    {"TNamed", 1, 1, kTNamed},
    {"TAttLine", 1, 2, kTAttLine},
    {"TAttFill", 1, 2, kTAttFill},
    {"TAttMarker", 1, 3, kTAttMarker},
    {"TTree", 16, 20, kTTree},
    {"TNtuple", 2, 2, kTNtuple},
    {"TNtupleD", 1, 1, kTNtuple},
    {"TBranch", 10, 13, kTBranch},
    {"TBranchElement", 8, 10, kTBranchElement},
    {"TBranchObject", 1, 1, kTBranchObject},
    {"TBranchRef", 1, 1, kTBranchRef},
    {"TLeaf", 2, 2, kTLeaf},
    {"TLeafB", 1, 1, kByteLeaf},
    {"TLeafO", 1, 1, kBoolLeaf},
    {"TLeafS", 1, 1, kShortLeaf},
    {"TLeafI", 1, 1, kIntLeaf},
    {"TLeafL", 1, 1, kLong64Leaf},
    {"TLeafG", 1, 1, kLongLeaf},
    {"TLeafF", 1, 1, kFloatLeaf},
    {"TLeafD", 1, 1, kDoubleLeaf},
    {"TLeafF16", 1, 2, kFloat16Leaf},
    {"TLeafD32", 1, 2, kDouble32Leaf},
    {"TLeafC", 1, 1, kIntLeaf},
    {"TLeafElement", 1, 1, kElementLeaf},
    {"TLeafObject", 4, 4, kObjectLeaf},
    {"TChainElement", 1, 2, kTChainElement},
    {"TFriendElement", 2, 2, kTFriendElement},
    {"ROOT::TIOFeatures", 1, 1, kTIOFeatures},
};

ClassMember make_member(const Row& row) {
  ClassMember member;
  member.name = row.name;
  member.type = row.code;
  member.type_name = row.detail;
  if (row.code == kBase) member.element_class = "TStreamerBase";
  if (row.code == kIntArray || row.code == kLong64Array) member.count_name = row.detail;
  return member;
}

ClassLayouts make_layouts() {
  ClassLayouts layouts;
  for (const Table& table : kTables)
    for (int version = table.first_version; version <= table.last_version; ++version) {
      ClassLayout layout{table.class_name, version, 0, {}};
      for (const Row& row : table.rows)
        if (row.from <= version && version <= row.to) layout.members.push_back(make_member(row));
      layouts.add(std::move(layout));
    }
  return layouts;
}

}  // namespace
}  // namespace built_in

const ClassLayouts& built_in_layouts() {
  static const ClassLayouts layouts = built_in::make_layouts();
  return layouts;
}

}  // namespace skimline::io
