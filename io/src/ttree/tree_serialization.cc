// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_serialization.h"

#include "root/pointer_writer.h"
#include "ttree/cluster_ranges.h"

#include <algorithm>
#include <set>
#include <span>

namespace skimline::io {
namespace {

constexpr std::uint32_t kFeaturesChecksum = 0x1aa12f10;
constexpr std::uint32_t kNoBufferMap = 1u << 22;  // no entry has objects that refer to others
constexpr std::int64_t kUnlimited = 1'000'000'000'000;
constexpr std::int32_t kOffsetArray = 1000;  // bytes that it begins with, if entries are added
constexpr std::uint64_t kLeastBasket = 32'000;
constexpr std::uint64_t kMostBasket = 1'000'000'000;
constexpr std::uint32_t kStringChecksum = 1852773892;

// "vector<vector<float> >", and std::string by itself.
std::string class_of(const OutputBranch& branch) {
  const bool is_string = branch.scalar == ScalarType::kString;
  std::string name = is_string ? "string" : leaf_type(branch.scalar).type_name;
  for (int level = 0; level < branch.depth; ++level)
    name = "vector<" + name + (name.ends_with('>') ? " >" : ">");
  return name;
}

// As TClass::GetCheckSum of classes whose members it does not look at.
std::uint32_t checksum_of(const std::string& class_name) {
  std::uint32_t sum = 0;
  for (const char letter : class_name) sum = sum * 3 + static_cast<unsigned char>(letter);
  return sum;
}

class TreeStreamer {
 public:
  TreeStreamer(const TreeLayout& layout, const WrittenTree& tree, std::size_t key_size)
      : layout_(layout), tree_(tree), pointers_(out_, key_size), leaves_(layout.branches.size()) {}

  std::vector<std::byte> stream() && {
    write_object(out_, 20, [&] {
      write_named(out_, tree_.name, tree_.title, 0);
      write_attributes();
      write_numbers();
      write_features();
      write_list(layout_.branches.size(), [&](std::size_t i) { write_branch(i); });
      write_list(layout_.branches.size(), [&](std::size_t i) { pointers_.write_reference(leaves_[i]); });
      pointers_.write_null();                              // aliases
      big<std::int32_t>(0);                                // index values
      big<std::int32_t>(0);                                // index
      for (int i = 0; i < 4; ++i) pointers_.write_null();  // index, friends, user's objects, references
    });
    return std::move(out_).take();
  }

 private:
  template <typename T>
  void big(std::type_identity_t<T> value) {
    out_.big<T>(value);
  }

  void big64(std::uint64_t value) { out_.big<std::uint64_t>(value); }

  template <typename Item>
  void write_list(std::size_t count, Item&& write_item) {
    write_object(out_, 3, [&] {
      write_tobject(out_, 0);
      out_.root_string("");
      big<std::int32_t>(static_cast<std::int32_t>(count));
      big<std::int32_t>(0);  // lower bound
      for (std::size_t i = 0; i < count; ++i) write_item(i);
    });
  }

  void write_fill_attributes() {
    write_object(out_, 2, [&] {
      big<std::int16_t>(0);
      big<std::int16_t>(1001);
    });
  }

  void write_attributes() {
    write_object(out_, 2, [&] {
      for (const int value : {602, 1, 1}) big<std::int16_t>(static_cast<std::int16_t>(value));
    });
    write_fill_attributes();
    write_object(out_, 3, [&] {
      big<std::int16_t>(1);
      big<std::int16_t>(1);
      big<float>(1);
    });
  }

  void write_numbers() {
    std::uint64_t unpacked = 0, stored = 0;
    for (const WrittenBranch& branch : tree_.branches) {
      unpacked += branch.unpacked_bytes;
      stored += branch.stored_bytes;
    }
    const ClusterRanges ranges = ranges_of(tree_.cluster_entries);
    big64(tree_.num_entries);
    big64(unpacked);
    big64(stored);
    big64(0);        // bytes saved on the way
    big64(stored);   // bytes flushed
    big<double>(1);  // weight
    big<std::int32_t>(0);
    big<std::int32_t>(25);  // entries that Scan shows at once
    big<std::int32_t>(0);
    big<std::int32_t>(kOffsetArray);
    big<std::int32_t>(static_cast<std::int32_t>(ranges.sizes.size()));
    big<std::int64_t>(kUnlimited);  // entries
    big<std::int64_t>(kUnlimited);  // entries to be looped over
    big<std::int64_t>(0);
    big<std::int64_t>(-300'000'000);  // bytes after which ROOT saves if entries are added
    big<std::int64_t>(ranges.size_behind);
    big<std::int64_t>(1'000'000);  // entries that estimate limits of histograms
    write_longs(ranges.last_entries);
    write_longs(ranges.sizes);
  }

  // Null if there are none.
  void write_longs(std::span<const std::int64_t> values) {
    big<std::uint8_t>(values.empty() ? 0 : 1);
    out_.big_array<std::uint64_t>(values,
                                  [](std::int64_t value) { return static_cast<std::uint64_t>(value); });
  }

  // A class whose version ROOT does not know: its checksum follows instead.
  void write_features() {
    write_object(out_, 0, [&] {
      big<std::uint32_t>(kFeaturesChecksum);
      big<std::uint8_t>(0);
    });
  }

  void write_branch(std::size_t number) {
    const OutputBranch& branch = layout_.branches[number];
    if (!branch.is_object()) {
      pointers_.write("TBranch", [&] { write_branch_base(number); });
      return;
    }
    pointers_.write("TBranchElement", 10, [&] {
      write_branch_base(number);
      write_class_of(branch);
    });
  }

