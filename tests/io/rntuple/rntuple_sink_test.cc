// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_sink.h"

#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_source.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

namespace skimline::io {
namespace {

using skimline::testing::CollectingSink;
using skimline::testing::MemorySource;

class RNTupleSinkTest : public ::testing::Test {
 protected:
  RNTupleSinkTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("skimline_sink_" + std::to_string(::getpid()) + "_" + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~RNTupleSinkTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Columns of every scalar type, flat and jagged, with the first and last lists empty.
void add_every_type(MemorySource& source, std::size_t num_entries) {
  std::mt19937_64 random(3);
  const auto add = [&](auto tag, const std::string& name) {
    using T = typename decltype(tag)::type;
    std::vector<T> values;
    std::vector<std::vector<T>> lists(num_entries);
    for (std::size_t i = 0; i < num_entries; ++i) {
      values.push_back(static_cast<T>(static_cast<std::int32_t>(random())));
      const std::size_t size = i == 0 || i + 1 == num_entries ? 0 : random() % 4;
      for (std::size_t k = 0; k < size; ++k)
        lists[i].push_back(static_cast<T>(static_cast<std::int32_t>(random())));
    }
    source.add<T>(name, values);
    source.add<T>("v" + name, lists);
  };
  for (std::size_t i = 0; is_number(static_cast<ScalarType>(i)); ++i)
    visit_scalar(static_cast<ScalarType>(i), [&](auto tag) { add(tag, "c" + std::to_string(i)); });
}

RNTupleSinkOptions small_pages(std::string path) {
  RNTupleSinkOptions options;
  options.path = std::move(path);
  options.settings.cluster_bytes = 200'000;
  options.settings.page_bytes = 4096;
  return options;
}

void write_all(Source& source, const RNTupleSinkOptions& options, int threads) {
  RNTupleSink sink(source.schema(), options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, source.schema().names(), sink);
  RunOptions run_options;
  run_options.threads = threads;
  run(std::move(builder).build(), source, run_options);
  sink.finish();
}

CollectingSink collect_all(Source& source) {
  CollectingSink sink;
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, source.schema().names(), sink);
  run(std::move(builder).build(), source, {});
  return sink;
}

TEST_F(RNTupleSinkTest, ReadsBackWhatWasWritten) {
  MemorySource source(1000);
  add_every_type(source, 10'000);
  for (const char* compression : {"none", "zstd:1", "lz4", "auto"}) {
    RNTupleSinkOptions options = small_pages(path("out.root"));
    options.settings.compression = parse_writer_compression(compression);
    write_all(source, options, 2);
    RNTupleSource written({{options.path, "Events"}});
    ASSERT_EQ(written.schema().names(), source.schema().names());
    for (std::size_t i = 0; i < source.schema().size(); ++i)
      EXPECT_EQ(written.schema()[i].type, source.schema()[i].type) << source.schema()[i].name;
    EXPECT_GT(written.descriptors()[0].clusters.size(), 3u);
    EXPECT_EQ(collect_all(written).columns, collect_all(source).columns) << compression;
  }
}

TEST_F(RNTupleSinkTest, BytesDependOnNeitherThreadsNorSlicesNorName) {
  std::string expected;
  for (const std::uint64_t slice_entries : {1u, 37u, 1000u, 100'000u}) {
    MemorySource source(slice_entries);
    add_every_type(source, 3000);
    for (const int threads : {1, 2, 5}) {
      const std::string name = path("out" + std::to_string(slice_entries) + "_" + std::to_string(threads));
      write_all(source, small_pages(name), threads);
      if (expected.empty()) expected = content_of(name);
      EXPECT_EQ(content_of(name), expected) << slice_entries << " entries a slice, " << threads << " threads";
    }
  }
  EXPECT_GT(expected.size(), 10'000u);
}

// Columns of 64 KiB and more in the first page: one that does not compress, one of few values, one of text.
void add_columns_unlike(MemorySource& source, std::size_t num_entries) {
  std::mt19937_64 random(4);
  std::vector<std::uint64_t> noise(num_entries);
  std::vector<std::int32_t> few(num_entries);
  std::vector<std::uint8_t> text(num_entries);
  const std::string words = "a few words of a text that come again and again, in another order";
  for (std::size_t i = 0, at = 0; i < num_entries; ++i) {
    noise[i] = random();
    few[i] = static_cast<std::int32_t>(random() % 3);
    if (random() % 4 == 0) at = random();
    text[i] = static_cast<std::uint8_t>(words[at++ % words.size()]);
  }
  source.add<std::uint64_t>("noise", noise).add<std::int32_t>("few", few).add<std::uint8_t>("text", text);
}

TEST_F(RNTupleSinkTest, ChoosesTheCompressionOfEachColumn) {
  MemorySource source(1000);
  add_columns_unlike(source, 200'000);
  std::string expected;
  for (const int threads : {1, 4}) {
    RNTupleSinkOptions options = small_pages(path("out.root"));
    options.settings.cluster_bytes = 800'000;
    options.settings.page_bytes = 100'000;
    RNTupleSink sink(source.schema(), options);
    PlanBuilder builder(source.schema());
    builder.write(kAllEntries, source.schema().names(), sink);
    RunOptions run_options;
    run_options.threads = threads;
    run(std::move(builder).build(), source, run_options);
    sink.finish();
    EXPECT_EQ(sink.statistics().compressions, (std::map<int, std::size_t>{{0, 1}, {501, 1}, {505, 1}}));
    RNTupleSource written({{options.path, "Events"}});
    EXPECT_EQ(collect_all(written).columns, collect_all(source).columns);
    EXPECT_GT(written.descriptors()[0].clusters.size(), 3u);
    for (const ClusterDescriptor& cluster : written.descriptors()[0].clusters) {
      EXPECT_EQ(cluster.columns[0].compression, 0u);
      EXPECT_EQ(cluster.columns[1].compression, 501u);
      EXPECT_EQ(cluster.columns[2].compression, 505u);
    }
    if (expected.empty()) expected = content_of(options.path);
    EXPECT_TRUE(content_of(options.path) == expected) << threads << " threads";
  }
}

TEST_F(RNTupleSinkTest, ClustersEndWithTheEntryThatFillsThem) {
  MemorySource source;
  source.add<double>("x", std::vector<double>(1000, 1.));
  RNTupleSinkOptions options = small_pages(path("out.root"));
  options.settings.cluster_bytes = 801;  // the 101st double reaches it
  options.settings.page_bytes = 80;
  RNTupleSink sink(source.schema(), options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, {"x"}, sink);
  run(std::move(builder).build(), source, {});
  sink.finish();
  RNTupleSource written({{options.path, ""}});
  const auto& clusters = written.descriptors()[0].clusters;
  ASSERT_EQ(clusters.size(), 10u);
  EXPECT_EQ(clusters[0].num_entries, 101u);
  EXPECT_EQ(clusters[9].num_entries, 1000u - 9 * 101);
  EXPECT_EQ(clusters[0].columns[0].pages.size(), 11u);
  EXPECT_EQ(clusters[0].columns[0].pages[10].num_elements, 1u);
  EXPECT_EQ(sink.statistics().num_clusters, 10u);
  EXPECT_EQ(sink.statistics().num_entries, 1000u);
  EXPECT_EQ(sink.statistics().file_bytes, std::filesystem::file_size(options.path));
}

TEST_F(RNTupleSinkTest, WritesValidFilesWithoutEntries) {
  MemorySource source;
  source.add<float>("x", std::vector<float>{1, 2});
  RNTupleSinkOptions options = small_pages(path("out.root"));
  RNTupleSink sink(source.schema(), options);
  PlanBuilder builder(source.schema());
  builder.write(builder.select(kAllEntries, "x > 5"), {"x"}, sink);
  run(std::move(builder).build(), source, {});
  sink.finish();
  RNTupleSource written({{options.path, "Events"}});
  EXPECT_EQ(written.num_entries(), 0u);
  EXPECT_EQ(written.schema().names(), std::vector<std::string>{"x"});
}

TEST_F(RNTupleSinkTest, LeavesNothingBehindUnlessFinished) {
  MemorySource source;
  source.add<float>("x", std::vector<float>(100'000, 1.f));
  {
    RNTupleSink sink(source.schema(), small_pages(path("out.root")));
    EXPECT_EQ(num_files(), 1u);
  }
  EXPECT_EQ(num_files(), 0u);

  source.add<std::int32_t>("zero", std::vector<std::int32_t>(100'000, 0));
  {
    RNTupleSink sink(source.schema(), small_pages(path("out.root")));
    PlanBuilder builder(source.schema());
    builder.define("y", "1 / zero");
    builder.write(kAllEntries, {"x", "y"}, sink);
    EXPECT_THROW(run(std::move(builder).build(), source, {}), EvaluationError);
  }
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(RNTupleSinkTest, RefusesWhatCannotBeWritten) {
  MemorySource source;
  source.add<float>("x", std::vector<float>{1});
  EXPECT_THROW(RNTupleSink(source.schema(), small_pages("/dev/null/out.root")), FileError);
  EXPECT_THROW(RNTupleSink(source.schema(), small_pages(folder_.string())), FileError);
  Schema bad;
  bad.add({"a b", flat(ScalarType::kFloat), ""});
  EXPECT_THROW(RNTupleSink(bad, small_pages(path("out.root"))), SchemaError);
  Schema twice;
  twice.add({"a.b", flat(ScalarType::kFloat), ""});
  twice.add({"a_b", flat(ScalarType::kFloat), ""});
  EXPECT_THROW(RNTupleSink(twice, small_pages(path("out.root"))), SchemaError);
  for (const Type type : {flat(ScalarType::kLorentzVector), jagged(ScalarType::kLorentzVector)}) {
    Schema lorentz;
    lorentz.add({"p4", type, ""});
    EXPECT_THROW(RNTupleSink(lorentz, small_pages(path("out.root"))), SchemaError);
  }
  EXPECT_THROW(RNTupleSink(source.schema(), small_pages("")), FileError);
  EXPECT_THROW(RNTupleSink(source.schema(), small_pages(path(std::string(300, 'x')))), FileError);
  for (const char* name : {"", "a/", "a b"}) {
    RNTupleSinkOptions options = small_pages(path("out.root"));
    options.ntuple_name = name;
    EXPECT_THROW(RNTupleSink(source.schema(), options), SchemaError) << name;
  }
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(RNTupleSinkTest, StoresEqualPagesOnceAndReadsThemOnce) {
  std::mt19937 random(5);
  std::vector<std::vector<float>> pt, eta;
  std::vector<std::vector<std::int32_t>> other;
  for (int entry = 0; entry < 20'000; ++entry) {
    pt.emplace_back(random() % 4, static_cast<float>(random()));
    eta.emplace_back(pt.back().size(), static_cast<float>(random()));
    other.emplace_back(random() % 3, static_cast<std::int32_t>(random()));
  }
  for (const int threads : {1, 4}) {
    MemorySource source(900);
    source.add<float>("Muon_pt", pt).add<float>("Muon_eta", eta).add<std::int32_t>("other", other);
    write_all(source, small_pages(path("out.root")), threads);
    RNTupleSource written({{path("out.root"), "Events"}});
    std::set<std::uint64_t> stored;
    for (const ClusterDescriptor& cluster : written.descriptors()[0].clusters) {
      for (const ColumnRange& range : cluster.columns)
        for (const PageInfo& page : range.pages) stored.insert(page.locator.offset);
      const auto& first = cluster.columns[0].pages;
      const auto& second = cluster.columns[2].pages;
      ASSERT_EQ(first.size(), second.size());
      for (std::size_t page = 0; page < first.size(); ++page)
        EXPECT_EQ(first[page].locator.offset, second[page].locator.offset);
      EXPECT_NE(first[0].locator.offset, cluster.columns[4].pages[0].locator.offset);
    }
    const CollectingSink read = collect_all(written);
    EXPECT_EQ(read.columns, collect_all(source).columns);
    EXPECT_EQ(written.statistics().pages_decoded, stored.size());

    const auto reader = written.open_slice(0);
    reader->load(std::vector<std::size_t>{0, 1, 2});
    ColumnBuffer scratch[3];
    const ColumnView first = reader->view(0, {0, 100}, scratch[0]),
                     second = reader->view(1, {0, 100}, scratch[1]);
    EXPECT_EQ(first.offsets, second.offsets) << "the same ends need no comparison";
    EXPECT_NE(first.offsets, reader->view(2, {0, 100}, scratch[2]).offsets);
  }
}

TEST_F(RNTupleSinkTest, TellsPagesApartThatDifferInOneElement) {
  const std::size_t num_entries = 5000;
  MemorySource source(900);
  std::vector<std::vector<std::int32_t>> columns(12, std::vector<std::int32_t>(num_entries, 7));
  for (std::size_t i = 2; i < columns.size(); ++i) columns[i][37 * i] = 8;
  for (std::size_t i = 0; i < columns.size(); ++i)
    source.add<std::int32_t>("c" + std::to_string(i), columns[i]);
  write_all(source, small_pages(path("out.root")), 2);
  RNTupleSource written({{path("out.root"), "Events"}});
  EXPECT_EQ(collect_all(written).columns, collect_all(source).columns);
  std::set<std::uint64_t> first_pages;
  for (const ColumnRange& range : written.descriptors()[0].clusters[0].columns)
    first_pages.insert(range.pages[0].locator.offset);
  EXPECT_EQ(first_pages.size(), columns.size() - 1) << "the first two are equal";
}

TEST_F(RNTupleSinkTest, ManySinksWriteIntoOneFile) {
  std::string expected;
  for (const int threads : {1, 3}) {
    MemorySource source(1000);
    add_every_type(source, 10'000);
    RootFileWriter file(path("out.root"), {"ROOT::RNTuple"});
    RNTupleSinkOptions options = small_pages("");
    options.ntuple_name = "all";
    RNTupleSink all(file, nullptr, source.schema(), options);
    options.ntuple_name = "dir/some";
    Schema first;
    first.add(source.schema()[0]);
    RNTupleSink some(file, nullptr, first, options);
    PlanBuilder builder(source.schema());
    builder.write(kAllEntries, source.schema().names(), all);
    builder.write(kAllEntries, {source.schema()[0].name}, some);
    RunOptions run_options;
    run_options.threads = threads;
    run(std::move(builder).build(), source, run_options);
    all.finish();
    some.finish();
    EXPECT_EQ(num_files(), threads == 1 ? 1u : 2u) << "the temporary file, and the one before";
    file.commit(all.content_hash() ^ some.content_hash());

    RNTupleSource written({{path("out.root"), "all"}});
    EXPECT_EQ(collect_all(written).columns, collect_all(source).columns);
    RNTupleSource column({{path("out.root"), "dir/some"}});
    EXPECT_EQ(collect_all(column).columns[0], collect_all(source).columns[0]);
    const std::string bytes = content_of(path("out.root"));
    if (threads == 1) expected = bytes;
    EXPECT_TRUE(bytes == expected);
  }
}

TEST_F(RNTupleSinkTest, SpellsDotsAsUnderscores) {
  MemorySource source;
  source.add<float>("Muon.pt", std::vector<std::vector<float>>{{1, 2}, {}});
  write_all(source, small_pages(path("out.root")), 1);
  EXPECT_EQ(RNTupleSource({{path("out.root"), ""}}).schema().names(), std::vector<std::string>{"Muon_pt"});
}

}  // namespace
}  // namespace skimline::io
