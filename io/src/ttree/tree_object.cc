// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_object.h"

#include "root/built_in_layouts.h"
#include "root/class_walk.h"
#include "root/pointed_objects.h"
#include "ttree/branch_baskets.h"
#include "ttree/leaf_title.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace skimline::io {
namespace {

constexpr int kMaxObjectDepth = 60;
constexpr std::uint16_t kFirstIndexWithMinorValues = 2;

// Whether a pointer leads to something: lists without elements are nothing.
bool is_something(StreamedPointer pointer) {
  if (pointer.kind == StreamedPointer::Kind::kNull) return false;
  if (pointer.class_name != "TList" && pointer.class_name != "THashList") return true;
  StreamedObject list = pointer.bytes.object();
  return list.bytes.begin_list(list.version) > 0;
}

std::vector<std::int64_t> read_integers(StreamedBytes& bytes, std::size_t count) {
  if (count > bytes.remaining() / sizeof(std::int64_t))
    throw FormatError("an index that is longer than the bytes it lies in");
  std::vector<std::int64_t> values(count);
  for (std::int64_t& value : values) value = bytes.number<std::int64_t>();
  return values;
}

// Version 1 has both values in one number.
void split_values(TreeIndex& index) {
  constexpr std::int64_t kMinorMask = 0x7FFFFFFF;
  constexpr int kMinorBits = 31;
  for (const std::int64_t value : index.major_values) index.minor_values.push_back(value & kMinorMask);
  for (std::int64_t& value : index.major_values) value >>= kMinorBits;
}

TreeIndex read_index(StreamedPointer pointer) {
  TreeIndex index;
  StreamedObject object = pointer.bytes.object();
  StreamedBytes& bytes = object.bytes;
  if (!bytes.object().has_size) throw FormatError("an index without a base");
  index.major = bytes.text();
  index.minor = bytes.text();
  const auto count = bytes.number<std::int64_t>();
  if (count < 0) throw FormatError("an index with a negative number of entries");
  const auto size = static_cast<std::size_t>(count);
  index.major_values = read_integers(bytes, size);
  if (object.version >= kFirstIndexWithMinorValues)
    index.minor_values = read_integers(bytes, size);
  else
    split_values(index);
  index.entries = read_integers(bytes, size);
  return index;
}

bool is_branch_class_read(std::string_view name) {
  return name == "TBranch" || name == "TBranchElement" || name == "TBranchObject";
}

// Branches that were added to a tree with entries have none of them.
std::string no_baskets(std::int64_t first_entry) {
  return first_entry > 0 ? "it begins with entry " + std::to_string(first_entry) + " of the tree"
                         : "it has no baskets";
}

class TreeParser {
 public:
  TreeParser(const TreeRecord& record, const ClassLayouts& classes, TreeOutline* outline)
      : record_(record), walk_(classes, built_in_layouts()), outline_(outline) {}

  StoredTree parse() {
    const StreamedBytes bytes(record_.object, record_.key_size);
    MemberPlaces places;
    const MemberValues values = walk_object(record_.class_name, bytes, places);
    for (const Member needed : {Member::kName, Member::kEntries, Member::kBranches})
      if (!values.has(needed)) throw FormatError("the file does not describe this version of class TTree");
    tree_.name = values.text(Member::kName);
    tree_.title = values.text(Member::kTitle);
    const std::int64_t num_entries = values.integer(Member::kEntries);
    if (num_entries < 0) throw FormatError("the number of entries is negative");
    tree_.num_entries = static_cast<std::uint64_t>(num_entries);
    if (values.has(Member::kWeight))
      tree_.weight = std::bit_cast<double>(values.bytes(Member::kWeight).number<std::uint64_t>());
    note_tree(places);
    read_branches(values, 0, tree_.branches);
    if (values.has(Member::kLeaves))
      for_each_pointer(values.bytes(Member::kLeaves), [](const StreamedPointer&) {});
    read_clusters(values);
    read_friends(values);
    read_aliases(values);
    read_tree_index(values);
    note_other_parts(values);
    return std::move(tree_);
  }

