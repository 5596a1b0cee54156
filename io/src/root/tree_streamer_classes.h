// SPDX-License-Identifier: BSD-3-Clause
// The members of the classes of TTrees, for streamer_classes.h.
#pragma once

#include "root/streamer_elements.h"

namespace skimline::io {

constexpr StreamerElement kTTree[] = {
    {"TNamed", "The basis for a named object (name, title)", kNamedBase, 0, "BASE"},
    {"TAttLine", "Line attributes", kBase, 0, "BASE"},
    {"TAttFill", "Fill area attributes", kBase, 0, "BASE"},
    {"TAttMarker", "Marker attributes", kBase, 0, "BASE"},
    {"fEntries", "Number of entries", kLong64, 8, "Long64_t"},
    {"fTotBytes", "Total number of bytes in all branches before compression", kLong64, 8, "Long64_t"},
    {"fZipBytes", "Total number of bytes in all branches after compression", kLong64, 8, "Long64_t"},
    {"fSavedBytes", "Number of autosaved bytes", kLong64, 8, "Long64_t"},
    {"fFlushedBytes", "Number of auto-flushed bytes", kLong64, 8, "Long64_t"},
    {"fWeight", "Tree weight (see TTree::SetWeight)", kDouble, 8, "double"},
    {"fTimerInterval", "Timer interval in milliseconds", kInt, 4, "int"},
    {"fScanField", "Number of runs before prompting in Scan", kInt, 4, "int"},
    {"fUpdate", "Update frequency for EntryLoop", kInt, 4, "int"},
    {"fDefaultEntryOffsetLen", "Initial Length of fEntryOffset table in the basket buffers", kInt, 4, "int"},
    {"fNClusterRange", "Number of Cluster range in addition to the one defined by 'AutoFlush'", kCounter, 4,
     "int"},
    {"fMaxEntries", "Maximum number of entries in case of circular buffers", kLong64, 8, "Long64_t"},
    {"fMaxEntryLoop", "Maximum number of entries to process", kLong64, 8, "Long64_t"},
    {"fMaxVirtualSize", "Maximum total size of buffers kept in memory", kLong64, 8, "Long64_t"},
    {"fAutoSave", "Autosave tree when fAutoSave entries written or -fAutoSave (compressed) bytes produced",
     kLong64, 8, "Long64_t"},
    {"fAutoFlush",
     "Auto-flush tree when fAutoFlush entries written or -fAutoFlush (compressed) bytes produced", kLong64, 8,
     "Long64_t"},
    {"fEstimate", "Number of entries to estimate histogram limits", kLong64, 8, "Long64_t"},
    {"fClusterRangeEnd", "[fNClusterRange] Last entry of a cluster range.", kPointerArray + kLong64, 8,
     "Long64_t*"},
    {"fClusterSize", "[fNClusterRange] Number of entries in each cluster for a given range.",
     kPointerArray + kLong64, 8, "Long64_t*"},
    {"fIOFeatures", "IO features to define for newly-written baskets and branches.", kAny, 1,
     "ROOT::TIOFeatures"},
    {"fBranches", "List of Branches", kObject, 64, "TObjArray"},
    {"fLeaves", "Direct pointers to individual branch leaves", kObject, 64, "TObjArray"},
    {"fAliases", "List of aliases for expressions based on the tree branches.", kPointer, 8, "TList*"},
    {"fIndexValues", "Sorted index values", kAny, 24, "TArrayD"},
    {"fIndex", "Index of sorted values", kAny, 24, "TArrayI"},
    {"fTreeIndex", "Pointer to the tree Index (if any)", kPointer, 8, "TVirtualIndex*"},
    {"fFriends", "pointer to list of friend elements", kPointer, 8, "TList*"},
    {"fUserInfo", "pointer to a list of user objects associated to this Tree", kPointer, 8, "TList*"},
    {"fBranchRef", "Branch supporting the TRefTable (if any)", kPointer, 8, "TBranchRef*"},
};

constexpr StreamerElement kTBranch[] = {
    {"TNamed", "The basis for a named object (name, title)", kNamedBase, 0, "BASE"},
    {"TAttFill", "Fill area attributes", kBase, 0, "BASE"},
    {"fCompress", "Compression level and algorithm", kInt, 4, "int"},
    {"fBasketSize", "Initial Size of  Basket Buffer", kInt, 4, "int"},
    {"fEntryOffsetLen", "Initial Length of fEntryOffset table in the basket buffers", kInt, 4, "int"},
    {"fWriteBasket", "Last basket number written", kInt, 4, "int"},
    {"fEntryNumber", "Current entry number (last one filled in this branch)", kLong64, 8, "Long64_t"},
    {"fIOFeatures", "IO features for newly-created baskets.", kAny, 1, "ROOT::TIOFeatures"},
    {"fOffset", "Offset of this branch", kInt, 4, "int"},
    {"fMaxBaskets", "Maximum number of Baskets so far", kCounter, 4, "int"},
    {"fSplitLevel", "Branch split level", kInt, 4, "int"},
    {"fEntries", "Number of entries", kLong64, 8, "Long64_t"},
    {"fFirstEntry", "Number of the first entry in this branch", kLong64, 8, "Long64_t"},
    {"fTotBytes", "Total number of bytes in all leaves before compression", kLong64, 8, "Long64_t"},
    {"fZipBytes", "Total number of bytes in all leaves after compression", kLong64, 8, "Long64_t"},
    {"fBranches", "-> List of Branches of this branch", kObject, 64, "TObjArray"},
    {"fLeaves", "-> List of leaves of this branch", kObject, 64, "TObjArray"},
    {"fBaskets", "-> List of baskets of this branch", kObject, 64, "TObjArray"},
    {"fBasketBytes", "[fMaxBaskets] Length of baskets on file", kPointerArray + kInt, 4, "int*"},
    {"fBasketEntry", "[fMaxBaskets] Table of first entry in each basket", kPointerArray + kLong64, 8,
     "Long64_t*"},
    {"fBasketSeek", "[fMaxBaskets] Addresses of baskets on file", kPointerArray + kLong64, 8, "Long64_t*"},
    {"fFileName", "Name of file where buffers are stored (\"\" if in same file as Tree header)", kString, 24,
     "TString"},
};

constexpr StreamerElement kTBranchElement[] = {
    {"TBranch", "Branch descriptor", kBase, 0, "BASE"},
    {"fClassName", "Class name of referenced object", kString, 24, "TString"},
    {"fParentName", "Name of parent class", kString, 24, "TString"},
    {"fClonesName", "Name of class in TClonesArray or (STL) collection (if any)", kString, 24, "TString"},
    {"fCheckSum", "CheckSum of class", kUnsignedInt, 4, "unsigned int"},
    {"fClassVersion", "Version number of class", kShort, 2, "short"},
    {"fID", "element serial number in fInfo", kInt, 4, "int"},
    {"fType", "Branch type", kInt, 4, "int"},
    {"fStreamerType", "branch streamer type", kInt, 4, "int"},
    {"fMaximum", "Maximum entries for a TClonesArray or variable array", kInt, 4, "int"},
    {"fBranchCount", "pointer to primary branchcount branch", kPointer, 8, "TBranchElement*"},
    {"fBranchCount2", "pointer to secondary branchcount branch", kPointer, 8, "TBranchElement*"},
};

constexpr StreamerElement kTLeaf[] = {
    {"TNamed", "The basis for a named object (name, title)", kNamedBase, 0, "BASE"},
    {"fLen", "Number of fixed length elements in the leaf's data.", kInt, 4, "int"},
    {"fLenType", "Number of bytes for this data type", kInt, 4, "int"},
    {"fOffset", "Offset in ClonesArray object (if one)", kInt, 4, "int"},
    {"fIsRange",
     "(=true if leaf has a range, false otherwise).  This is equivalent to being a 'leafcount'.  For a "
     "TLeafElement the range information is actually store in the TBranchElement.",
     kBool, 1, "bool"},
    {"fIsUnsigned", "(=true if unsigned, false otherwise)", kBool, 1, "bool"},
    {"fLeafCount", "Pointer to Leaf count if variable length (we do not own the counter)", kPointer, 8,
     "TLeaf*"},
};

constexpr StreamerElement kTLeafO[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fMinimum", "Minimum value if leaf range is specified", kBool, 1, "bool"},
    {"fMaximum", "Maximum value if leaf range is specified", kBool, 1, "bool"},
};

constexpr StreamerElement kTLeafB[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fMinimum", "Minimum value if leaf range is specified", kChar, 1, "char"},
    {"fMaximum", "Maximum value if leaf range is specified", kChar, 1, "char"},
};

constexpr StreamerElement kTLeafS[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fMinimum", "Minimum value if leaf range is specified", kShort, 2, "short"},
    {"fMaximum", "Maximum value if leaf range is specified", kShort, 2, "short"},
};

constexpr StreamerElement kTLeafI[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fMinimum", "Minimum value if leaf range is specified", kInt, 4, "int"},
    {"fMaximum", "Maximum value if leaf range is specified", kInt, 4, "int"},
};

constexpr StreamerElement kTLeafL[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fMinimum", "Minimum value if leaf range is specified", kLong64, 8, "Long64_t"},
    {"fMaximum", "Maximum value if leaf range is specified", kLong64, 8, "Long64_t"},
};

constexpr StreamerElement kTLeafF[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fMinimum", "Minimum value if leaf range is specified", kFloat, 4, "float"},
    {"fMaximum", "Maximum value if leaf range is specified", kFloat, 4, "float"},
};

constexpr StreamerElement kTLeafD[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fMinimum", "Minimum value if leaf range is specified", kDouble, 8, "double"},
    {"fMaximum", "Maximum value if leaf range is specified", kDouble, 8, "double"},
};

constexpr StreamerElement kTLeafElement[] = {
    {"TLeaf", "Leaf: description of a Branch data type", kBase, 0, "BASE"},
    {"fID", "element serial number in fInfo", kInt, 4, "int"},
    {"fType", "leaf type", kInt, 4, "int"},
};

constexpr StreamerElement kTIOFeatures[] = {
    {"fIOBits", "", kUnsignedChar, 1, "unsigned char"},
};
}  // namespace skimline::io
