// SPDX-License-Identifier: BSD-3-Clause
// Fields carried from files that lie.
#include "carrying.h"
#include "fuzz_time.h"
#include "memory_source.h"

#include "skimline/framework/error.h"

namespace skimline::io {
namespace {

// A list of floats with these ends.
void write_ends(const TemporaryFile& file, const std::vector<std::uint64_t>& ends, int num_items) {
  TableWriter out(file.path(), parse_compression("none"));
  const std::uint32_t outer =
      out.add_field("list", "std::vector<std::vector<float>>", FieldRole::kCollection);
  const std::size_t outer_ends = out.add_column(outer, ColumnType::kIndex64);
  const std::uint32_t inner = out.add_field("_0", "std::vector<float>", FieldRole::kCollection, outer);
  const std::size_t inner_ends = out.add_column(inner, ColumnType::kIndex64);
  const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, inner);
  for (int i = 0; i < num_items; ++i) out.put(items, 1.f);
  for (std::size_t entry = 0; entry < ends.size(); ++entry) {
    out.put(inner_ends, ends[entry]);
    out.put(outer_ends, std::uint64_t{entry + 1});
  }
  out.end_cluster(ends.size());
  out.finish();
}

TEST(CarryHostile, EndsOutOfOrderOrOfRange) {
  const TemporaryFile source({}), target({});
  const std::uint64_t most = ~std::uint64_t{0};
  for (const auto& ends : std::vector<std::vector<std::uint64_t>>{{1, 0, 2},
                                                                  {2, 1, 2, 2},
                                                                  {9, 9, 9},
                                                                  {1, 2, most},
                                                                  {most, most, most},
                                                                  {most, 0, 1},
                                                                  {0, most, 2},
                                                                  {2, 0, 0, 2}}) {
    write_ends(source, ends, 2);
    EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(ends.size())), FileError) << ends[0];
    for (std::size_t entry = 0; entry < ends.size(); ++entry) {
      try {
        carry({&source}, target, carrying_as("none"), all_but(ends.size(), entry));
        TableRows readable(target.path());
      } catch (const Error&) {
      }
    }
  }
  // Entries 0 and 2 take overlapping elements.
  write_ends(source, {10, 3, 8, 10}, 10);
  EXPECT_THROW(carry({&source}, target, carrying_as("none"), only(4, {0, 2})), FileError);
}

