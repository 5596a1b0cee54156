// SPDX-License-Identifier: BSD-3-Clause
#include "columns/joined_columns.h"

#include "skimline/io/format_error.h"

#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using Lists = std::vector<std::vector<int>>;
using Nested = std::vector<Lists>;

// A column and the memory behind it. Offsets need not begin with 0 in what a decoder hands out of a larger
// buffer, but do so here: it is the views of parts that do not.
struct Column {
  std::vector<int> values;
  std::vector<std::uint32_t> offsets{0}, inner_offsets{0};
  ColumnView view;
};

Column flat_column(const std::vector<int>& values) {
  Column column{values, {}, {}, {}};
  column.view = {flat(ScalarType::kInt32), values.size(), column.values.data()};
  return column;
}

Column jagged_column(const Lists& lists) {
  Column column;
  for (const auto& list : lists) {
    column.values.insert(column.values.end(), list.begin(), list.end());
    column.offsets.push_back(static_cast<std::uint32_t>(column.values.size()));
  }
  column.view = {jagged(ScalarType::kInt32), lists.size(), column.values.data(), column.offsets.data()};
  return column;
}

Column nested_column(const Nested& entries) {
  Column column;
  for (const Lists& lists : entries) {
    for (const auto& list : lists) {
      column.values.insert(column.values.end(), list.begin(), list.end());
      column.inner_offsets.push_back(static_cast<std::uint32_t>(column.values.size()));
    }
    column.offsets.push_back(static_cast<std::uint32_t>(column.inner_offsets.size() - 1));
  }
  column.view = {
      doubly_jagged(ScalarType::kInt32), entries.size(), column.values.data(), column.offsets.data(), false,
      column.inner_offsets.data()};
  return column;
}

std::vector<int> list_of(const ColumnView& view, const std::uint32_t* offsets, std::size_t i) {
  return {view.data<int>() + offsets[i], view.data<int>() + offsets[i + 1]};
}

Nested nested_of(const ColumnView& view) {
  EXPECT_EQ(view.offsets[0], 0u);
  EXPECT_EQ(view.inner_offsets[0], 0u);
  Nested entries(view.length);
  for (std::size_t entry = 0; entry < view.length; ++entry)
    for (std::uint32_t i = view.offsets[entry]; i < view.offsets[entry + 1]; ++i)
      entries[entry].push_back(list_of(view, view.inner_offsets, i));
  return entries;
}

Lists lists_of(const ColumnView& view) {
  EXPECT_EQ(view.offsets[0], 0u);
  Lists lists;
  for (std::size_t entry = 0; entry < view.length; ++entry)
    lists.push_back(list_of(view, view.offsets, entry));
  return lists;
}

// Lists with running numbers, many of them empty.
Lists some_lists(std::size_t count, std::mt19937& random, int& next) {
  Lists lists(count);
  for (auto& list : lists)
    for (auto left = random() % 4; left > 1; --left) list.push_back(next++);
  return lists;
}

template <typename T>
void append_part(const std::vector<T>& from, EntryRange range, std::vector<T>& to) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(range.first),
            from.begin() + static_cast<std::ptrdiff_t>(range.end()));
}

EntryRange some_range(std::size_t size, std::mt19937& random) {
  const std::uint64_t first = random() % (size + 1);
  return {first, random() % (size - first + 1)};
}

TEST(JoinedColumns, FlatPartsFollowEachOther) {
  const Column a = flat_column({1, 2, 3}), b = flat_column({}), c = flat_column({4, 5});
  const ColumnPiece pieces[] = {{a.view, {1, 2}}, {b.view, {0, 0}}, {c.view, {0, 1}}};
  ColumnBuffer scratch;
  const ColumnView view = joined(flat(ScalarType::kInt32), pieces, scratch);
  ASSERT_EQ(view.length, 3u);
  EXPECT_EQ(std::vector<int>(view.data<int>(), view.data<int>() + 3), (std::vector<int>{2, 3, 4}));
}

