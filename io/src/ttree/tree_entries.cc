// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_entries.h"

#include "root/object_streaming.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kFirstBytes = 4096;
constexpr std::uint16_t kVectorVersion = 10;  // of the StreamerInfo, which ROOT writes in front of vectors
constexpr std::size_t kVectorHeader = 6;

template <typename T>
T swapped(T bits) {
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(bits);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(bits);
  return bits;
}

template <typename T>
void copy_swapped(const std::byte* from, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    T bits;
    std::memcpy(&bits, from + i * sizeof(T), sizeof(T));
    bits = swapped(bits);
    std::memcpy(to + i * sizeof(T), &bits, sizeof(T));
  }
}

// Numbers of any type, big-endian.
void copy_big(const void* numbers, std::size_t count, std::size_t size, std::byte* to) {
  const auto* from = static_cast<const std::byte*>(numbers);
  switch (size) {
    case 2:
      return copy_swapped<std::uint16_t>(from, count, to);
    case 4:
      return copy_swapped<std::uint32_t>(from, count, to);
    case 8:
      return copy_swapped<std::uint64_t>(from, count, to);
    default:
      if (count > 0) std::memcpy(to, from, count);
  }
}

std::byte* put(std::byte* to, std::uint32_t number) {
  copy_big(&number, 1, sizeof number, to);
  return to + sizeof number;
}

std::size_t string_size(std::string_view text) { return text.size() + (text.size() < 255 ? 1 : 5); }

std::byte* put(std::byte* to, std::string_view text) {
  if (text.size() < 255) {
    *to++ = static_cast<std::byte>(text.size());
  } else {
    *to++ = std::byte{255};
    to = put(to, static_cast<std::uint32_t>(text.size()));
  }
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// The first entry in which a number is not the size of the list.
std::optional<std::size_t> first_difference(ScalarType scalar, const ColumnView& counts,
                                            const ColumnView& lists) {
  std::optional<std::size_t> entry;
  visit_scalar(scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for (std::size_t i = 0; i < lists.length && !entry; ++i)
        if (!std::cmp_equal(counts.data<T>()[i], lists.offsets[i + 1] - lists.offsets[i])) entry = i;
  });
  return entry;
}

// What stands in front of the items of a std::vector; `size` bytes follow.
std::byte* put_vector_header(std::byte* to, std::size_t size, std::uint32_t num_items) {
  to = put(to, kByteCountBit | static_cast<std::uint32_t>(size + 2 + 4));
  copy_big(&kVectorVersion, 1, sizeof kVectorVersion, to);
  return put(to + sizeof kVectorVersion, num_items);
}

// Lists as std::vectors in a std::vector: the number of items in front of each, then these.
class StoredVectors {
 public:
  explicit StoredVectors(const ColumnView& column)
      : column_(column),
        has_strings_(column.type.scalar == ScalarType::kString),
        item_size_(size_of(column.type.scalar)) {}

  std::uint32_t num_items(int level, std::size_t list) const {
    const std::uint32_t* offsets = column_.offsets_at(level);
    return offsets[list + 1] - offsets[list];
  }

  std::size_t size_of_items(int level, std::size_t list) const {
    if (is_of_numbers(level)) return num_items(level, list) * item_size_;
    const std::uint32_t* offsets = column_.offsets_at(level);
    std::size_t size = 0;
    for (std::uint32_t i = offsets[list]; i < offsets[list + 1]; ++i)
      size +=
          is_innermost(level) ? string_size(text(i)) : sizeof(std::uint32_t) + size_of_items(level + 1, i);
    return size;
  }

  std::byte* put_items(int level, std::size_t list, std::byte* to) const {
    const std::uint32_t* offsets = column_.offsets_at(level);
    if (is_of_numbers(level)) {
      const std::size_t count = num_items(level, list);
      copy_big(column_.data<std::byte>() + offsets[list] * item_size_, count, item_size_, to);
      return to + count * item_size_;
    }
    for (std::uint32_t i = offsets[list]; i < offsets[list + 1]; ++i)
      to = is_innermost(level) ? put(to, text(i)) : put_items(level + 1, i, put(to, num_items(level + 1, i)));
    return to;
  }

