// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_source.h"

#include "test_data.h"

#include "skimline/framework/error.h"

#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr const char* kMuons = "Run2012BC_DoubleMuParked_Muons_1000evts_rntuple_v1-0-0-0.root";

// The bytes of all values and list sizes of a slice, column after column.
std::vector<std::string> read_slice(RNTupleSource& source, std::size_t slice, std::uint64_t batch) {
  std::vector<std::size_t> columns(source.schema().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
  reader->load(columns);
  std::vector<std::string> content(columns.size());
  ColumnBuffer scratch;
  const std::uint64_t count = source.slices()[slice].count;
  for (const std::size_t column : columns) {
    for (std::uint64_t first = 0; first < count; first += batch) {
      const ColumnView view = reader->view(column, {first, std::min(batch, count - first)}, scratch);
      for (std::size_t i = 0; view.type.is_jagged() && i < view.length; ++i)
        content[column] += std::to_string(view.offsets[i + 1] - view.offsets[i]) + ' ';
      if (view.num_values() != 0)
        content[column].append(static_cast<const char*>(view.values),
                               view.num_values() * size_of(view.type.scalar));
    }
  }
  return content;
}

std::vector<std::string> read_source(const std::string& path, std::uint64_t slice_entries = 65536) {
  RNTupleSource source({{path, ""}}, {slice_entries, 65536});
  std::vector<std::string> all(source.schema().size());
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    const std::vector<std::string> content = read_slice(source, slice, 1);
    for (std::size_t column = 0; column < all.size(); ++column) all[column] += content[column];
  }
  return all;
}

TEST(RNTupleSource, slices_cover_all_entries_and_do_not_change_values) {
  const std::string path = test_data(kMuons);
  SKIMLINE_NEED_TEST_DATA(path);
  const std::vector<std::string> whole = read_source(path);
  for (const std::uint64_t slice_entries : {1, 7, 100, 999})
    EXPECT_EQ(read_source(path, slice_entries), whole);
  RNTupleSource source({{path, ""}}, {100, 65536});
  std::uint64_t next = 0;
  for (const EntryRange& slice : source.slices()) {
    EXPECT_EQ(slice.first, next);
    EXPECT_GT(slice.count, 0u);
    next = slice.end();
  }
  EXPECT_EQ(next, source.num_entries());
}

TEST(RNTupleSource, pages_are_decoded_once_for_all_slices) {
  const std::string path = test_data(kMuons);
  SKIMLINE_NEED_TEST_DATA(path);
  const auto pages_decoded = [&](std::uint64_t slice_entries, bool is_parallel) {
    RNTupleSource source({{path, ""}}, {slice_entries, 65536});
    std::vector<std::thread> threads;
    for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
      if (is_parallel)
        threads.emplace_back([&source, slice] { read_slice(source, slice, 64); });
      else
        read_slice(source, slice, 64);
    }
    for (std::thread& thread : threads) thread.join();
    return source.statistics().pages_decoded;
  };
  const std::uint64_t expected = pages_decoded(65536, false);
  EXPECT_EQ(pages_decoded(100, false), expected);
  EXPECT_EQ(pages_decoded(250, true), expected);
}

TEST(RNTupleSource, pages_are_decoded_once_if_few_slices_are_read) {
  const std::string path = test_data(kMuons);
  SKIMLINE_NEED_TEST_DATA(path);
  const auto pages_decoded = [&](std::size_t every) {
    RNTupleSource source({{path, ""}}, {10, 65536});
    EXPECT_EQ(source.slices().size(), 100u);
    for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
      if (slice % every == 0)
        read_slice(source, slice, 64);
      else
        source.open_slice(slice);
    }
    return source.statistics().pages_decoded;
  };
  const std::uint64_t expected = pages_decoded(1);
  EXPECT_EQ(pages_decoded(5), expected);
  EXPECT_EQ(pages_decoded(49), expected);
}

TEST(RNTupleSource, columns_of_one_collection_share_their_offsets) {
  const std::string path = test_data(kMuons);
  SKIMLINE_NEED_TEST_DATA(path);
  RNTupleSource source({{path, ""}});
  std::vector<std::size_t> jagged_columns;
  for (std::size_t i = 0; i < source.schema().size(); ++i)
    if (source.schema()[i].type.is_jagged()) jagged_columns.push_back(i);
  ASSERT_GT(jagged_columns.size(), 1u);
  const std::unique_ptr<SliceReader> reader = source.open_slice(0);
  reader->load(jagged_columns);
  ColumnBuffer first, second;
  const ColumnView a = reader->view(jagged_columns[0], {10, 20}, first);
  const ColumnView b = reader->view(jagged_columns[1], {10, 20}, second);
  EXPECT_EQ(a.offsets[0], 0u);
  EXPECT_EQ(a.offsets, b.offsets);
}

TEST(RNTupleSource, a_chain_repeats_the_entries_and_says_which_columns_differ) {
  const std::string path = test_data(kMuons);
  const std::string other = test_data("test_int_float_rntuple_v1-0-0-0.root");
  SKIMLINE_NEED_TEST_DATA(path);
  RNTupleSource chain({{path, ""}, {path, ""}});
  const std::size_t half = chain.slices().size() / 2;
  EXPECT_EQ(chain.slices()[half].first, chain.num_entries() / 2);
  EXPECT_EQ(read_slice(chain, 0, 50), read_slice(chain, half, 50));
  const RNTupleSource mixed({{path, ""}, {other, ""}});
  EXPECT_EQ(mixed.schema().size(), 0u);
  for (const UnsupportedField& field : mixed.unsupported_fields()) EXPECT_TRUE(field.is_different);
  EXPECT_FALSE(mixed.unsupported_fields().empty());
}

