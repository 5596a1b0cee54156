// SPDX-License-Identifier: BSD-3-Clause
// Pages of which no entry survives are not decoded, and what was decoded does not depend on threads.
#include "memory_source.h"
#include "table_file.h"
#include "test_data.h"

#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using skimline::testing::CollectingSink;
using testing::TableWriter;

constexpr std::uint64_t kEntries = 50'000;
constexpr std::uint64_t kClusters = 2;
constexpr std::uint64_t kBatch = 4096;

std::uint64_t list_size(std::uint64_t entry) { return entry % 4; }

// x is the entry; y a real; z a list of reals, of 0 to 3.
class LateDecoding : public ::testing::Test {
 protected:
  void SetUp() override { write(600); }

  void write(std::size_t page_bytes) {
    TableWriter out(file_.path(), parse_compression("none"));
    out.page_bytes = page_bytes;
    const std::size_t x = out.add_values("x", "std::int32_t", ColumnType::kInt32);
    const std::size_t y = out.add_values("y", "double", ColumnType::kReal64);
    const auto list = out.add_field("z", "std::vector<float>", FieldRole::kCollection);
    const std::size_t ends = out.add_column(list, ColumnType::kIndex64);
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, list);
    for (std::uint64_t cluster = 0; cluster < kClusters; ++cluster) {
      const std::uint64_t size = kEntries / kClusters;
      for (std::uint64_t entry = cluster * size; entry < (cluster + 1) * size; ++entry) {
        out.put(x, static_cast<std::int32_t>(entry));
        out.put(y, static_cast<double>(entry) / 3);
        for (std::uint64_t i = 0; i < list_size(entry); ++i) out.put(items, static_cast<float>(entry + i));
        out.put(ends, out.count(items));
      }
      out.end_cluster(size);
    }
    out.finish();
  }

  // Entries of `survivors` through a run, and what it read.
  struct Outcome {
    ReadStatistics read;
    CollectingSink::Rows x, y, z;
  };
  Outcome run_over(const std::string& where, std::uint64_t slice_entries, int threads) const {
    RNTupleSource source({{file_.path(), ""}}, {.slice_entries = slice_entries});
    CollectingSink sink;
    PlanBuilder builder(source.schema());
    builder.write(builder.select(kAllEntries, where), {"x", "y", "z"}, sink);
    RunOptions options;
    options.threads = threads;
    run(std::move(builder).build(), source, options);
    if (sink.columns.empty()) return {source.statistics(), {}, {}, {}};
    return {source.statistics(), sink.columns[0], sink.columns[1], sink.columns[2]};
  }

  const TemporaryFile file_{{}};
};

// Pages, in the plainest way: of every page, whether it is needed. Column numbers are those of the file.
struct Expected {
  std::uint64_t decoded = 0;
  std::uint64_t skipped = 0;
};

template <typename Survives>
Expected expected_pages(const RNTupleDescriptor& descriptor, std::uint64_t slice_entries, Survives survives) {
  Expected expected;
  for (const ClusterDescriptor& cluster : descriptor.clusters) {
    std::vector<std::uint64_t> values_before{0};  // in the cluster, by entry
    for (std::uint64_t entry = 0; entry < cluster.num_entries; ++entry)
      values_before.push_back(values_before.back() + list_size(cluster.first_entry + entry));
    const std::uint64_t num_slices = (cluster.num_entries - 1) / slice_entries + 1;
    const std::uint64_t larger = cluster.num_entries % num_slices;
    // By element: 0 not needed, 1 needed.
    std::vector<std::vector<bool>> needed(4);
    for (int column = 0; column < 3; ++column) needed[column].assign(cluster.num_entries, column == 0);
    needed[3].assign(values_before.back(), false);
    std::uint64_t first = 0;
    for (std::uint64_t slice = 0; slice < num_slices; ++slice) {
      const std::uint64_t end = first + cluster.num_entries / num_slices + (slice < larger ? 1 : 0);
      for (std::uint64_t begin = first; begin < end; begin += kBatch) {
        bool is_alive = false;
        for (std::uint64_t entry = begin; entry < std::min(begin + kBatch, end); ++entry)
          is_alive |= survives(cluster.first_entry + entry);
        if (!is_alive) continue;
        const std::uint64_t last = std::min(begin + kBatch, end);
        std::fill(needed[1].begin() + static_cast<std::ptrdiff_t>(begin),
                  needed[1].begin() + static_cast<std::ptrdiff_t>(last), true);
        std::fill(needed[3].begin() + static_cast<std::ptrdiff_t>(values_before[begin]),
                  needed[3].begin() + static_cast<std::ptrdiff_t>(values_before[last]), true);
        // Ends are decoded for whole slices, and the one before.
        std::fill(needed[2].begin() + static_cast<std::ptrdiff_t>(first == 0 ? 0 : first - 1),
                  needed[2].begin() + static_cast<std::ptrdiff_t>(end), true);
      }
      first = end;
    }
    for (std::size_t column = 0; column < 4; ++column) {
      std::uint64_t begin = 0;
      for (const PageInfo& page : cluster.columns[column].pages) {
        bool is_needed = false;
        for (std::uint64_t i = begin; i < begin + page.num_elements; ++i) is_needed |= needed[column][i];
        ++(is_needed ? expected.decoded : expected.skipped);
        begin += page.num_elements;
      }
    }
  }
  return expected;
}

