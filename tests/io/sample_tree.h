// SPDX-License-Identifier: BSD-3-Clause
// Trees as ROOT streams them, for tests of what reads them.
#pragma once

#include "root/object_streaming.h"
#include "root/pointer_writer.h"
#include "storage/byte_writer.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io::testing {

struct SampleLeaf {
  std::string name;
  std::string title;
  std::string class_name = "TLeafF";
  std::int32_t length = 1;
  std::string counter{};  ///< the name of the leaf
};

struct SampleBasket {
  std::int64_t first_entry = 0;
  std::int32_t num_entries = 0;
  std::int64_t offset = 0;  ///< in the file; 0 for one that lies in the tree
  std::int32_t size = 0;
  bool is_open = false;  ///< lies in the tree, whatever its offset says
};

struct SampleBranch {
  std::string name;
  std::vector<SampleLeaf> leaves;
  std::int64_t num_entries = 0;
  std::vector<SampleBasket> baskets{};
  std::vector<SampleBranch> children{};
  std::string class_name = "TBranch";
  std::string file{};  ///< where its baskets are, if elsewhere
};

struct SampleTree {
  std::int64_t num_entries = 0;
  std::vector<SampleBranch> branches;
  std::vector<std::pair<std::int64_t, std::int64_t>> cluster_ranges{};  ///< last entry, size
  std::int64_t auto_flush = 0;
  std::vector<std::pair<std::string, std::string>> aliases{};
};

/// Streams a tree in the versions of ROOT 6.40.
class SampleTreeWriter {
 public:
  /// References count the key in front of the tree, of `key_size` bytes.
  explicit SampleTreeWriter(std::size_t key_size) : key_size_(key_size), pointers_(out_, key_size) {}

  std::vector<std::byte> write(const SampleTree& tree) {
    note_leaves(tree.branches);
    write_object(out_, 20, [&] { write_members(tree); });
    return std::move(out_).take();
  }

 private:
  void note_leaves(const std::vector<SampleBranch>& branches) {
    for (const SampleBranch& branch : branches) {
      for (const SampleLeaf& leaf : branch.leaves) leaves_[leaf.name] = &leaf;
      note_leaves(branch.children);
    }
  }

  void write_members(const SampleTree& tree) {
    const auto num_ranges = static_cast<std::int32_t>(tree.cluster_ranges.size());
    write_named(out_, "t", "a tree", 0);
    write_attributes(true);
    out_.big<std::int64_t>(tree.num_entries);
    out_.zeros(4 * 8 + 8 + 4 * 4);  // bytes, weight, settings
    out_.big<std::int32_t>(num_ranges);
    out_.zeros(4 * 8);
    out_.big<std::int64_t>(tree.auto_flush);
    out_.zeros(8);
    for (const bool is_end : {true, false}) {
      out_.big<std::uint8_t>(num_ranges > 0);
      for (const auto& [end, size] : tree.cluster_ranges) out_.big<std::int64_t>(is_end ? end : size);
    }
    write_io_features();
    write_branches(tree.branches);
    write_array_of(0, [](std::size_t) {});
    write_aliases(tree);
    out_.zeros(4 + 4);          // arrays of an index
    out_.zeros(4 + 4 + 4 + 4);  // index, friends, information of the user, references
  }

  void write_attributes(bool is_tree) {
    if (is_tree) write_object(out_, 2, [&] { out_.zeros(6); });
    write_object(out_, 2, [&] { out_.zeros(4); });
    if (is_tree) write_object(out_, 2, [&] { out_.zeros(8); });
  }

  void write_io_features() {
    write_object(out_, 0, [&] {
      out_.big<std::uint32_t>(0x1aa12f10);
      out_.big<std::uint8_t>(0);
    });
  }

  void write_aliases(const SampleTree& tree) {
    if (tree.aliases.empty()) return out_.zeros(4);
    pointers_.write("TList", 5, [&] {
      write_tobject(out_, 0);
      out_.root_string("");
      out_.big<std::int32_t>(static_cast<std::int32_t>(tree.aliases.size()));
      for (const auto& alias : tree.aliases) {
        pointers_.write("TNamed", [&] { write_named(out_, alias.first, alias.second, 0); });
        out_.root_string("");
      }
    });
  }