TEST(RNTupleSource, sources_of_files_with_one_schema_find_their_columns_once) {
  const std::string path = test_data(kMuons);
  const std::string other = test_data("test_int_float_rntuple_v1-0-0-0.root");
  SKIMLINE_NEED_TEST_DATA(path);
  const RNTupleSource one({{path, ""}}), two({{path, ""}, {path, ""}});
  EXPECT_EQ(&one.schema(), &two.schema());
  const RNTupleSource mixed({{other, ""}, {path, ""}}), different({{other, ""}});
  EXPECT_EQ(mixed.schema().size(), 0u);
  EXPECT_GT(different.schema().size(), 0u);
  EXPECT_NE(different.schema().names(), one.schema().names());
  InputOptions options;
  options.defaults = {{"not_there", 1.5}};
  const RNTupleSource with_default({{path, ""}}, options);
  EXPECT_EQ(with_default.schema().size(), one.schema().size() + 1);
  EXPECT_FALSE(one.schema().find("not_there"));
  RNTupleSource first({{path, ""}}), second({{path, ""}});
  EXPECT_EQ(read_slice(first, 0, 50), read_slice(second, 0, 50));
}

TEST(RNTupleSource, slices_know_their_file_as_it_was_given) {
  const std::string path = test_data(kMuons);
  SKIMLINE_NEED_TEST_DATA(path);
  const std::string same = std::filesystem::path(path).parent_path().string() + "/./" + kMuons;
  RNTupleSource chain({{path, ""}, {same, ""}});
  EXPECT_EQ(chain.open_slice(0)->file(), path);
  EXPECT_EQ(chain.open_slice(chain.slices().size() - 1)->file(), same);
}

TEST(RNTupleSource, stored_bytes_are_those_of_the_pages_a_column_needs) {
  const std::string path = test_data(kMuons);
  SKIMLINE_NEED_TEST_DATA(path);
  const RNTupleSource once({{path, ""}});
  const RNTupleSource twice({{path, ""}, {path, ""}});
  const RNTupleDescriptor& descriptor = once.descriptors().front();
  const std::vector<std::string> paths = descriptor.field_paths();
  const auto bytes_of = [&](const std::string& field) {
    std::uint64_t bytes = 0;
    for (std::size_t column = 0; column < descriptor.columns.size(); ++column)
      for (const ClusterDescriptor& cluster : descriptor.clusters)
        for (const PageInfo& page : cluster.columns[column].pages)
          if (paths[descriptor.columns[column].field] == field) bytes += page.locator.size + 8;
    return bytes;
  };
  // The file has them as projections of one collection.
  for (const char* name : {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge", "nMuon"}) {
    const std::uint64_t expected =
        bytes_of("_collection0") + bytes_of("_collection0._0." + std::string(name));
    EXPECT_EQ(once.stored_bytes(*once.schema().find(name)), expected) << name;
    EXPECT_EQ(twice.stored_bytes(*once.schema().find(name)), 2 * expected) << name;
  }
  EXPECT_GT(bytes_of("_collection0"), 0u);
  EXPECT_GT(bytes_of("_collection0._0.Muon_pt"), 0u);
}

TEST(RNTupleSource, locations_are_path_and_name) {
  EXPECT_EQ(parse_location("a.root:Events").name, "Events");
  EXPECT_EQ(parse_location("a.root:dir/Events").path, "a.root");
  EXPECT_EQ(parse_location("a.root").name, "");
  EXPECT_EQ(parse_location("b:c/a.root").path, "b:c/a.root");
}

// Reads everything, or nothing if an Error says why not.
std::optional<std::vector<std::string>> try_read(const std::string& path) {
  try {
    return read_source(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(RNTupleSource, damaged_files_give_the_same_values_or_an_error) {
  int num_errors = 0;
  for (const char* name :
       {"test_int_vfloat_tlv_vtlv_rntuple_v1-0-0-0.root", "test_extension_columns_rntuple_v1-0-0-0.root",
        "test_1jag_int_float_rntuple_v1-0-0-0.root"}) {
    const std::string path = test_data(name);
    SKIMLINE_NEED_TEST_DATA(path);
    const std::vector<std::string> good = read_source(path);
    std::vector<char> content = read_all(path);
    std::mt19937 generator(11);
    const TemporaryFile damaged(content);
    for (std::size_t i = 0; i < content.size(); ++i) {
      const char before = content[i];
      content[i] = static_cast<char>(before ^ (1 << generator() % 8));
      damaged.write(content);
      const auto read = try_read(damaged.path());
      if (read) {
        ASSERT_EQ(*read, good) << name << " byte " << i;
      }
      num_errors += !read;
      content[i] = before;
    }
    for (std::size_t size = 0; size < content.size(); size += 13) {
      damaged.write({content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size)});
      EXPECT_FALSE(try_read(damaged.path())) << name << " cut to " << size;
    }
  }
  EXPECT_GT(num_errors, 1000);
}

}  // namespace
}  // namespace skimline::io