 private:
  void note_tree(const MemberPlaces& places) {
    if (outline_ == nullptr) return;
    outline_->key_size = record_.key_size;
    outline_->tree = places;
    outline_->add_object(0, StreamedBytes(record_.object, record_.key_size).object().bytes.end());
    outline_->add_bases(places);
  }

  // A branch or a leaf.
  void note_part(const StreamedPointer& pointer, const MemberPlaces& places) {
    if (outline_ == nullptr) return;
    outline_->add_object(pointer.bytes.position(), pointer.bytes.end());
    outline_->add_bases(places);
    outline_->parts.emplace(pointer.place, places);
  }

  void note_pointer(const StreamedPointer& pointer) {
    if (outline_ == nullptr) return;
    outline_->pointers.push_back(pointer.place_of_pointer);
    if (pointer.kind == StreamedPointer::Kind::kObject)
      outline_->add_object(pointer.place, pointer.bytes.end());
  }

  StreamedPointer read_pointer(StreamedBytes bytes) {
    const StreamedPointer pointer = bytes.pointer();
    note_pointer(pointer);
    return pointer;
  }

  // Calls `visit` with each pointer of a TObjArray.
  template <typename Visit>
  void for_each_pointer(StreamedBytes bytes, Visit visit) {
    if (outline_ != nullptr) outline_->add_object(bytes.position(), bytes.end());
    for_each_in_array(bytes, [&](const StreamedPointer& pointer) {
      note_pointer(pointer);
      visit(pointer);
    });
  }

  void note_other_parts(const MemberValues& values) {
    const auto note = [&](Member member, const char* what) {
      if (!values.has(member)) return;
      const StreamedPointer pointer = values.bytes(member).pointer();
      if (is_something(pointer))
        tree_.other_parts.push_back(std::string(what) + " (" + std::string(pointer.class_name) + ")");
    };
    note(Member::kUserInfo, "a list of user's objects");
    note(Member::kBranchRef, "a table of references between objects");
    if (!tree_.index) note(Member::kTreeIndex, "an index");
  }

  // Notes the members in `places` and returns what to read them with.
  MemberValues walk_object(std::string_view class_name, StreamedBytes bytes, MemberPlaces& places) {
    StreamedObject object = bytes.object();
    if (!object.has_size) throw FormatError("an object without a byte count");
    walk_.walk(class_name, object, places);
    return {places, bytes};
  }

  // The same for classes that may not be described, but have a base that is. What is found before the bytes
  // turn out to be damaged is kept.
  MemberValues walk_derived(const StreamedPointer& pointer, std::string_view base, MemberPlaces& places,
                            std::string& problem) {
    StreamedBytes bytes = pointer.bytes;
    try {
      const bool is_known = walk_.walk(pointer.class_name, bytes.object(), places);
      StreamedObject derived = StreamedBytes(pointer.bytes).object();
      if (!is_known) {
        places.add_base({derived.bytes.position(), derived.bytes.end()});
        walk_.walk(base, derived.bytes.object(), places);
      }
    } catch (const FormatError& error) {
      problem = error.what();
    }
    if (!places.has(Member::kName))
      throw FormatError("class " + std::string(pointer.class_name) + " without a name");
    return {places, bytes};
  }

  void read_branches(const MemberValues& values, int depth, std::vector<Place>& branches) {
    if (!values.has(Member::kBranches)) return;
    for_each_pointer(values.bytes(Member::kBranches), [&](const StreamedPointer& pointer) {
      if (pointer.kind == StreamedPointer::Kind::kNull) return;
      branches.push_back(pointer.place);
      if (pointer.kind == StreamedPointer::Kind::kObject) read_branch(pointer, depth + 1);
    });
  }

