// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_copy.h"

#include "root/pointer_writer.h"
#include "ttree/cluster_ranges.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace skimline::io {
namespace {

constexpr int kDoubleNumber = 8, kFloatNumber = 5, kCounterNumber = 6, kLong64Number = 16;
constexpr std::uint8_t kHasItems = 1, kHasLongItems = 2;          // the flag before an array
constexpr std::uint64_t kAnyNumberOfEntries = 1'000'000'000'000;  // that ROOT lets a tree have

// Bytes of the original that others take the place of.
struct Replacement {
  std::size_t begin = 0, end = 0;
  // How many bytes there will be in front of them matters to pointers only.
  std::function<void(ByteWriter&, PointerWriter&)> write;
};

void write_number(ByteWriter& out, int type, std::size_t size, std::uint64_t value) {
  if (type == kDoubleNumber) return out.big<double>(static_cast<double>(value));
  const bool is_signed = type <= kCounterNumber || type == kLong64Number;
  const std::size_t bits = 8 * size - (is_signed ? 1 : 0);
  const bool is_negative = is_signed && bits < 63 && ~value >> bits == 0;
  if (size < sizeof value && value >> bits != 0 && !is_negative)
    throw FormatError("a number that its class has no room for: " + std::to_string(value));
  for (std::size_t i = size; i-- > 0;) out.big<std::uint8_t>(static_cast<std::uint8_t>(value >> (8 * i)));
}

// Names of two columns, then three lists of numbers, as TTreeIndex has them in version 2.
void write_index(PointerWriter& pointers, ByteWriter& out, const TreeIndex& index) {
  const auto write_numbers = [&](const std::vector<std::int64_t>& numbers) {
    out.big_array<std::uint64_t>(std::span(numbers),
                                 [](std::int64_t number) { return static_cast<std::uint64_t>(number); });
  };
  pointers.write("TTreeIndex", 2, [&] {
    write_object(out, 1, [&] { write_named(out, "", "", 0); });
    out.root_string(index.major);
    out.root_string(index.minor);
    out.big<std::uint64_t>(index.entries.size());
    write_numbers(index.major_values);
    write_numbers(index.minor_values);
    write_numbers(index.entries);
  });
}

template <typename Items, typename WriteItem>
void write_list_of(PointerWriter& pointers, ByteWriter& out, const Items& items, WriteItem write_item) {
  if (items.empty()) return pointers.write_null();
  pointers.write("TList", 5, [&] {
    write_tobject(out, 0);
    out.root_string("");
    out.big<std::uint32_t>(static_cast<std::uint32_t>(items.size()));
    for (const auto& item : items) {
      write_item(item);
      out.root_string("");  // option
    }
  });
}

void write_aliases(PointerWriter& pointers, ByteWriter& out, const std::vector<TreeAlias>& aliases) {
  write_list_of(pointers, out, aliases, [&](const TreeAlias& alias) {
    pointers.write("TNamed", [&] { write_named(out, alias.name, alias.expression, 0); });
  });
}

void write_friends(PointerWriter& pointers, ByteWriter& out, const std::vector<TreeFriend>& friends) {
  write_list_of(pointers, out, friends, [&](const TreeFriend& other) {
    pointers.write("TFriendElement", 2, [&] {
      write_named(out, other.alias, other.path, 0);
      out.root_string(other.tree);
      out.big<std::uint8_t>(0);  // the file is not its own
    });
  });
}

// Finds what is replaced.
class ReplacementList {
 public:
  ReplacementList(const TreeDescriptor& tree, const TreeOutline& outline, const CopiedTree& copy)
      : tree_(tree), outline_(outline), copy_(copy) {
    add_tree();
    for (std::size_t i = 0; i < tree.branches.size(); ++i) add_branch(i);
    for (std::size_t i = 0; i < tree.leaves.size(); ++i) add_leaf(i);
    std::sort(list_.begin(), list_.end(),
              [](const Replacement& a, const Replacement& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < list_.size(); ++i)
      if (list_[i].begin < list_[i - 1].end) throw FormatError("branches that lie in each other");
  }

  const std::vector<Replacement>& list() const { return list_; }

 private:
  void add(std::size_t begin, std::size_t end, std::function<void(ByteWriter&, PointerWriter&)> write) {
    list_.push_back({begin, end, std::move(write)});
  }

  void set(const MemberPlaces& places, Member member, std::uint64_t value) {
    if (!places.has(member)) return;
    const MemberPlaces::Place& place = places[member];
    if (place.type == kFloatNumber) return;
    add(place.begin, place.end, [place, value](ByteWriter& out, PointerWriter&) {
      write_number(out, place.type, place.end - place.begin, value);
    });
  }

  void set_pointer(Member member, std::function<void(ByteWriter&, PointerWriter&)> write) {
    if (!outline_.tree.has(member)) return;
    add(outline_.tree[member].begin, outline_.tree[member].end, std::move(write));
  }

  // The flag in front of the items belongs to them; `size` are the slots.
  template <typename Number>
  void set_array(const MemberPlaces& places, Member member, std::size_t size, Number number) {
    if (!places.has(member)) return;
    const MemberPlaces::Place& place = places[member];
    const std::size_t begin = place.begin - 1;
    const bool is_long_seek = member == Member::kBasketSeek && place.item_size == 8 && is_flagged_long(begin);
    add(begin, place.end, [place, size, number, is_long_seek](ByteWriter& out, PointerWriter&) {
      if (size == 0) return out.big<std::uint8_t>(0);
      out.big<std::uint8_t>(is_long_seek ? kHasLongItems : kHasItems);
      for (std::size_t i = 0; i < size; ++i) write_number(out, place.type, place.item_size, number(i));
    });
  }

  bool is_flagged_long(std::size_t flag) const {
    return tree_.object[flag] == static_cast<std::byte>(kHasLongItems);
  }

  // ROOT drops the first entries of a circular tree where more are added, as hadd does.
  void set_unlimited(const MemberPlaces& places) {
    if (!places.has(Member::kMaxEntries)) return;
    const MemberPlaces::Place& place = places[Member::kMaxEntries];
    const bool is_long = place.end - place.begin == sizeof(std::uint64_t);
    set(places, Member::kMaxEntries,
        is_long ? kAnyNumberOfEntries : std::numeric_limits<std::int32_t>::max());
  }

  void add_tree() {
    std::uint64_t unpacked = 0, stored = 0;
    for (const WrittenBranch& branch : copy_.branches) {
      unpacked += branch.unpacked_bytes;
      stored += branch.stored_bytes;
    }
    const MemberPlaces& places = outline_.tree;
    set(places, Member::kEntries, copy_.num_entries);
    set_unlimited(places);
    set(places, Member::kTotBytes, unpacked);
    set(places, Member::kZipBytes, stored);
    set(places, Member::kSavedBytes, 0);
    set(places, Member::kFlushedBytes, stored);
    add_clusters(places);
    add_empty(Member::kIndexValues);
    add_empty(Member::kIndexEntries);
    set_pointer(Member::kAliases, [this](ByteWriter& out, PointerWriter& pointers) {
      write_aliases(pointers, out, tree_.aliases);
    });
    set_pointer(Member::kTreeIndex, [this](ByteWriter& out, PointerWriter& pointers) {
      copy_.index ? write_index(pointers, out, *copy_.index) : pointers.write_null();
    });
    set_pointer(Member::kFriends, [this](ByteWriter& out, PointerWriter& pointers) {
      write_friends(pointers, out, tree_.friends);
    });
    for (const Member member : {Member::kUserInfo, Member::kBranchRef})
      set_pointer(member, [](ByteWriter&, PointerWriter& pointers) { pointers.write_null(); });
  }

  // An array that old versions of trees had their index in.
  void add_empty(Member member) {
    set_pointer(member, [](ByteWriter& out, PointerWriter&) { out.big<std::uint32_t>(0); });
  }

  void add_clusters(const MemberPlaces& places) {
    ClusterRanges ranges = ranges_of(copy_.cluster_entries);
    const bool has_ranges = places.has(Member::kClusterRangeEnd) && places.has(Member::kClusterSize);
    if (!has_ranges && !ranges.sizes.empty()) ranges = {};
    set(places, Member::kAutoFlush, static_cast<std::uint64_t>(ranges.size_behind));
    if (!has_ranges) return;
    set(places, Member::kNumClusterRanges, ranges.sizes.size());
    const auto at = [](const std::vector<std::int64_t>& numbers) {
      return [numbers](std::size_t i) { return static_cast<std::uint64_t>(numbers[i]); };
    };
    set_array(places, Member::kClusterRangeEnd, ranges.sizes.size(), at(ranges.last_entries));
    set_array(places, Member::kClusterSize, ranges.sizes.size(), at(ranges.sizes));
  }

  const MemberPlaces& places_of(std::size_t place) const {
    const auto found = outline_.parts.find(place);
    if (found == outline_.parts.end()) throw FormatError("a branch that is not in the tree");
    return found->second;
  }

  void add_branch(std::size_t number) {
    const MemberPlaces& places = places_of(tree_.branch_data[number].place);
    const WrittenBranch& written = copy_.branches[number];
    const std::size_t size = written.baskets.size(), slots = slots_for(size);
    set(places, Member::kWriteBasket, size);
    set(places, Member::kMaxBaskets, slots);
    const std::uint64_t num_entries = copy_.have_entries[number] ? copy_.num_entries : 0;
    set(places, Member::kEntryNumber, num_entries);
    set(places, Member::kEntries, num_entries);
    set(places, Member::kTotBytes, written.unpacked_bytes);
    set(places, Member::kZipBytes, written.stored_bytes);
    set(places, Member::kMaximum, static_cast<std::uint64_t>(copy_.largest_counts[number]));
    if (copy_.compression) set(places, Member::kCompress, static_cast<std::uint64_t>(*copy_.compression));
    add_no_baskets(places);
    const std::vector<PlacedBasket>* baskets = &written.baskets;
    set_array(places, Member::kBasketBytes, slots,
              [baskets, size](std::size_t i) { return i < size ? (*baskets)[i].bytes : 0; });
    const std::uint64_t end = size == 0 ? 0 : copy_.num_entries;
    set_array(places, Member::kBasketEntry, slots, [baskets, size, end](std::size_t i) -> std::uint64_t {
      return i < size ? (*baskets)[i].first_entry : i == size ? end : 0;
    });
    set_array(places, Member::kBasketSeek, slots, [baskets, size](std::size_t i) -> std::uint64_t {
      return i < size ? (*baskets)[i].offset : 0;
    });
  }

  // The baskets that are not on file.
  void add_no_baskets(const MemberPlaces& places) {
    if (!places.has(Member::kBaskets)) return;
    add(places[Member::kBaskets].begin, places[Member::kBaskets].end, [](ByteWriter& out, PointerWriter&) {
      write_object(out, 3, [&] {
        write_tobject(out, 0);
        out.root_string("");
        out.zeros(2 * sizeof(std::uint32_t));  // number and lower bound
      });
    });
  }

  void add_leaf(std::size_t number) {
    const TreeLeaf& leaf = tree_.leaves[number];
    const LeafRange& range = copy_.leaves[number];
    const MemberPlaces& places = places_of(tree_.leaf_data[number].place);
    if (leaf.class_name == "TLeafElement") return;
    if (places.has(Member::kMaximum) && places[Member::kMaximum].type == kDoubleNumber) return;
    set(places, Member::kMinimum, static_cast<std::uint64_t>(range.minimum));
    set(places, Member::kMaximum, static_cast<std::uint64_t>(range.maximum));
    if (leaf.class_name == "TLeafC")
      set(places, Member::kLength, static_cast<std::uint64_t>(range.text_room));
  }

  const TreeDescriptor& tree_;
  const TreeOutline& outline_;
  const CopiedTree& copy_;
  std::vector<Replacement> list_;
};

// Copies the bytes of an object, with replacements, and corrects what counts bytes or positions.
class ObjectCopy {
 public:
  ObjectCopy(const TreeDescriptor& tree, const TreeOutline& outline, const std::vector<Replacement>& list,
             std::size_t key_size)
      : object_(tree.object),
        outline_(outline),
        list_(list),
        key_size_(key_size),
        pointers_(out_, key_size) {}

