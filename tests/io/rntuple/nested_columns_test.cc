// SPDX-License-Identifier: BSD-3-Clause
// Columns of lists of lists and of strings, whose collection ends may lie.
#include "table_file.h"
#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/io/rntuple_source.h"

#include <numeric>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using testing::TableWriter;
using Ends = std::vector<std::uint64_t>;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

// A list of lists of floats 0, 1, 2 ... with these ends.
void write_lists(const TemporaryFile& file, const Ends& outer, const Ends& inner, int num_items) {
  TableWriter out(file.path(), parse_compression("none"));
  const auto list = out.add_field("lists", "std::vector<std::vector<float>>", FieldRole::kCollection);
  const std::size_t outer_ends = out.add_column(list, ColumnType::kIndex64);
  const auto item = out.add_field("_0", "std::vector<float>", FieldRole::kCollection, list);
  const std::size_t inner_ends = out.add_column(item, ColumnType::kIndex64);
  const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, item);
  for (const std::uint64_t end : outer) out.put(outer_ends, end);
  for (const std::uint64_t end : inner) out.put(inner_ends, end);
  for (int i = 0; i < num_items; ++i) out.put(items, static_cast<float>(i));
  out.end_cluster(outer.size());
  out.finish();
}

// Strings with these ends and as many characters.
void write_strings(const TemporaryFile& file, const Ends& ends, int num_characters) {
  TableWriter out(file.path(), parse_compression("none"));
  out.page_bytes = 64;
  const auto text = out.add_field("text", "std::string");
  const std::size_t index = out.add_column(text, ColumnType::kIndex64);
  const std::size_t characters = out.add_column(text, ColumnType::kChar);
  for (const std::uint64_t end : ends) out.put(index, end);
  for (int i = 0; i < num_characters; ++i) out.put(characters, static_cast<char>('a' + i % 26));
  out.end_cluster(ends.size());
  out.finish();
}

// All entries of the only column, as sums of list contents or as text, in slices and batches of these sizes.
std::vector<std::string> read(const TemporaryFile& file, std::uint64_t slice, std::uint64_t batch) {
  RNTupleSource source({{file.path(), ""}}, {slice, 65536});
  std::vector<std::string> rows;
  ColumnBuffer scratch;
  const std::size_t column = 0;
  for (std::size_t number = 0; number < source.slices().size(); ++number) {
    const std::unique_ptr<SliceReader> reader = source.open_slice(number);
    reader->load(std::span(&column, 1));
    for (std::uint64_t first = 0; first < source.slices()[number].count; first += batch) {
      const std::uint64_t count = std::min(batch, source.slices()[number].count - first);
      const ColumnView view = reader->view(column, {first, count}, scratch);
      for (std::size_t entry = 0; entry < count; ++entry) {
        std::string& row = rows.emplace_back();
        if (view.type.scalar == ScalarType::kString) {
          row = view.data<std::string_view>()[entry];
          continue;
        }
        for (std::uint32_t list = view.offsets[entry]; list < view.offsets[entry + 1]; ++list) {
          row += "[";
          for (std::uint32_t i = view.inner_offsets[list]; i < view.inner_offsets[list + 1]; ++i)
            row += std::to_string(static_cast<int>(view.data<float>()[i])) + " ";
          row += "]";
        }
      }
    }
  }
  return rows;
}

TEST(NestedColumns, list_of_lists_by_entry_whatever_the_slices) {
  const TemporaryFile file({});
  write_lists(file, {2, 2, 3, 5}, {1, 3, 3, 4, 6}, 6);
  const std::vector<std::string> expected{"[0 ][1 2 ]", "", "[]", "[3 ][4 5 ]"};
  for (const std::uint64_t slice : {1, 2, 3, 4})
    for (const std::uint64_t batch : {1, 2, 4}) EXPECT_EQ(read(file, slice, batch), expected);
}

// The ends of the outer and inner lists are the same bytes of the file, but count different things.
TEST(NestedColumns, equal_pages_of_outer_and_inner_ends_are_kept_apart) {
  const TemporaryFile file({});
  write_lists(file, {1, 3, 3}, {1, 3, 3}, 3);
  const std::vector<std::string> uneven{"[0 ]", "[1 2 ][]", ""};
  for (const std::uint64_t size : {1, 2, 3}) EXPECT_EQ(read(file, size, size), uneven);
  write_lists(file, {1, 2, 3}, {1, 2, 3}, 3);
  const std::vector<std::string> expected{"[0 ]", "[1 ]", "[2 ]"};
  EXPECT_EQ(read(file, 1, 1), expected);
  EXPECT_EQ(read(file, 2, 1), expected);
  EXPECT_EQ(read(file, 3, 3), expected);
}

TEST(NestedColumns, ends_of_lists_that_lie_are_errors) {
  const TemporaryFile file({});
  struct Lie {
    Ends outer, inner;
  };
  for (const auto& [outer, inner] : std::vector<Lie>{{{2, 1, 3}, {1, 2, 3}},
                                                     {{1, 2, 4}, {1, 2, 3}},
                                                     {{1, 2, kMost}, {1, 2, 3}},
                                                     {{kMost, kMost, kMost}, {1, 2, 3}},
                                                     {{kMost, 1, 3}, {1, 2, 3}},
                                                     {{1, 2, 3}, {2, 1, 3}},
                                                     {{1, 2, 3}, {1, 2, 4}},
                                                     {{1, 2, 3}, {1, kMost, 3}},
                                                     {{1, 2, 3}, {1, 2, kMost}},
                                                     {{3, 3, 3}, {kMost, kMost, kMost}},
                                                     {{1, 2, 3}, {kMost - 1, kMost, 0}},
                                                     {{1, 2, 3}, {3, 0, 3}}}) {
    write_lists(file, outer, inner, 3);
    EXPECT_THROW(read(file, 100, 100), FileError) << outer[0] << " " << inner[0];
    EXPECT_THROW(read(file, 1, 1), FileError) << outer[0] << " " << inner[0];
    EXPECT_THROW(read(file, 2, 2), FileError) << outer[0] << " " << inner[0];
  }
}