  void read_branch(const StreamedPointer& pointer, int depth) {
    if (depth > kMaxObjectDepth) throw FormatError("branches lie too deeply in each other");
    MemberPlaces places;
    StoredBranch stored;
    TreeBranch& branch = stored.branch;
    const MemberValues values = walk_derived(pointer, "TBranch", places, branch.problem);
    note_part(pointer, places);
    stored.data.place = pointer.place;
    branch.class_name = pointer.class_name;
    branch.name = values.text(Member::kName);
    branch.title = values.text(Member::kTitle);
    try {
      read_branches(values, depth, stored.children);
      read_leaves(values, stored.leaves);
      fill_element(values, branch);
      stored.count_branch = read_count_branch(values, depth);
      fill_data(values, stored.data);
      if (!branch.problem.empty()) throw FormatError(branch.problem);
      if (!is_branch_class_read(pointer.class_name))
        throw FormatError("branches of class " + branch.class_name + " are not supported");
      if (const std::string_view file = values.text(Member::kFileName); !file.empty())
        throw FormatError("its data are in another file, " + std::string(file));
      find_baskets(values, record_.file_size, stored.data);
      // What parents of split objects have is in their children.
      if (stored.data.baskets.empty() && stored.data.num_entries > 0 && stored.children.empty())
        throw FormatError(no_baskets(values.integer(Member::kFirstEntry)));
    } catch (const FormatError& error) {
      branch.problem = error.what();
      stored.data.baskets.clear();
    }
    tree_.all_branches.emplace(pointer.place, std::move(stored));
  }