TEST(CarryHostile, VariantsOutOfOrderOrOfRange) {
  const TemporaryFile source({}), target({});
  const auto write = [&](const std::vector<SwitchElement>& elements) {
    TableWriter out(source.path(), parse_compression("none"));
    const std::uint32_t id =
        out.add_field("either", "std::variant<std::array<float,1000>>", FieldRole::kVariant);
    const std::size_t column = out.add_column(id, ColumnType::kSwitch);
    const std::uint32_t array = out.add_field("_0", "std::array<float,1000>", FieldRole::kPlain, id, 1000);
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, array);
    for (int i = 0; i < 2000; ++i) out.put(items, 1.f);
    for (const SwitchElement& element : elements) out.put(column, element);
    out.end_cluster(elements.size());
    out.finish();
  };
  write({{0, 1}, {0, 0}, {1, 1}});
  EXPECT_NO_THROW(carry({&source}, target, carrying_as("none"), all_of(3)));
  EXPECT_TRUE(has_rows(target, TableRows(source.path()).rows(), all_of(3)));
  const std::uint64_t most = ~std::uint64_t{0};
  for (const auto& elements : std::vector<std::vector<SwitchElement>>{{{0, 1}, {2, 1}},
                                                                      {{1, 1}, {0, 1}},
                                                                      {{0, 1}, {0, 1}},
                                                                      {{0, 2}},
                                                                      {{0, ~0u}},
                                                                      {{most, 1}},
                                                                      {{most - 1, 1}},
                                                                      {{most / 1000 + 1, 1}},
                                                                      {{std::uint64_t{1} << 61, 1}}}) {
    write(elements);
    EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(elements.size())), FileError)
        << elements[0].index << " " << elements[0].tag;
  }
  // A hundred thousand entries that claim the same thousand floats.
  write(std::vector<SwitchElement>(100'000, {0, 1}));
  EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(100'000)), FileError);
}

// Arrays of arrays of a column that was added after all entries.
void write_late_array(const TemporaryFile& file, std::uint64_t outer_size, std::uint64_t inner_size,
                      std::uint64_t num_entries, bool is_list) {
  TableWriter out(file.path(), parse_compression("zstd:1"));
  const std::size_t x = out.add_values("x", "bool", ColumnType::kBit);
  const std::uint32_t outer =
      out.add_field("outer", "", FieldRole::kPlain, TableWriter::kTopLevel, outer_size);
  const std::uint32_t inner = out.add_field("_0", "", FieldRole::kPlain, outer, inner_size);
  if (is_list) {
    const std::uint32_t list = out.add_field("_0", "std::vector<float>", FieldRole::kCollection, inner);
    out.defer(out.add_column(list, ColumnType::kIndex64), num_entries * outer_size * inner_size);
    out.add_values("_0", "float", ColumnType::kReal32, list);
  } else {
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, inner);
    out.defer(items, num_entries * outer_size * inner_size);
  }
  for (std::uint64_t entry = 0; entry < num_entries; ++entry) out.put(x, std::uint8_t{1});
  out.end_cluster(num_entries);
  out.finish();
}

TEST(CarryHostile, LateArraysOfAnySizeTakeBoundedMemory) {
  const TemporaryFile source({}), target({});
  const std::uint64_t most = ~std::uint64_t{0};
  for (const bool is_list : {false, true}) {
    write_late_array(source, 20, 30, 20'000, is_list);
    carry({&source}, target, carrying_as("zstd:1"), every(20'000, 2));
    EXPECT_TRUE(has_rows(target, TableRows(source.path()).rows(), every(20'000, 2)));
    for (const auto& [outer, inner] :
         std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1u << 20, 1u << 20},
                                                              {most, most},
                                                              {most / 2 + 1, 2},
                                                              {most, 1},
                                                              {1, most / 2},
                                                              {std::uint64_t{1} << 60, 1},
                                                              {1u << 12, 1u << 12}}) {
      write_late_array(source, outer, inner, 1000, is_list);
      EXPECT_THROW(carry({&source}, target, carrying_as("zstd:1"), all_of(1000)), Error)
          << outer << " times " << inner;
    }
  }
}

TEST(CarryHostile, ArraysInListsOfAnySize) {
  const TemporaryFile source({}), target({});
  const auto write = [&](std::uint64_t size, std::uint64_t num_items) {
    TableWriter out(source.path(), parse_compression("none"));
    const std::uint32_t list = out.add_field("list", "", FieldRole::kCollection);
    const std::size_t ends = out.add_column(list, ColumnType::kIndex64);
    const std::uint32_t array = out.add_field("_0", "", FieldRole::kPlain, list, size);
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, array);
    for (int i = 0; i < 4; ++i) out.put(items, 1.f);
    out.put(ends, num_items);
    out.end_cluster(1);
    out.finish();
  };
  write(2, 2);
  EXPECT_NO_THROW(carry({&source}, target, carrying_as("none"), all_of(1)));
  for (const auto& [size, num_items] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {2, 3}, {std::uint64_t{1} << 63, 2}, {std::uint64_t{1} << 62, 4}, {~std::uint64_t{0}, 3}}) {
    write(size, num_items);
    EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(1)), FileError) << size;
  }
}

TEST(CarryHostile, DamagedElementsWithRightChecksums) {
  const skimline::testing::FuzzTime time;
  std::mt19937_64 random(17);
  const TemporaryFile source({}), target({});
  int num_refused = 0, num_carried = 0;
  for (int round = 0; round < 60 || time.is_left(); ++round) {
    TableShape shape;
    shape.num_entries = round % 20 == 0 ? 20'000 : 1500;
    shape.cluster_entries = 600 + random() % 20'000;
    shape.seed = random();
    shape.compression = round % 2 == 0 ? "none" : "zstd:1";
    const std::uint64_t rarity = 1 + random() % 100;
    shape.damage = [&](std::size_t, std::vector<std::byte>& page) {
      if (random() % rarity != 0 || page.empty()) return;
      static constexpr unsigned char kValues[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
      for (std::uint64_t left = 1 + random() % 3; left > 0; --left)
        page[random() % page.size()] =
            static_cast<std::byte>(random() % 2 ? kValues[random() % 5] : random());
    };
    write_table(source, shape);
    const Pattern pattern =
        random() % 2 ? all_of(shape.num_entries) : random_runs(shape.num_entries, 1 + random() % 500, random);
    try {
      carry({&source}, target, carrying_as("zstd:1", 1 + random() % 2000), pattern);
    } catch (const Error&) {
      ++num_refused;
      continue;
    }
    ++num_carried;
    EXPECT_NO_THROW(TableRows(target.path())) << "seed " << shape.seed;
  }
  EXPECT_GT(num_refused, 5);
  EXPECT_GT(num_carried, 5);
}

}  // namespace
}  // namespace skimline::io
