// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/basket_counts.h"

#include "root/element_type.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace skimline::io {
namespace {

constexpr unsigned kLongText = 255;  // the length follows in four bytes

std::size_t count_size(const TreeDescriptor& tree, const TreeBranch& branch) {
  if (branch.is_master()) return sizeof(std::int32_t);
  const std::string_view leaf = tree.leaves[branch.leaves.front()].class_name;
  if (leaf == "TLeafB") return 1;
  if (leaf == "TLeafS") return 2;
  if (leaf == "TLeafL" || leaf == "TLeafG") return 8;
  return 4;
}

bool is_unsigned(const TreeDescriptor& tree, const TreeBranch& branch) {
  return !branch.leaves.empty() && tree.leaves[branch.leaves.front()].is_unsigned;
}

std::uint64_t number_at(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (const std::byte byte : bytes) number = number << 8 | std::to_integer<std::uint64_t>(byte);
  return number;
}

std::span<const std::byte> entry_of(const BasketEntries& entries, std::uint32_t i) {
  if (entries.offsets.empty()) return entries.data.subspan(i * entries.entry_size(), entries.entry_size());
  return entries.data.subspan(entries.offsets[i], entries.offsets[i + 1] - entries.offsets[i]);
}

std::int64_t count_in(std::span<const std::byte> entry, std::size_t size, bool has_no_sign) {
  if (entry.size() < size) throw FormatError("an entry is too short for a count");
  const std::uint64_t number = number_at(entry.first(size));
  if (!has_no_sign && (number >> (8 * size - 1)) != 0) throw FormatError("a negative count");
  if (number >> 62 != 0) throw FormatError("an impossible count");
  return static_cast<std::int64_t>(number);
}

// With the byte at the end of texts in memory. Of an empty text nothing is stored.
std::int64_t room_of(std::span<const std::byte> entry) {
  if (entry.empty()) return 1;
  const auto first = std::to_integer<unsigned>(entry.front());
  if (first < kLongText) return first + 1;
  if (entry.size() < 5) throw FormatError("an entry is too short for a text");
  return static_cast<std::int64_t>(number_at(entry.subspan(1, 4))) + 1;
}

}  // namespace

std::unordered_set<std::uint32_t> counters_in(const TreeDescriptor& tree) {
  std::unordered_set<std::uint32_t> counters;
  for (const TreeLeaf& leaf : tree.leaves)
    if (leaf.counter) counters.insert(*leaf.counter);
  return counters;
}

KeptOfValues kept_of(const TreeDescriptor& tree, std::uint32_t branch,
                     const std::unordered_set<std::uint32_t>& counters) {
  const TreeBranch& own = tree.branches[branch];
  if (own.is_master()) return KeptOfValues::kLargestCount;
  const auto is_counter = [&](std::uint32_t leaf) { return counters.contains(leaf); };
  const auto has_text = [&](std::uint32_t leaf) { return tree.leaves[leaf].class_name == "TLeafC"; };
  const bool counts = std::any_of(own.leaves.begin(), own.leaves.end(), is_counter);
  const bool has_texts = std::any_of(own.leaves.begin(), own.leaves.end(), has_text);
  if (!counts && !has_texts) return KeptOfValues::kNothing;
  if (own.leaves.size() > 1) throw FormatError("one of its leaves is a counter or a text");
  const bool is_element = tree.leaves[own.leaves.front()].class_name == "TLeafElement";
  if (is_element && own.streamer_type != kCounter) return KeptOfValues::kNothing;
  return counts ? KeptOfValues::kLargestCount : KeptOfValues::kLongestText;
}

std::int64_t largest_in(const TreeDescriptor& tree, std::uint32_t branch, KeptOfValues kept,
                        const BasketEntries& entries) {
  if (kept == KeptOfValues::kNothing) return 0;
  const TreeBranch& own = tree.branches[branch];
  const std::size_t size = kept == KeptOfValues::kLargestCount ? count_size(tree, own) : 0;
  std::int64_t largest = 0;
  for (std::uint32_t i = 0; i < entries.num_entries; ++i) {
    const std::span<const std::byte> entry = entry_of(entries, i);
    largest = std::max(largest, size == 0 ? room_of(entry) : count_in(entry, size, is_unsigned(tree, own)));
  }
  return largest;
}

}  // namespace skimline::io