TEST(NestedColumns, offsets_that_need_more_than_31_bits_are_errors) {
  const TemporaryFile file({});
  // Ends of 2^31 values are possible only if as many are stored; ends alone may claim them.
  write_lists(file, {1, 2, 3}, {0x7fffffff, 0x100000000, 0x100000001}, 3);
  EXPECT_THROW(read(file, 3, 3), FileError);
}

// As many arrays that the number of their elements begins again at 0.
TEST(NestedColumns, arrays_beyond_any_count_are_errors) {
  const TemporaryFile file({});
  const auto write_arrays = [&](const Ends& ends) {
    TableWriter out(file.path(), parse_compression("none"));
    const auto list = out.add_field("lists", "std::vector<std::array<float,4>>", FieldRole::kCollection);
    const std::size_t index = out.add_column(list, ColumnType::kIndex64);
    const auto item = out.add_field("_0", "std::array<float,4>", FieldRole::kPlain, list, 4);
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, item);
    for (const std::uint64_t end : ends) out.put(index, end);
    for (int i = 0; i < 8; ++i) out.put(items, static_cast<float>(i));
    out.end_cluster(ends.size());
    out.finish();
  };
  write_arrays({1, 2});
  EXPECT_EQ(read(file, 1, 1), (std::vector<std::string>{"[0 1 2 3 ]", "[4 5 6 7 ]"}));
  // Any slice that holds the first entry is refused for the lists' size already: the second is read alone.
  constexpr std::uint64_t kWrapped = std::uint64_t{1} << 62;
  write_arrays({kWrapped, kWrapped + 1});
  RNTupleSource source({{file.path(), ""}}, {1, 65536});
  const std::size_t column = 0;
  const std::unique_ptr<SliceReader> reader = source.open_slice(1);
  EXPECT_THROW(reader->load(std::span(&column, 1)), FileError);
}

TEST(NestedColumns, strings_that_pages_part_are_whole) {
  const TemporaryFile file({});
  std::string text;
  for (int i = 0; i < 500; ++i) text += static_cast<char>('a' + i % 26);
  const Ends ends{0, 3, 3, 70, 71, 300, 499, 500};
  write_strings(file, ends, 500);
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < ends.size(); ++i)
    expected.push_back(text.substr(i == 0 ? 0 : ends[i - 1], ends[i] - (i == 0 ? 0 : ends[i - 1])));
  for (const std::uint64_t slice : {1, 3, 8})
    for (const std::uint64_t batch : {1, 2, 8}) EXPECT_EQ(read(file, slice, batch), expected);
}

TEST(NestedColumns, ends_of_strings_that_lie_are_errors) {
  const TemporaryFile file({});
  for (const Ends& ends : std::vector<Ends>{
           {2, 1, 3}, {1, 2, 4}, {1, 2, kMost}, {kMost, 1, 3}, {kMost, kMost, kMost}, {1, 4, 3}}) {
    write_strings(file, ends, 3);
    EXPECT_THROW(read(file, 100, 100), FileError) << ends[0];
    EXPECT_THROW(read(file, 1, 1), FileError) << ends[0];
  }
}

TEST(NestedColumns, arrays_that_no_batch_can_hold_are_no_columns) {
  const TemporaryFile file({});
  const auto reason_of = [&](std::uint64_t outer_size, std::uint64_t inner_size, bool is_in_lists = false) {
    TableWriter out(file.path(), parse_compression("none"));
    auto parent = TableWriter::kTopLevel;
    if (is_in_lists) {
      parent = out.add_field("lists", "std::vector", FieldRole::kCollection, parent);
      out.add_column(parent, ColumnType::kIndex64);
    }
    const auto outer = out.add_field("array", "std::array<float>", FieldRole::kPlain, parent, outer_size);
    const auto inner = out.add_field("_0", "std::array<float>", FieldRole::kPlain, outer, inner_size);
    out.add_values("_0", "float", ColumnType::kReal32, inner);
    out.end_cluster(0);
    out.finish();
    const RNTupleSource source({{file.path(), ""}});
    return source.unsupported_fields().empty() ? "" : source.unsupported_fields().front().reason;
  };
  EXPECT_EQ(reason_of(2, 3), "");
  EXPECT_EQ(reason_of(0, 3), "array without elements");
  EXPECT_EQ(reason_of(3, 0), "array without elements");
  EXPECT_EQ(reason_of(65536, 32768), "array of more than 2147483647 elements");
  EXPECT_EQ(reason_of(kMost, 2), "array of more than 2147483647 elements");
  EXPECT_EQ(reason_of(2, kMost), "array of more than 2147483647 elements");
  EXPECT_EQ(reason_of(2, 3, true), "");
  EXPECT_EQ(reason_of(65536, 32768, true), "array of more than 2147483647 elements");
}

}  // namespace
}  // namespace skimline::io
