// SPDX-License-Identifier: BSD-3-Clause
// Sources of which only a range of entries is read, against the same entries of all.
#include "carrying.h"

#include "skimline/framework/runner.h"

#include <cstring>
#include <limits>
#include <numeric>

namespace skimline::io {
namespace {

constexpr std::uint64_t kEntries = 30'000;  // of each file
constexpr std::uint64_t kClusterEntries = 12'000;
constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

using Texts = std::vector<std::string>;

void append_value(const ColumnView& view, std::size_t i, std::string& text) {
  if (view.type.scalar == ScalarType::kString) {
    text += std::to_string(view.data<std::string_view>()[i].size()) + ':';
    text += view.data<std::string_view>()[i];
    return;
  }
  const std::size_t size = size_of(view.type.scalar);
  text.append(static_cast<const char*>(view.values) + i * size, size);
}

// An entry of a view as bytes, sizes of lists in between.
std::string text_of(const ColumnView& view, std::size_t entry) {
  std::string text;
  if (!view.type.is_jagged()) {
    append_value(view, view.is_constant ? 0 : entry, text);
    return text;
  }
  text += std::to_string(view.offsets[entry + 1] - view.offsets[entry]) + '|';
  for (std::uint32_t list = view.offsets[entry]; list < view.offsets[entry + 1]; ++list) {
    if (view.type.depth == 1) {
      append_value(view, list, text);
      continue;
    }
    text += std::to_string(view.inner_offsets[list + 1] - view.inner_offsets[list]) + '/';
    for (std::uint32_t i = view.inner_offsets[list]; i < view.inner_offsets[list + 1]; ++i)
      append_value(view, i, text);
  }
  return text;
}

// All columns by entry, from first to last.
std::vector<Texts> columns_of(RNTupleSource& source) {
  std::vector<std::size_t> columns(source.schema().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::vector<Texts> all(columns.size());
  for (std::size_t number = 0; number < source.slices().size(); ++number) {
    const std::unique_ptr<SliceReader> reader = source.open_slice(number);
    reader->load(columns);
    const std::uint64_t count = source.slices()[number].count;
    for (const std::size_t column : columns) {
      ColumnBuffer scratch;
      for (std::uint64_t first = 0; first < count; first += 512) {
        const ColumnView view =
            reader->view(column, {first, std::min<std::uint64_t>(512, count - first)}, scratch);
        for (std::size_t i = 0; i < view.length; ++i) all[column].push_back(text_of(view, i));
      }
    }
  }
  return all;
}

class RestrictedSource : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (std::uint64_t seed : {1, 2}) {
      files_.push_back(std::make_unique<TemporaryFile>(std::vector<char>()));
      write_table(*files_.back(),
                  {.num_entries = kEntries, .cluster_entries = kClusterEntries, .seed = seed, .damage = {}});
      const TableRows table(files_.back()->path());
      rows_.insert(rows_.end(), table.rows().begin(), table.rows().end());
    }
    RNTupleSource source(locations());
    columns_ = columns_of(source);
  }
  static void TearDownTestSuite() { files_.clear(); }

  static std::vector<InputLocation> locations() {
    std::vector<InputLocation> locations;
    for (const auto& file : files_) locations.push_back({file->path(), "Events"});
    return locations;
  }

  static void expect_entries(EntryRange range, std::uint64_t slice_entries) {
    RNTupleSource source(locations(), {.slice_entries = slice_entries});
    source.restrict_to(range);
    const std::uint64_t first = std::min<std::uint64_t>(range.first, rows_.size());
    const std::uint64_t last = first + std::min(range.count, rows_.size() - first);
    EXPECT_EQ(source.num_entries(), last - first);
    std::uint64_t next = first;
    for (const EntryRange& slice : source.slices()) {
      EXPECT_EQ(slice.first, next);
      EXPECT_GT(slice.count, 0u);
      EXPECT_LE(slice.count, slice_entries);
      next = slice.end();
    }
    EXPECT_EQ(next, last);
    const std::vector<Texts> found = columns_of(source);
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const Texts& all = columns_[column];
      const Texts expected(all.begin() + static_cast<std::ptrdiff_t>(first),
                           all.begin() + static_cast<std::ptrdiff_t>(last));
      ASSERT_TRUE(found[column] == expected)
          << source.schema()[column].name << " from " << first << " to " << last;
    }
  }