 private:
  bool is_innermost(int level) const { return level + 1 == column_.type.depth; }
  bool is_of_numbers(int level) const { return is_innermost(level) && !has_strings_; }
  std::string_view text(std::size_t i) const { return column_.data<std::string_view>()[i]; }

  const ColumnView& column_;
  bool has_strings_;
  std::size_t item_size_;
};

}  // namespace

std::byte* GrowingBytes::extend(std::size_t count, BufferPool& pool) {
  if (size_ + count > capacity_) {
    const std::size_t capacity = std::max({kFirstBytes, 2 * capacity_, size_ + count});
    BufferPool::Buffer larger = pool.take(capacity);
    if (size_ > 0) std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
    capacity_ = capacity;
  }
  std::byte* room = memory_.get() + size_;
  size_ += count;
  return room;
}

TreeEntries::TreeEntries(const TreeLayout& layout)
    : layout_(layout),
      bytes_(layout.branches.size()),
      group_ends_(layout.groups.size()),
      object_ends_(layout.branches.size()),
      largest_counts_(layout.groups.size()),
      departures_(layout.groups.size(), std::numeric_limits<std::uint64_t>::max()) {}

void TreeEntries::append(std::span<const ColumnView> columns, std::size_t count, BufferPool& pool) {
  for (std::size_t group = 0; group < layout_.groups.size(); ++group) {
    check_sizes(group, columns);
    note_departure(group, columns);
    append_counts(group, columns, pool);
  }
  for (std::size_t i = 0; i < layout_.branches.size(); ++i) {
    const OutputBranch& branch = layout_.branches[i];
    if (!branch.column) continue;
    const ColumnView& column = columns[*branch.column];
    if (branch.kind == BranchKind::kStrings)
      append_strings(i, column, pool);
    else if (branch.kind == BranchKind::kVectors)
      append_vectors(i, column, pool);
    else
      copy_big(column.values, column.num_values(), branch.item_size(),
               bytes_[i].extend(column.num_values() * branch.item_size(), pool));
  }
  num_entries_ += count;
}

std::uint64_t TreeEntries::begin_of(std::size_t branch, std::uint64_t entry) const {
  const OutputBranch& output = layout_.branches[branch];
  if (output.kind == BranchKind::kNumbers) return entry * output.item_size();
  if (entry == 0) return 0;
  if (output.is_object()) return object_ends_[branch][entry - 1];
  return group_ends_[*output.group][entry - 1] * output.item_size();
}

std::uint64_t TreeEntries::bytes_before(std::uint64_t entry) const {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < layout_.branches.size(); ++i) {
    if (layout_.branches[i].is_fallback) continue;
    bytes += begin_of(i, entry);
    if (layout_.branches[i].has_offsets()) bytes += entry * sizeof(std::uint32_t);
  }
  return bytes;
}

void TreeEntries::append_counts(std::size_t group, std::span<const ColumnView> columns, BufferPool& pool) {
  const ColumnView& lists = columns[layout_.groups[group].columns.front()];
  std::vector<std::uint64_t>& ends = group_ends_[group];
  const std::uint64_t before = ends.empty() ? 0 : ends.back();
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < lists.length; ++i) {
    ends.push_back(before + lists.offsets[i + 1]);
    largest = std::max(largest, lists.offsets[i + 1] - lists.offsets[i]);
  }
  largest_counts_[group] = std::max<std::uint64_t>(largest_counts_[group], largest);
  const std::size_t branch = layout_.groups[group].count_branch;
  if (layout_.branches[branch].column) return;
  const std::size_t size = layout_.branches[branch].item_size();
  std::byte* to = bytes_[branch].extend(lists.length * size, pool);
  for (std::size_t i = 0; i < lists.length; ++i) {
    const std::uint32_t count = lists.offsets[i + 1] - lists.offsets[i];
    if (size > sizeof count) to = put(to, 0);  // the high half of 64 bits
    to = put(to, count);
  }
}