TEST(JoinedColumns, OnePartIsNoCopy) {
  const Column a = flat_column({1, 2, 3});
  const ColumnPiece piece[] = {{a.view, {1, 2}}};
  ColumnBuffer scratch;
  EXPECT_EQ(joined(flat(ScalarType::kInt32), piece, scratch).values, a.values.data() + 1);
  const Column b = jagged_column({{1}, {2, 3}, {4}});
  const ColumnPiece all[] = {{b.view, {0, 2}}}, last[] = {{b.view, {1, 2}}};
  EXPECT_EQ(joined(jagged(ScalarType::kInt32), all, scratch).offsets, b.offsets.data());
  const ColumnView view = joined(jagged(ScalarType::kInt32), last, scratch);
  EXPECT_EQ(view.values, b.values.data() + 1);
  EXPECT_EQ(lists_of(view), (Lists{{2, 3}, {4}}));
}

TEST(JoinedColumns, NothingIsAColumnToo) {
  ColumnBuffer scratch;
  const ColumnView view = joined(doubly_jagged(ScalarType::kInt32), {}, scratch);
  EXPECT_EQ(view.length, 0u);
  EXPECT_EQ(view.num_values(), 0u);
  EXPECT_EQ(nested_of(view), Nested{});
}

TEST(JoinedColumns, ListsKeepTheirValues) {
  std::mt19937 random(1);
  ColumnBuffer scratch;  // is used again, as it is from batch to batch
  for (int round = 0; round < 500; ++round) {
    int next = 0;
    std::vector<Lists> all;
    std::vector<Column> columns;
    for (std::size_t i = 0; i <= random() % 4; ++i) {
      all.push_back(some_lists(random() % 6, random, next));
      columns.push_back(jagged_column(all.back()));
    }
    std::vector<ColumnPiece> pieces;
    Lists expected;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      pieces.push_back({columns[i].view, some_range(all[i].size(), random)});
      append_part(all[i], pieces.back().range, expected);
    }
    const ColumnView view = joined(jagged(ScalarType::kInt32), pieces, scratch);
    ASSERT_EQ(view.length, expected.size());
    ASSERT_EQ(lists_of(view), expected) << round;
  }
}

TEST(JoinedColumns, ListsOfListsKeepTheirValues) {
  std::mt19937 random(2);
  ColumnBuffer scratch;
  for (int round = 0; round < 500; ++round) {
    int next = 0;
    std::vector<Nested> all;
    std::vector<Column> columns;
    for (std::size_t i = 0; i <= random() % 3; ++i) {
      Nested entries;
      for (std::size_t entry = 0; entry < random() % 5; ++entry)
        entries.push_back(some_lists(random() % 3, random, next));
      all.push_back(entries);
      columns.push_back(nested_column(entries));
    }
    std::vector<ColumnPiece> pieces;
    Nested expected;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      pieces.push_back({columns[i].view, some_range(all[i].size(), random)});
      append_part(all[i], pieces.back().range, expected);
    }
    const ColumnView view = joined(doubly_jagged(ScalarType::kInt32), pieces, scratch);
    ASSERT_EQ(nested_of(view), expected) << round;
  }
}

TEST(JoinedColumns, StringsAreViewsOfTheSameText) {
  const std::string_view a[] = {"one", ""}, b[] = {"three"};
  const Type type = flat(ScalarType::kString);
  const ColumnPiece pieces[] = {{{type, 2, a}, {0, 2}}, {{type, 1, b}, {0, 1}}};
  ColumnBuffer scratch;
  const ColumnView view = joined(type, pieces, scratch);
  EXPECT_EQ(view.data<std::string_view>()[0].data(), a[0].data());
  EXPECT_EQ(view.data<std::string_view>()[1], "");
  EXPECT_EQ(view.data<std::string_view>()[2], "three");
}

TEST(JoinedColumns, TooManyValuesAreRefused) {
  const std::uint32_t offsets[] = {0, 0x70000000};
  const ColumnView view{jagged(ScalarType::kUInt8), 1, nullptr, offsets};
  const ColumnPiece pieces[] = {{view, {0, 1}}, {view, {0, 1}}};
  ColumnBuffer scratch;
  EXPECT_THROW(joined(jagged(ScalarType::kUInt8), pieces, scratch), FormatError);
}

}  // namespace
}  // namespace skimline::io