  template <typename WriteItem>
  void write_array_of(std::size_t size, WriteItem&& write_item) {
    write_object(out_, 3, [&] {
      write_tobject(out_, 0);
      out_.root_string("");
      out_.big<std::int32_t>(static_cast<std::int32_t>(size));
      out_.big<std::int32_t>(0);
      for (std::size_t i = 0; i < size; ++i) write_item(i);
    });
  }

  void write_branches(const std::vector<SampleBranch>& branches) {
    write_array_of(branches.size(), [&](std::size_t i) { write_branch(branches[i]); });
  }

  void write_branch(const SampleBranch& branch) {
    if (branch.class_name == "TBranch")
      pointers_.write("TBranch", 13, [&] { write_branch_members(branch); });
    else
      pointers_.write(branch.class_name.c_str(), 1,
                      [&] { write_object(out_, 13, [&] { write_branch_members(branch); }); });
  }

  void write_branch_members(const SampleBranch& branch) {
    const std::int32_t has_open = !branch.baskets.empty() && branch.baskets.back().is_open ? 1 : 0;
    const auto num_baskets = static_cast<std::int32_t>(branch.baskets.size());
    write_named(out_, branch.name, "", 0);
    write_attributes(false);
    out_.big<std::int32_t>(101);
    out_.zeros(4 + 4);
    out_.big<std::int32_t>(num_baskets - has_open);
    out_.big<std::int64_t>(branch.num_entries);
    write_io_features();
    out_.zeros(4);
    out_.big<std::int32_t>(num_baskets + 1);
    out_.zeros(4);
    out_.big<std::int64_t>(branch.num_entries);
    out_.zeros(3 * 8);
    write_branches(branch.children);
    write_array_of(branch.leaves.size(), [&](std::size_t i) { write_leaf(branch.leaves[i]); });
    write_array_of(branch.baskets.size(), [&](std::size_t i) { write_basket(branch.baskets[i]); });
    write_table<std::int32_t>(branch, 0, [](const SampleBasket& basket) { return basket.size; });
    write_table<std::int64_t>(branch, branch.num_entries,
                              [](const SampleBasket& basket) { return basket.first_entry; });
    write_table<std::int64_t>(branch, 0, [](const SampleBasket& basket) { return basket.offset; });
    out_.root_string(branch.file);
  }

  template <typename Number, typename Value>
  void write_table(const SampleBranch& branch, Number last, Value&& value) {
    out_.big<std::uint8_t>(1);
    for (const SampleBasket& basket : branch.baskets) out_.big<Number>(value(basket));
    out_.big<Number>(last);
  }

  void write_basket(const SampleBasket& basket) {
    if (basket.offset != 0 && !basket.is_open) return out_.zeros(4);
    pointers_.write("TBasket", [&] {
      out_.zeros(4);
      out_.big<std::uint16_t>(1004);
      out_.zeros(4 + 4 + 2 + 2 + 8 + 8);
      for (const char* text : {"TBasket", "b", "t"}) out_.root_string(text);
      out_.big<std::uint16_t>(3);
      out_.zeros(4 + 4);
      out_.big<std::int32_t>(basket.num_entries);
      out_.zeros(4 + 1);
    });
  }

  void write_leaf(const SampleLeaf& leaf) {
    const auto [known, is_new] = places_.try_emplace(leaf.name, out_.size());
    if (!is_new) return out_.big<std::uint32_t>(static_cast<std::uint32_t>(known->second + key_size_ + 2));
    pointers_.write(leaf.class_name.c_str(), 1, [&] {
      write_object(out_, 2, [&] {
        write_named(out_, leaf.name, leaf.title, 0);
        out_.big<std::int32_t>(leaf.length);
        out_.zeros(4 + 4 + 1 + 1);
        if (leaf.counter.empty())
          out_.zeros(4);
        else
          write_leaf(*leaves_.at(leaf.counter));
      });
      out_.zeros(8);  // smallest and largest value
    });
  }

  std::size_t key_size_;
  ByteWriter out_;
  PointerWriter pointers_;
  std::map<std::string, const SampleLeaf*> leaves_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace skimline::io::testing