  static void fill_data(const MemberValues& values, BranchData& data) {
    const auto counted = [&](Member member) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(values.integer(member), 0));
    };
    data.compression = static_cast<int>(values.integer(Member::kCompress));
    data.bytes_unpacked = counted(Member::kTotBytes);
    data.bytes_stored = counted(Member::kZipBytes);
    data.num_entries = counted(Member::kEntries);
    data.maximum = values.integer_or_zero(Member::kMaximum);
    if (values.integer(Member::kEntries) < 0) throw FormatError("its number of entries is negative");
  }

  static void fill_element(const MemberValues& values, TreeBranch& branch) {
    branch.object_class = values.text(Member::kClassName);
    branch.parent_class = values.text(Member::kParentName);
    branch.clones_class = values.text(Member::kClonesName);
    branch.checksum = static_cast<std::uint32_t>(values.integer(Member::kCheckSum));
    branch.class_version = static_cast<int>(values.integer(Member::kClassVersion));
    branch.id = static_cast<int>(values.integer(Member::kId, -1));
    branch.type = static_cast<int>(values.integer(Member::kType));
    branch.streamer_type = static_cast<int>(values.integer(Member::kStreamerType, -1));
    branch.has_offsets = values.integer(Member::kEntryOffsets) != 0;
    if (values.has(Member::kFeatures)) {
      StreamedObject features = values.bytes(Member::kFeatures).object();
      if (features.bytes.remaining() > 0) branch.features = features.bytes.number<std::uint8_t>();
    }
  }

  // A branch that comes later is streamed with the first one that refers to it.
  Place read_count_branch(const MemberValues& values, int depth) {
    if (!values.has(Member::kBranchCount)) return kNoPlace;
    const StreamedPointer pointer = read_pointer(values.bytes(Member::kBranchCount));
    if (values.has(Member::kBranchCount2)) {
      const StreamedPointer second = read_pointer(values.bytes(Member::kBranchCount2));
      if (second.kind == StreamedPointer::Kind::kObject) read_branch(second, depth + 1);
    }
    if (pointer.kind == StreamedPointer::Kind::kNull) return kNoPlace;
    if (pointer.kind == StreamedPointer::Kind::kObject) read_branch(pointer, depth + 1);
    return pointer.place;
  }

  void read_leaves(const MemberValues& values, std::vector<Place>& leaves) {
    if (!values.has(Member::kLeaves)) return;
    for_each_pointer(values.bytes(Member::kLeaves), [&](const StreamedPointer& pointer) {
      if (pointer.kind == StreamedPointer::Kind::kNull) return;
      leaves.push_back(pointer.place);
      if (pointer.kind == StreamedPointer::Kind::kObject) read_leaf(pointer, 0);
    });
  }

  void read_leaf(const StreamedPointer& pointer, int depth) {
    if (depth > kMaxObjectDepth) throw FormatError("leaves count each other");
    MemberPlaces places;
    StoredLeaf stored;
    TreeLeaf& leaf = stored.leaf;
    const MemberValues values = walk_derived(pointer, "TLeaf", places, stored.problem);
    note_part(pointer, places);
    stored.data.place = pointer.place;
    stored.data.minimum = values.integer_or_zero(Member::kMinimum);
    stored.data.maximum = values.integer_or_zero(Member::kMaximum);
    if (pointer.class_name == "TLeafC") stored.data.text_room = values.integer(Member::kLength);
    leaf.class_name = pointer.class_name;
    leaf.name = values.text(Member::kName);
    leaf.title = values.text(Member::kTitle);
    leaf.is_unsigned = values.integer(Member::kIsUnsigned) != 0;
    fill_length(values.integer(Member::kLength, 1), stored);
    if (values.has(Member::kLeafCount)) {
      const StreamedPointer counter = read_pointer(values.bytes(Member::kLeafCount));
      if (counter.kind != StreamedPointer::Kind::kNull) stored.counter = counter.place;
      if (counter.kind == StreamedPointer::Kind::kObject) read_leaf(counter, depth + 1);
    }
    tree_.all_leaves.emplace(pointer.place, std::move(stored));
  }

  // The length of a text is the largest one, that of a member of varying length -1.
  static void fill_length(std::int64_t length, StoredLeaf& stored) {
    TreeLeaf& leaf = stored.leaf;
    if (leaf.class_name == "TLeafC" || (length <= 0 && !leaf.class_name.starts_with("TLeaf"))) return;
    const bool is_element = leaf.class_name == "TLeafElement" || leaf.class_name == "TLeafObject";
    if (length <= 0 && is_element) return;
    if (length <= 0) {
      stored.problem = "leaf \"" + leaf.name + "\" has the length " + std::to_string(length);
      return;
    }
    leaf.length = static_cast<std::uint64_t>(length);
    leaf.dimensions = leaf_dimensions(leaf.title, leaf.length);
  }

  void read_clusters(const MemberValues& values) {
    tree_.last_cluster_size = values.integer(Member::kAutoFlush);
    const std::size_t size =
        std::min(values.array_size(Member::kClusterRangeEnd), values.array_size(Member::kClusterSize));
    for (std::size_t i = 0; i < size; ++i)
      tree_.cluster_ranges.push_back(
          {values.array_item(Member::kClusterRangeEnd, i), values.array_item(Member::kClusterSize, i)});
  }

  void read_friends(const MemberValues& values) {
    if (!values.has(Member::kFriends)) return;
    for_each_in_list(values.bytes(Member::kFriends), [&](const StreamedPointer& pointer) {
      MemberPlaces places;
      const MemberValues friend_values = walk_object(pointer.class_name, pointer.bytes, places);
      tree_.friends.push_back({std::string(friend_values.text(Member::kName)),
                               std::string(friend_values.text(Member::kTitle)),
                               std::string(friend_values.text(Member::kTreeName))});
    });
  }

  void read_aliases(const MemberValues& values) {
    if (!values.has(Member::kAliases)) return;
    for_each_in_list(values.bytes(Member::kAliases), [&](const StreamedPointer& pointer) {
      MemberPlaces places;
      const MemberValues alias = walk_object(pointer.class_name, pointer.bytes, places);
      tree_.aliases.push_back(
          {std::string(alias.text(Member::kName)), std::string(alias.text(Member::kTitle))});
    });
  }

  void read_tree_index(const MemberValues& values) {
    if (!values.has(Member::kTreeIndex)) return;
    const StreamedPointer pointer = values.bytes(Member::kTreeIndex).pointer();
    if (pointer.class_name == "TTreeIndex") tree_.index = read_index(pointer);
  }

  TreeRecord record_;
  ClassWalk walk_;
  TreeOutline* outline_;
  StoredTree tree_;
};

}  // namespace

StoredTree parse_tree(const TreeRecord& record, const ClassLayouts& classes, TreeOutline* outline) {
  return TreeParser(record, classes, outline).parse();
}

}  // namespace skimline::io