  std::vector<std::byte> make() && {
    for (const Replacement& replacement : list_) {
      take_until(replacement.begin);
      replacement.write(out_, pointers_);
      next_ = replacement.end;
    }
    take_until(object_.size());
    for (const CountedObject& object : outline_.objects) correct_count(object);
    for (const std::size_t pointer : outline_.pointers) correct_pointer(pointer);
    return std::move(out_).take();
  }

 private:
  struct Piece {
    std::size_t begin = 0;  // in the original
    std::size_t to = 0;
  };

  void take_until(std::size_t end) {
    pieces_.push_back({next_, out_.size()});
    ends_.push_back(end);
    out_.raw(object_.subspan(next_, end - next_));
    next_ = end;
  }

  // Where a byte of the original is now. Nothing begins or ends inside what is replaced.
  std::size_t moved(std::size_t position) const {
    const auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), position,
                                        [](std::size_t at, const Piece& each) { return at < each.begin; });
    if (piece == pieces_.begin()) throw FormatError("a reference to what is not there");
    const std::size_t number = static_cast<std::size_t>(piece - pieces_.begin()) - 1;
    if (position > ends_[number]) throw FormatError("a reference to what is not there");
    return pieces_[number].to + (position - pieces_[number].begin);
  }

  std::uint32_t word(std::size_t position) const {
    if (object_.size() < sizeof(std::uint32_t) || position > object_.size() - sizeof(std::uint32_t))
      throw FormatError("a reference to what is not there");
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < sizeof word; ++i)
      word = word << 8 | std::to_integer<std::uint32_t>(object_[position + i]);
    return word;
  }

  void correct_count(const CountedObject& object) {
    const std::size_t begin = moved(object.begin), size = moved(object.end) - begin - sizeof(std::uint32_t);
    if (size >= kByteCountBit) throw FormatError("an object of 1 GiB or more");
    out_.set_big<std::uint32_t>(begin, kByteCountBit | static_cast<std::uint32_t>(size));
  }

  void correct_pointer(std::size_t position) {
    std::size_t tag = position;
    if (const std::uint32_t first = word(tag); (first & kByteCountBit) != 0 && first != kNewClassTag)
      tag += sizeof first;
    const std::uint32_t old = word(tag);
    if (old == 0 || old == kNewClassTag) return;
    const std::uint32_t flag = old & kClassReferenceBit;
    const std::size_t origin = outline_.key_size + kReferenceOffset;
    const std::size_t target = (old & ~kClassReferenceBit) - origin;
    if ((old & ~kClassReferenceBit) < origin || target >= object_.size())
      throw FormatError("a reference to what is not there");
    const std::size_t now = moved(target) + key_size_ + kReferenceOffset;
    out_.set_big<std::uint32_t>(moved(tag), flag | static_cast<std::uint32_t>(now));
  }

  std::span<const std::byte> object_;
  const TreeOutline& outline_;
  const std::vector<Replacement>& list_;
  std::size_t key_size_;
  ByteWriter out_;
  PointerWriter pointers_;
  std::size_t next_ = 0;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> ends_;  // of the pieces, in the original
};

}  // namespace

std::vector<std::byte> streamed_copy(const TreeDescriptor& tree, const TreeOutline& outline,
                                     const CopiedTree& copy, std::size_t key_size) {
  const ReplacementList replacements(tree, outline, copy);
  return ObjectCopy(tree, outline, replacements.list(), key_size).make();
}

}  // namespace skimline::io