  // Carries all fields of those entries of a range that survive.
  static Carried carry_range(EntryRange range, const TemporaryFile& to, CarrySettings how,
                             const Pattern& survives) {
    RNTupleSource source(locations(), how.source);
    source.restrict_to(range);
    const Carrying carrying = source.carry(all_fields(source));
    how.sink.path = to.path();
    RNTupleSink sink(carrying.fields, Schema(), how.sink);
    for (std::size_t number = 0; number < source.slices().size(); ++number)
      carry_slice(source, number, sink, [&](std::uint64_t entry) { return survives.at(entry); });
    sink.finish();
    return {sink.statistics(), source.statistics()};
  }

  static inline std::vector<std::unique_ptr<TemporaryFile>> files_;
  static inline Texts rows_;  // as a reader sees them that takes one entry after the other
  static inline std::vector<Texts> columns_;
};

// At, before and behind the ends of clusters and of the first file.
const std::vector<EntryRange> kRanges{
    {0, 2 * kEntries},
    {0, kEverything},
    {0, 1},
    {0, kClusterEntries},
    {1, kClusterEntries - 1},
    {kClusterEntries - 1, 2},
    {kClusterEntries, kClusterEntries},
    {kClusterEntries + 5, 1},
    {kEntries - 1, 1},
    {kEntries - 1, 2},
    {kEntries, kEntries},
    {kEntries, 1},
    {kEntries - 700, 9000},
    {17'333, 30'000},
    {2 * kEntries - 1, 1},
    {2 * kEntries - 1, kEverything},
};

TEST_F(RestrictedSource, GivesTheSameEntries) {
  for (const EntryRange& range : kRanges)
    for (const std::uint64_t slice_entries : {std::uint64_t{997}, std::uint64_t{65536}})
      expect_entries(range, slice_entries);
}

TEST_F(RestrictedSource, MayBeEmpty) {
  for (const EntryRange& range : {EntryRange{0, 0}, EntryRange{kEntries, 0}, EntryRange{2 * kEntries, 5},
                                  EntryRange{kEverything, kEverything}}) {
    RNTupleSource source(locations());
    source.restrict_to(range);
    EXPECT_EQ(source.num_entries(), 0u);
    EXPECT_TRUE(source.slices().empty());
    PlanBuilder builder(source.schema());
    builder.select(kAllEntries, "x > 0");
    EXPECT_EQ(run(std::move(builder).build(), source, {}).num_entries, 0u);
  }
}