  void write_branch_base(std::size_t number) {
    const OutputBranch& branch = layout_.branches[number];
    const WrittenBranch& written = tree_.branches[number];
    write_object(out_, 13, [&] {
      write_named(out_, branch.name, branch.title, kNoBufferMap);
      write_fill_attributes();
      big<std::int32_t>(tree_.compression.root_number());
      big<std::int32_t>(
          static_cast<std::int32_t>(std::clamp(written.largest_basket, kLeastBasket, kMostBasket)));
      big<std::int32_t>(branch.has_offsets() ? kOffsetArray : 0);
      big<std::int32_t>(static_cast<std::int32_t>(written.baskets.size()));
      big64(tree_.num_entries);
      write_features();
      big<std::int32_t>(0);  // offset
      big<std::int32_t>(static_cast<std::int32_t>(room_for(written)));
      big<std::int32_t>(0);  // how far it is split
      big64(tree_.num_entries);
      big64(0);  // first entry
      big64(written.unpacked_bytes);
      big64(written.stored_bytes);
      write_list(0, [](std::size_t) {});  // branches
      write_list(1, [&](std::size_t) { leaves_[number] = write_leaf(number); });
      write_list(0, [](std::size_t) {});  // baskets that are not on file
      write_baskets(written);
      out_.root_string("");  // file of the baskets: this one
    });
  }

  static std::size_t room_for(const WrittenBranch& written) { return slots_for(written.baskets.size()); }

  void write_baskets(const WrittenBranch& written) {
    const std::size_t unused = room_for(written) - written.baskets.size();
    big<std::uint8_t>(1);
    for (const PlacedBasket& basket : written.baskets) big<std::uint32_t>(basket.bytes);
    out_.zeros(unused * sizeof(std::uint32_t));
    big<std::uint8_t>(1);
    for (const PlacedBasket& basket : written.baskets) big64(basket.first_entry);
    big64(tree_.num_entries);
    out_.zeros((unused - 1) * sizeof(std::uint64_t));
    big<std::uint8_t>(1);
    for (const PlacedBasket& basket : written.baskets) big64(basket.offset);
    out_.zeros(unused * sizeof(std::uint64_t));
  }

  void write_class_of(const OutputBranch& branch) {
    const bool is_string = branch.kind == BranchKind::kStrings;
    const std::string class_name = class_of(branch);
    out_.root_string(class_name);
    out_.root_string("");  // parent
    out_.root_string("");  // clones
    big<std::uint32_t>(is_string ? kStringChecksum : checksum_of(class_name));
    big<std::int16_t>(is_string ? 2 : 6);  // version
    big<std::int32_t>(-1);                 // number of the member
    big<std::int32_t>(is_string ? -1 : 0);
    big<std::int32_t>(-1);
    big<std::int32_t>(0);    // largest count
    pointers_.write_null();  // counts
    pointers_.write_null();
  }

  std::uint32_t write_leaf(std::size_t number) {
    const OutputBranch& branch = layout_.branches[number];
    if (branch.is_object())
      return pointers_.write("TLeafElement", 1, [&] {
        write_leaf_base(branch, 0);
        big<std::int32_t>(-1);
        big<std::int32_t>(-1);
      });
    return pointers_.write(leaf_type(branch.scalar).leaf_class, 1, [&] {
      write_leaf_base(branch, branch.item_size());
      const std::uint64_t largest = branch.is_count ? tree_.largest_counts[*branch.group] : 0;
      out_.zeros(branch.item_size());  // the smallest
      for (std::size_t i = branch.item_size(); i-- > 0;)
        big<std::uint8_t>(static_cast<std::uint8_t>(largest >> (8 * i)));
    });
  }

  void write_leaf_base(const OutputBranch& branch, std::size_t item_size) {
    const bool is_list = branch.kind == BranchKind::kLists;
    const std::size_t counts = is_list ? layout_.groups[*branch.group].count_branch : 0;
    write_object(out_, 2, [&] {
      write_named(out_, branch.name,
                  is_list ? branch.name + "[" + layout_.branches[counts].name + "]" : branch.name, 0);
      big<std::int32_t>(1);  // fixed length
      big<std::int32_t>(static_cast<std::int32_t>(item_size));
      big<std::int32_t>(0);
      big<std::uint8_t>(branch.is_count ? 1 : 0);  // the largest is known
      big<std::uint8_t>(is_unsigned(branch) ? 1 : 0);
      if (is_list)
        pointers_.write_reference(leaves_[counts]);
      else
        pointers_.write_null();
    });
  }

  static bool is_unsigned(const OutputBranch& branch) {
    switch (branch.scalar) {
      case ScalarType::kUInt8:
      case ScalarType::kUInt16:
      case ScalarType::kUInt32:
      case ScalarType::kUInt64:
        return !branch.is_object();
      default:
        return false;
    }
  }

  const TreeLayout& layout_;
  const WrittenTree& tree_;
  ByteWriter out_;
  PointerWriter pointers_;
  std::vector<std::uint32_t> leaves_;  // references, by branch
};

}  // namespace

std::vector<std::byte> streamed_tree(const TreeLayout& layout, const WrittenTree& tree,
                                     std::size_t key_size) {
  return TreeStreamer(layout, tree, key_size).stream();
}

std::vector<std::string> classes_in(const TreeLayout& layout) {
  std::set<std::string> classes;
  for (const OutputBranch& branch : layout.branches) {
    classes.insert(branch.is_object() ? "TBranchElement" : "TBranch");
    classes.insert(branch.is_object() ? "TLeafElement" : leaf_type(branch.scalar).leaf_class);
  }
  return {classes.begin(), classes.end()};
}

}  // namespace skimline::io
