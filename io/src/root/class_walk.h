// SPDX-License-Identifier: BSD-3-Clause
// Finds the members of streamed objects by the layouts of their classes.
#pragma once

#include "root/streamed_bytes.h"

#include "skimline/io/class_layouts.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::io {

/// The members of trees, branches, leaves, chains of files, lists of entries and what they point to that are
/// of interest; no two classes use one name for different things.
enum class Member : std::uint8_t {
  kName,
  kTitle,
  kEntries,
  kMaxEntries,
  kSavedBytes,
  kFlushedBytes,
  kWeight,
  kAutoFlush,
  kNumClusterRanges,
  kClusterRangeEnd,
  kClusterSize,
  kAliases,
  kTreeIndex,
  kIndexValues,
  kIndexEntries,
  kFriends,
  kTreeName,
  kUserInfo,
  kBranchRef,
  kCompress,
  kEntryOffsets,
  kFeatures,
  kWriteBasket,
  kEntryNumber,
  kMaxBaskets,
  kFirstEntry,
  kTotBytes,
  kZipBytes,
  kBranches,
  kLeaves,
  kBaskets,
  kBasketBytes,
  kBasketEntry,
  kBasketSeek,
  kFileName,
  kClassName,
  kParentName,
  kClonesName,
  kCheckSum,
  kClassVersion,
  kId,
  kType,
  kStreamerType,
  kBranchCount,
  kBranchCount2,
  kMinimum,
  kMaximum,
  kLength,
  kIsUnsigned,
  kLeafCount,
  kFiles,
  kTreeOffsets,
  kLists,
  kBlocks,
  kNumPassed,
  kIndices,
  kPassing,
  kEntryNumbers,
  kCount,
  kNone  ///< any other
};

/// Basic types by the codes of TStreamerElement::fType; 0 bytes for what is none.
std::size_t basic_size(int type);

/// An object with a byte count, which it begins with.
struct CountedObject {
  std::size_t begin = 0, end = 0;
};

/// Where the members of one object lie in the payload.
class MemberPlaces {
 public:
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
    int type = -1;              ///< of numbers and arrays
    std::size_t item_size = 0;  ///< of arrays
    bool is_present = false;
  };

  const Place& operator[](Member member) const { return places_[static_cast<std::size_t>(member)]; }
  Place& operator[](Member member) { return places_[static_cast<std::size_t>(member)]; }
  bool has(Member member) const { return (*this)[member].is_present; }

  const std::vector<CountedObject>& bases() const { return bases_; }
  void add_base(CountedObject base) { bases_.push_back(base); }

 private:
  std::vector<CountedObject> bases_;
  std::array<Place, static_cast<std::size_t>(Member::kNone) + 1> places_;
};

/// The members of an object, decoded. What it does not have is 0, or empty.
class MemberValues {
 public:
  MemberValues(const MemberPlaces& places, const StreamedBytes& object) : places_(&places), object_(object) {}

  /// Reals are truncated. Throws FormatError for reals that are no integers of 64 bits.
  std::int64_t integer(Member member, std::int64_t missing = 0) const;
  /// The same, 0 for reals.
  std::int64_t integer_or_zero(Member member) const;
  std::string_view text(Member member) const;
  std::size_t array_size(Member member) const;
  /// Must be below array_size().
  std::int64_t array_item(Member member, std::size_t index) const;
  /// What an object that lies in this one, or a pointer, begins with.
  StreamedBytes bytes(Member member) const;
  bool has(Member member) const { return places_->has(member); }

 private:
  const MemberPlaces* places_;
  StreamedBytes object_;
};

/// Walks through objects. Classes are looked up in the layouts of the file, and where it has none, in those
/// built in. Not thread-safe.
class ClassWalk {
 public:
  /// Both must live as long.
  ClassWalk(const ClassLayouts& of_file, const ClassLayouts& built_in);
  ~ClassWalk();

  /// Notes where the members of an object lie whose header was read. Returns whether the class is known in
  /// this version. Throws FormatError if its bytes are not what its class says.
  bool walk(std::string_view class_name, StreamedObject object, MemberPlaces& places);

 private:
  struct Step;
  struct Plan;
  static constexpr std::size_t kMaxCounters = 8;
  using Counts = std::array<std::int64_t, kMaxCounters>;
  using PlanKey = std::pair<int, std::uint32_t>;
  struct Plans {
    std::string name;
    std::map<PlanKey, std::unique_ptr<Plan>> by_version;
  };

  Plans& plans_of(std::string_view class_name);
  const Plan& plan(Plans& plans, const StreamedObject& object);
  Plan make_plan(const ClassLayout& layout);
  Step make_step(const ClassMember& member);
  static bool find_counter(const std::map<std::string_view, std::size_t>& integers, std::string_view name,
                           Plan& plan, Step& array);
  void walk(Plans& plans, StreamedObject& object, MemberPlaces& places, int depth);
  static void take(const Step& step, StreamedBytes& bytes, MemberPlaces::Place& place, Counts& counts);
  static void take_array(const Step& step, StreamedBytes& bytes, MemberPlaces::Place& place,
                         std::int64_t count);

  const ClassLayouts& of_file_;
  const ClassLayouts& built_in_;
  std::map<std::string, std::unique_ptr<Plans>, std::less<>> plans_;
  std::size_t num_plans_ = 0;
};

}  // namespace skimline::io
