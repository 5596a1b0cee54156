// SPDX-License-Identifier: BSD-3-Clause
// Fields carried from files whose pages are large enough to be copied as they are stored.
#include "carrying.h"

#include "fuzz_time.h"
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

namespace skimline::io {
namespace {

class Carry : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    write_table(source());
    rows() = TableRows(source().path()).rows();
  }

  static const TemporaryFile& source() {
    static const TemporaryFile file({});
    return file;
  }
  static std::vector<std::string>& rows() {
    static std::vector<std::string> all;
    return all;
  }

  const TemporaryFile target_{{}};
};

TEST_F(Carry, TableHasTheRowsThatWereMade) {
  ASSERT_EQ(rows().size(), 150'000u);
  const TableRows numbers(source().path(), {"number"});
  for (std::size_t entry = 0; entry < rows().size(); ++entry) {
    std::int64_t value = 0;
    ASSERT_EQ(numbers.rows()[entry].size(), sizeof value);
    std::memcpy(&value, numbers.rows()[entry].data(), sizeof value);
    ASSERT_EQ(value, static_cast<std::int64_t>(entry) * 3 - 1000);
  }
}

TEST_F(Carry, SurvivorsOfManyPatterns) {
  std::mt19937_64 random(7);
  const std::size_t count = rows().size();
  const std::vector<Pattern> patterns{all_of(count),
                                      only(count, {}),
                                      every(count, 2),
                                      every(count, 17),
                                      every(count, 5003),
                                      random_runs(count, 10, random),
                                      random_runs(count, 30'000, random),
                                      all_but(count, 77'777),
                                      all_but(count, 0),
                                      all_but(count, count - 1),
                                      only(count, {0}),
                                      only(count, {count - 1}),
                                      only(count, {59'999, 60'000}),
                                      between(count, 0, 60'000),
                                      between(count, 60'000, 120'000),
                                      between(count, 16'384, 65'536)};
  for (std::size_t number = 0; number < patterns.size(); ++number) {
    CarrySettings how = carrying_as(number % 3 == 0   ? "auto"
                                    : number % 3 == 1 ? "lz4"
                                                      : "zstd:1",
                                    1 + random() % 40'000);
    how.sink.settings.cluster_bytes = 200'000 + random() % 20'000'000;
    how.sink.settings.page_bytes = 1000 + random() % 200'000;
    carry({&source()}, target_, how, patterns[number]);
    EXPECT_TRUE(has_rows(target_, rows(), patterns[number]))
        << "pattern " << number << ", slices of " << how.source.slice_entries << " entries, clusters of "
        << *how.sink.settings.cluster_bytes << " bytes, pages of " << *how.sink.settings.page_bytes;
  }
}

TEST_F(Carry, RandomRunsInRandomSlices) {
  const skimline::testing::FuzzTime time;
  std::mt19937_64 random(std::random_device{}());
  const std::size_t count = rows().size();
  do {
    const std::uint64_t seed = random();
    std::mt19937_64 choice(seed);
    CarrySettings how =
        carrying_as(choice() % 4 == 0 ? "none" : "zstd:1", 1 + choice() % (choice() % 2 ? 70'000 : 3000));
    how.sink.settings.cluster_bytes = choice() % 30'000'000;
    how.sink.settings.page_bytes = 1 + choice() % 300'000;
    const Pattern pattern = random_runs(count, 1 + choice() % (choice() % 2 ? 100'000 : 1000), choice);
    carry({&source()}, target_, how, pattern);
    ASSERT_TRUE(has_rows(target_, rows(), pattern)) << "seed " << seed;
  } while (time.is_left());
}

TEST_F(Carry, WholeCopiesPassPagesAsTheyAre) {
  CarrySettings how = carrying_as("zstd:1", 7000);
  how.sink.settings.cluster_bytes =
      std::filesystem::file_size(source().path()) / 3;  // as large as those of the source
  const Carried whole = carry({&source()}, target_, how, all_of(rows().size()));
  EXPECT_TRUE(has_rows(target_, rows(), all_of(rows().size())));
  const TableRows from(source().path()), to(target_.path());
  std::uint64_t large = 0, equal = 0;
  std::set<std::uint64_t> index_pages;
  ASSERT_EQ(from.descriptor().columns.size(), to.descriptor().columns.size());
  for (std::size_t cluster = 0; cluster < from.descriptor().clusters.size(); ++cluster)
    for (std::size_t column = 0; column < from.descriptor().columns.size(); ++column) {
      const ColumnDescriptor& declared = from.descriptor().columns[column];
      const std::size_t size = raw_element_size({declared.type, declared.bits_on_storage});
      for (const PageInfo& page : from.descriptor().clusters[cluster].columns[column].pages) {
        if (is_index_type(declared.type)) index_pages.insert(page.locator.offset);
        if (page.num_elements * size < 16 * 1024 || declared.type == ColumnType::kSwitch) continue;
        ++large;
        ASSERT_LT(cluster, to.descriptor().clusters.size());
        for (const PageInfo& copy : to.descriptor().clusters[cluster].columns[column].pages)
          if (copy.num_elements == page.num_elements && copy.locator.size == page.locator.size &&
              to.stored(copy) == from.stored(page)) {
            ++equal;
            break;
          }
      }
    }
  EXPECT_GT(large, 100u);
  EXPECT_EQ(equal, large);
  EXPECT_EQ(whole.written.num_pages_copied, large);
}

// Of a column with pages that stay stored, the first page of the output says how all are compressed.
TEST_F(Carry, PagesStayWhereTheCompressionIsChosen) {
  const Pattern whole = all_of(rows().size());
  const Carried all = carry({&source()}, target_, carrying_as("auto"), whole);
  EXPECT_GT(all.written.num_pages_copied, 100u);
  EXPECT_GT(all.written.compressions.at(501), 20u);
  EXPECT_TRUE(has_rows(target_, rows(), whole));

  // The first pages lose entries, so that samples decide: some columns keep later pages, others do not.
  const Carried some = carry({&source()}, target_, carrying_as("auto"), all_but(rows().size(), 0));
  EXPECT_GT(some.written.num_pages_copied, 0u);
  EXPECT_LT(some.written.num_pages_copied, all.written.num_pages_copied);
  EXPECT_TRUE(has_rows(target_, rows(), all_but(rows().size(), 0)));

  for (const char* compression : {"lzma:1", "zstd:2"}) {
    TableShape shape;
    shape.num_entries = 20'000;
    shape.compression = compression;
    const TemporaryFile other{std::vector<char>()};
    write_table(other, shape);
    const std::size_t count = TableRows(other.path()).rows().size();
    EXPECT_EQ(carry({&other}, target_, carrying_as("auto"), all_of(count)).written.num_pages_copied, 0u);
    EXPECT_TRUE(has_rows(target_, TableRows(other.path()).rows(), all_of(count))) << compression;
  }
}

TEST_F(Carry, PagesOfOtherCompressionAreMadeAnew) {
  for (const char* compression : {"none", "lz4", "zstd:2"}) {
    const Carried whole = carry({&source()}, target_, carrying_as(compression), all_of(rows().size()));
    EXPECT_EQ(whole.written.num_pages_copied, 0u);
    EXPECT_TRUE(has_rows(target_, rows(), all_of(rows().size()))) << compression;
  }
}

TEST_F(Carry, BytesDependOnNothingButTheSlices) {
  std::vector<char> expected;
  for (const int threads : {1, 2, 4, 4}) {
    RNTupleSource input({{source().path(), "Events"}}, {.slice_entries = 9000});
    RNTupleSinkOptions options;
    options.path = target_.path();
    options.settings.compression = parse_compression("zstd:1");
    options.settings.cluster_bytes = std::filesystem::file_size(source().path()) / 3;
    RNTupleSink sink(input.carry(all_fields(input)).fields, Schema(), options);
    PlanBuilder builder(input.schema());
    // All lists of a stretch of entries, then some.
    const SelectionId selection =
        builder.select(kAllEntries, "(number < 260000 && size(v) >= 0) || (x > 5000 && size(jets.pt) > 0)");
    builder.write(selection, {}, sink);
    RunOptions run_options;
    run_options.threads = threads;
    run(std::move(builder).build(), input, run_options);
    sink.finish();
    EXPECT_GT(sink.statistics().num_pages_copied, 50u);
    EXPECT_GT(sink.statistics().num_entries, 90'000u);
    EXPECT_LT(sink.statistics().num_entries, 120'000u);
    if (expected.empty()) expected = read_all(target_.path());
    ASSERT_EQ(read_all(target_.path()), expected) << threads << " threads";
  }
}

TEST_F(Carry, DamagedPagesAreNotCopied) {
  const TableRows table(source().path());
  std::vector<char> content = read_all(source().path());
  const TemporaryFile damaged(content);
  std::mt19937 random(4);
  const auto& clusters = table.descriptor().clusters;
  for (int round = 0; round < 20; ++round) {
    const auto& columns = clusters[random() % clusters.size()].columns;
    const auto& pages = columns[random() % columns.size()].pages;
    const PageInfo& page = pages[random() % pages.size()];
    const std::size_t place = page.locator.offset + random() % (page.locator.size + sizeof(std::uint64_t));
    content[place] ^= 4;
    damaged.write(content);
    content[place] ^= 4;
    EXPECT_THROW(carry({&damaged}, target_, carrying_as("zstd:1", 7000), all_of(rows().size())), FileError)
        << "byte " << place;
  }
}

// Few entries need few pages, whatever is damaged elsewhere.
TEST_F(Carry, FewEntriesDecodeFewPages) {
  const Carried few =
      carry({&source()}, target_, carrying_as("zstd:1", 60'000), only(rows().size(), {100'000}));
  EXPECT_TRUE(has_rows(target_, rows(), only(rows().size(), {100'000})));
  const RNTupleDescriptor descriptor = TableRows(source().path()).descriptor();
  std::uint64_t num_index_pages = 0;
  for (std::size_t column = 0; column < descriptor.columns.size(); ++column)
    if (is_index_type(descriptor.columns[column].type))
      num_index_pages += descriptor.clusters[1].columns[column].pages.size();
  EXPECT_LT(few.read.pages_decoded, num_index_pages + descriptor.columns.size());
}

TEST_F(Carry, FilesOneAfterTheOther) {
  const TemporaryFile other({});
  TableShape shape;
  shape.num_entries = 50'000;
  shape.cluster_entries = 7'001;
  shape.seed = 9;
  shape.compression = "zstd:3";
  write_table(other, shape);
  std::vector<std::string> expected = rows();
  const std::vector<std::string> more = TableRows(other.path()).rows();
  expected.insert(expected.end(), more.begin(), more.end());
  expected.insert(expected.end(), rows().begin(), rows().end());
  std::mt19937_64 random(11);
  for (const std::size_t longest : {50u, 50'000u}) {
    const Pattern pattern = random_runs(expected.size(), longest, random);
    carry({&source(), &other, &source()}, target_, carrying_as("zstd:1", 5000), pattern);
    EXPECT_TRUE(has_rows(target_, expected, pattern));
  }
}

// Every slice begins and ends at the border of some page.
TEST(CarrySmall, PagesAndSlicesOfFewEntries) {
  const TemporaryFile source({}), target({});
  std::mt19937_64 random(23);
  for (const std::size_t page_bytes : {8u, 16u, 40u}) {
    TableShape shape;
    shape.num_entries = 150;
    shape.cluster_entries = 60;
    shape.page_bytes = page_bytes;
    write_table(source, shape);
    const std::vector<std::string> rows = TableRows(source.path()).rows();
    for (std::uint64_t slice_entries = 1; slice_entries < 12; ++slice_entries)
      for (const Pattern& pattern : {all_of(rows.size()), random_runs(rows.size(), 6, random)}) {
        carry({&source}, target, carrying_as("zstd:1", slice_entries), pattern);
        EXPECT_TRUE(has_rows(target, rows, pattern))
            << "pages of " << page_bytes << " bytes, slices of " << slice_entries << " entries";
      }
  }
}

// ---- what the program's own writer makes

TEST(CarryOwnFiles, WholeCopiesDecodeNothingButEndsAndSmallPages) {
  const TemporaryFile source({}), target({});
  skimline::testing::MemorySource made;
  std::mt19937 random(2);
  std::vector<double> x;
  std::vector<std::vector<float>> v;
  for (int entry = 0; entry < 200'000; ++entry) {
    x.push_back(static_cast<double>(random()));
    v.emplace_back(random() % 4, static_cast<float>(random()));
  }
  made.add<double>("x", x).add<float>("v", v);
  RNTupleSinkOptions options;
  options.path = source.path();
  options.settings.cluster_bytes = 1'000'000;
  options.settings.page_bytes = 64 * 1024;
  RNTupleSink sink(made.schema(), options);
  PlanBuilder builder(made.schema());
  builder.write(kAllEntries, made.schema().names(), sink);
  run(std::move(builder).build(), made, {});
  sink.finish();

  const TableRows from(source.path());
  ASSERT_GT(from.descriptor().clusters.size(), 3u);
  CarrySettings how = carrying_as("zstd:5", 10'000);
  how.sink.settings.cluster_bytes = 1'000'000;
  const Carried whole = carry({&source}, target, how, all_of(x.size()));
  EXPECT_TRUE(has_rows(target, from.rows(), all_of(x.size())));
  std::uint64_t num_ends = 0, num_small = 0, num_pages = 0;
  for (const ClusterDescriptor& cluster : from.descriptor().clusters)
    for (std::size_t column = 0; column < cluster.columns.size(); ++column) {
      const ColumnDescriptor& declared = from.descriptor().columns[column];
      for (const PageInfo& page : cluster.columns[column].pages) {
        ++num_pages;
        const bool is_small =
            page.num_elements * raw_element_size({declared.type, declared.bits_on_storage}) < 16 * 1024;
        if (is_index_type(declared.type))
          ++num_ends;
        else
          num_small += is_small ? 1 : 0;
      }
    }
  EXPECT_EQ(whole.read.pages_decoded, num_ends + num_small);
  EXPECT_LT(num_ends + num_small, num_pages / 2);
  EXPECT_GE(whole.written.num_pages_copied, num_pages / 2);
}

}  // namespace
}  // namespace skimline::io