void TreeEntries::note_departure(std::size_t group, std::span<const ColumnView> columns) {
  const ListGroup& lists = layout_.groups[group];
  if (!lists.likely_count_branch || departures_[group] < num_entries_) return;
  const OutputBranch& branch = layout_.branches[*lists.likely_count_branch];
  const ColumnView& counts = columns[*branch.column];
  if (const auto entry = first_difference(branch.scalar, counts, columns[lists.columns.front()]))
    departures_[group] = num_entries_ + *entry;
}

// All lists have the sizes of the first, and so says the column of counts.
void TreeEntries::check_sizes(std::size_t group, std::span<const ColumnView> columns) {
  const std::vector<std::size_t>& members = layout_.groups[group].columns;
  const OutputBranch& counts = layout_.branches[layout_.groups[group].count_branch];
  const ColumnView& first = columns[members.front()];
  const auto name_of_column = [&](std::size_t column) {
    const auto found = std::find_if(layout_.branches.begin(), layout_.branches.end(),
                                    [&](const OutputBranch& branch) { return branch.column == column; });
    return "\"" + found->name + "\"";
  };
  for (const std::size_t member : members) {
    const ColumnView& other = columns[member];
    const auto size = [](const ColumnView& view, std::size_t i) {
      return std::to_string(view.offsets[i + 1] - view.offsets[i]);
    };
    const auto [a, b] = std::mismatch(first.offsets, first.offsets + first.length + 1, other.offsets);
    if (b == other.offsets + other.length + 1) continue;
    const auto entry = static_cast<std::size_t>(a - first.offsets) - 1;
    note_mismatch(entry, name_of_column(members.front()) + " and " + name_of_column(member) + " have " +
                             size(first, entry) + " and " + size(other, entry) + " values");
  }
  if (counts.column) check_counts(counts, columns[*counts.column], first);
}

void TreeEntries::check_counts(const OutputBranch& branch, const ColumnView& counts,
                               const ColumnView& lists) {
  const std::optional<std::size_t> entry = first_difference(branch.scalar, counts, lists);
  if (!entry) return;
  visit_scalar(branch.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      note_mismatch(*entry, "\"" + branch.name + "\" is " + std::to_string(counts.data<T>()[*entry]) +
                                ", and the lists it counts have " +
                                std::to_string(lists.offsets[*entry + 1] - lists.offsets[*entry]) +
                                " values");
  });
}

void TreeEntries::note_mismatch(std::size_t entry, const std::string& problem) {
  const std::uint64_t number = num_entries_ + entry;
  if (!mismatch_ || number < mismatch_->entry) mismatch_ = SizeMismatch{number, problem};
}

void TreeEntries::append_strings(std::size_t branch, const ColumnView& column, BufferPool& pool) {
  GrowingBytes& bytes = bytes_[branch];
  for (std::size_t i = 0; i < column.length; ++i) {
    const std::string_view text = column.data<std::string_view>()[i];
    put(bytes.extend(string_size(text), pool), text);
    object_ends_[branch].push_back(bytes.size());
  }
}

void TreeEntries::append_vectors(std::size_t branch, const ColumnView& column, BufferPool& pool) {
  GrowingBytes& bytes = bytes_[branch];
  const StoredVectors vectors(column);
  for (std::size_t i = 0; i < column.length; ++i) {
    const std::size_t size = vectors.size_of_items(0, i);
    std::byte* to = bytes.extend(kVectorHeader + sizeof(std::uint32_t) + size, pool);
    vectors.put_items(0, i, put_vector_header(to, size, vectors.num_items(0, i)));
    object_ends_[branch].push_back(bytes.size());
  }
}

}  // namespace skimline::io