TEST_F(RestrictedSource, CarriesTheSameEntries) {
  std::mt19937_64 random(5);
  const TemporaryFile target({});
  for (const EntryRange& range : kRanges) {
    const std::uint64_t last = range.first + std::min<std::uint64_t>(range.count, rows_.size() - range.first);
    const Pattern inside = between(rows_.size(), range.first, last);
    const CarrySettings how = carrying_as("zstd:1", 1 + random() % 10'000);
    carry_range(range, target, how, all_of(rows_.size()));
    EXPECT_TRUE(has_rows(target, rows_, inside)) << range.first << " + " << range.count;
    Pattern survives = random_runs(rows_.size(), 3000, random);
    for (std::size_t entry = 0; entry < survives.size(); ++entry)
      survives[entry] = survives[entry] && inside[entry];
    carry_range(range, target, how, survives);
    EXPECT_TRUE(has_rows(target, rows_, survives)) << range.first << " + " << range.count;
  }
}

TEST_F(RestrictedSource, PassesPagesThatLieInsideAsTheyAre) {
  const TemporaryFile target({});
  const Carried part =
      carry_range({1000, kClusterEntries}, target, carrying_as("zstd:1"), all_of(rows_.size()));
  EXPECT_GT(part.written.num_pages_copied, 0u);
  EXPECT_TRUE(has_rows(target, rows_, between(rows_.size(), 1000, 1000 + kClusterEntries)));
}

TEST_F(RestrictedSource, PartsAreTogetherTheWhole) {
  for (const std::uint64_t count : {2, 3, 7}) {
    std::vector<Texts> together(columns_.size());
    const std::uint64_t total = rows_.size();
    for (std::uint64_t number = 0; number < count; ++number) {
      const std::uint64_t first = total * number / count;
      RNTupleSource source(locations(), {.slice_entries = 5000});
      source.restrict_to({first, total * (number + 1) / count - first});
      const std::vector<Texts> part = columns_of(source);
      for (std::size_t column = 0; column < part.size(); ++column)
        together[column].insert(together[column].end(), part[column].begin(), part[column].end());
    }
    for (std::size_t column = 0; column < columns_.size(); ++column)
      EXPECT_TRUE(together[column] == columns_[column]) << count << " parts, column " << column;
  }
}

TEST_F(RestrictedSource, EntriesKeepTheirNumbersInAPlan) {
  for (const int threads : {1, 4}) {
    RNTupleSource source(locations(), {.slice_entries = 1000});
    source.restrict_to({25'000, 12'345});
    PlanBuilder builder(source.schema());
    const SelectionId first = builder.select(kAllEntries, "entry_ >= 25000 && entry_ < 37345");
    // What `number` holds is counted from the begin of its file.
    const SelectionId second =
        builder.select(first, "number == (entry_ < 30000 ? entry_ : entry_ - 30000) * 3 - 1000");
    const RunReport report = run(std::move(builder).build(), source,
                                 {.threads = threads, .stop = {}, .progress = {}, .observe = {}});
    EXPECT_EQ(report.num_entries, 12'345u);
    EXPECT_EQ(report.entries_kept[first.index], 12'345u);
    EXPECT_EQ(report.entries_kept[second.index], 12'345u);
  }
}

TEST_F(RestrictedSource, ReadsOnlyWhatItNeeds) {
  const auto read = [](std::optional<EntryRange> range) {
    RNTupleSource source(locations(), {.slice_entries = 1000});
    if (range) source.restrict_to(*range);
    PlanBuilder builder(source.schema());
    builder.select(kAllEntries, "number > 0");
    run(std::move(builder).build(), source, {});
    return source.statistics();
  };
  const ReadStatistics all = read(std::nullopt), none = read(EntryRange{0, 0});
  const ReadStatistics cluster = read(EntryRange{kClusterEntries, kClusterEntries});
  const ReadStatistics entry = read(EntryRange{kClusterEntries + 1, 1});
  EXPECT_EQ(all.pages_skipped, 0u);
  EXPECT_EQ(none.pages_decoded + none.pages_skipped, 0u);
  EXPECT_EQ(cluster.pages_skipped, 0u);
  EXPECT_LT(cluster.pages_decoded, all.pages_decoded);
  EXPECT_GT(cluster.pages_decoded, 1u);
  EXPECT_EQ(entry.pages_decoded, 1u);
  EXPECT_EQ(entry.pages_decoded + entry.pages_skipped, cluster.pages_decoded);
}

TEST_F(RestrictedSource, MayBeRestrictedAnew) {
  RNTupleSource source(locations());
  source.restrict_to({5, 10});
  source.restrict_to({kEntries, 20});
  EXPECT_EQ(source.num_entries(), 20u);
  ASSERT_EQ(source.slices().size(), 1u);
  EXPECT_EQ(source.slices()[0].first, kEntries);
}

}  // namespace
}  // namespace skimline::io