TEST_F(LateDecoding, only_pages_of_batches_with_survivors_are_decoded) {
  const RNTupleDescriptor descriptor = RNTupleSource({{file_.path(), ""}}).descriptors().front();
  const auto survives = [](std::uint64_t entry) {
    return entry == 3 || (entry >= 9'990 && entry < 10'010) || entry == 40'000;
  };
  for (const std::uint64_t slice_entries : {1000u, 9000u, 65536u}) {
    const Expected expected = expected_pages(descriptor, slice_entries, survives);
    EXPECT_GT(expected.skipped, 300u);
    for (const int threads : {1, 2, 5}) {
      const Outcome outcome =
          run_over("x == 3 || (x >= 9990 && x < 10010) || x == 40000", slice_entries, threads);
      EXPECT_EQ(outcome.read.pages_decoded, expected.decoded) << slice_entries << " " << threads;
      EXPECT_EQ(outcome.read.pages_skipped, expected.skipped) << slice_entries << " " << threads;
      ASSERT_EQ(outcome.x.size(), 22u);
      for (std::size_t i = 0; i < outcome.x.size(); ++i) {
        const double x = outcome.x[i].at(0);
        EXPECT_EQ(outcome.y[i], std::vector<double>{x / 3});
        std::vector<double> list(list_size(static_cast<std::uint64_t>(x)));
        for (std::size_t k = 0; k < list.size(); ++k)
          list[k] = static_cast<float>(x + static_cast<double>(k));
        EXPECT_EQ(outcome.z[i], list);
      }
    }
  }
}

TEST_F(LateDecoding, pages_are_counted_once_if_all_survive) {
  const RNTupleDescriptor descriptor = RNTupleSource({{file_.path(), ""}}).descriptors().front();
  std::uint64_t num_pages = 0, bytes = 0;
  for (const ClusterDescriptor& cluster : descriptor.clusters)
    for (const ColumnRange& column : cluster.columns) {
      num_pages += column.pages.size();
      for (const PageInfo& page : column.pages) bytes += page.locator.size;
    }
  for (const int threads : {1, 3}) {
    const Outcome outcome = run_over("x >= 0", 777, threads);
    EXPECT_EQ(outcome.x.size(), kEntries);
    EXPECT_EQ(outcome.read.pages_decoded, num_pages);
    EXPECT_EQ(outcome.read.bytes_decoded, bytes) << "not compressed, and every element as it is in memory";
    EXPECT_EQ(outcome.read.pages_skipped, 0u);
    EXPECT_EQ(outcome.read.bytes_skipped, 0u);
  }
}

TEST_F(LateDecoding, columns_that_no_slice_loads_are_not_used) {
  const Outcome outcome = run_over("x < 0", 1000, 2);
  EXPECT_EQ(outcome.read.pages_decoded, kClusters * ((kEntries / kClusters - 1) / 150 + 1));
  EXPECT_EQ(outcome.read.pages_skipped, 0u);
}

TEST_F(LateDecoding, every_page_of_a_skim_is_decoded_passed_or_skipped) {
  write(64 * 1024);
  RNTupleSource counted({{file_.path(), ""}});
  std::uint64_t num_pages = 0;
  for (const ClusterDescriptor& cluster : counted.descriptors().front().clusters)
    for (const ColumnRange& column : cluster.columns) num_pages += column.pages.size();
  for (const char* where : {"x >= 0", "x >= 25000", "x == 7"}) {
    std::optional<ReadStatistics> first;
    for (const int threads : {1, 2, 5}) {
      RNTupleSource source({{file_.path(), ""}}, {.slice_entries = 4000});
      const TemporaryFile target({});
      RNTupleSinkOptions options;
      options.path = target.path();
      options.settings.compression = parse_compression("none");
      RNTupleSink sink(source.carry({"x", "y", "z"}).fields, Schema(), options);
      PlanBuilder builder(source.schema());
      builder.write(builder.select(kAllEntries, where), {}, sink);
      RunOptions run_options;
      run_options.threads = threads;
      run(std::move(builder).build(), source, run_options);
      sink.finish();
      const ReadStatistics read = source.statistics();
      if (!first) first = read;
      EXPECT_EQ(read.pages_passed, sink.statistics().num_pages_copied) << where;
      EXPECT_EQ(read.pages_decoded, first->pages_decoded) << where << " " << threads;
      EXPECT_EQ(read.pages_passed, first->pages_passed) << where << " " << threads;
      EXPECT_EQ(read.pages_skipped, first->pages_skipped) << where << " " << threads;
      EXPECT_EQ(read.bytes_skipped, first->bytes_skipped) << where << " " << threads;
      EXPECT_GE(read.pages_decoded + read.pages_passed + read.pages_skipped, num_pages) << where;
    }
    EXPECT_EQ(first->pages_skipped > 0, std::string(where) != "x >= 0") << where;
    EXPECT_EQ(first->pages_passed > 0, std::string(where) != "x == 7") << where;
    EXPECT_LT(first->pages_skipped, num_pages);
  }
}

}  // namespace
}  // namespace skimline::io
