// SPDX-License-Identifier: BSD-3-Clause
// What ROOT and uproot read from the files is tested in test_tree_writer.py.
#include "skimline/io/tree_sink.h"

#include "memory_source.h"
#include "ttree/tree_layout.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

namespace skimline::io {
namespace {

using skimline::testing::MemorySource;
using Names = std::vector<std::string>;

class TreeSinkTest : public ::testing::Test {
 protected:
  TreeSinkTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("skimline_tree_sink_" + std::to_string(::getpid()) + "_" + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~TreeSinkTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  TreeSinkOptions small_baskets(const std::string& name = "out.root") const {
    TreeSinkOptions options;
    options.path = path(name);
    options.settings.cluster_bytes = 200'000;
    options.settings.page_bytes = 4096;
    return options;
  }

  std::filesystem::path folder_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Columns of every type, and lists of one collection.
void add_every_type(MemorySource& source, std::size_t num_entries) {
  std::mt19937_64 random(3);
  std::vector<std::size_t> sizes(num_entries);
  for (std::size_t& size : sizes) size = random() % 4;
  const auto add = [&](auto tag, const std::string& name) {
    using T = typename decltype(tag)::type;
    const auto number = [&] { return static_cast<T>(static_cast<std::int32_t>(random())); };
    std::vector<T> values;
    std::vector<std::vector<T>> lists(num_entries), members(num_entries);
    for (std::size_t i = 0; i < num_entries; ++i) {
      values.push_back(number());
      for (std::size_t k = random() % 4; k > 0; --k) lists[i].push_back(number());
      for (std::size_t k = sizes[i]; k > 0; --k) members[i].push_back(number());
    }
    source.add<T>(name, values);
    source.add<T>("v" + name, lists);
    source.add<T>("jet." + name, members);
    source.add<T>("w" + name, std::vector<std::vector<std::vector<T>>>(num_entries, {{}, {number()}}));
    source.add<T>("u" + name, std::vector<std::vector<std::vector<std::vector<T>>>>(
                                  num_entries, {{}, {{number(), number()}, {}}, {{number()}}}));
  };
  for (std::size_t i = 0; is_number(static_cast<ScalarType>(i)); ++i)
    visit_scalar(static_cast<ScalarType>(i), [&](auto tag) { add(tag, "c" + std::to_string(i)); });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < num_entries; ++i) texts.emplace_back(random() % 300, 'x');
  source.add_strings("text", texts);
  source.add_strings("texts", std::vector<std::vector<std::string>>(num_entries, {"", "ab"}));
}

Collection jets(const Schema& schema) {
  Collection jets{"jet", "", "jets", {}};
  for (const std::string& name : schema.names())
    if (name.starts_with("jet.")) jets.columns.push_back(name);
  return jets;
}

TreeStatistics write_all(Source& source, const TreeSinkOptions& options, int threads = 2) {
  TreeSink sink(source.schema(), options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, source.schema().names(), sink);
  RunOptions run_options;
  run_options.threads = threads;
  run(std::move(builder).build(), source, run_options);
  sink.finish();
  return sink.statistics();
}

Names branches_of(const Schema& schema, const std::vector<Collection>& collections = {}) {
  Names names;
  for (const OutputBranch& branch : make_tree_layout(schema, collections).branches)
    names.push_back(branch.title);
  return names;
}

TEST_F(TreeSinkTest, BytesDependOnNeitherThreadsNorSlicesNorName) {
  std::string expected;
  for (const std::uint64_t slice_entries : {37u, 1000u, 100'000u}) {
    MemorySource source(slice_entries);
    add_every_type(source, 3000);
    for (const int threads : {1, 2, 5}) {
      TreeSinkOptions options =
          small_baskets("out" + std::to_string(slice_entries) + "_" + std::to_string(threads));
      options.collections = {jets(source.schema())};
      write_all(source, options, threads);
      if (expected.empty()) expected = content_of(options.path);
      EXPECT_TRUE(content_of(options.path) == expected)
          << slice_entries << " entries a slice, " << threads << " threads";
    }
  }
  EXPECT_GT(expected.size(), 100'000u);
}

TEST_F(TreeSinkTest, ClustersEndWithTheEntryThatFillsThem) {
  MemorySource source(70);
  source.add<double>("x", std::vector<double>(1000, 1.));
  TreeSinkOptions options = small_baskets();
  options.settings.cluster_bytes = 801;  // the 101st double reaches it
  options.settings.page_bytes = 80;
  const TreeStatistics statistics = write_all(source, options);
  EXPECT_EQ(statistics.num_clusters, 10u);
  EXPECT_EQ(statistics.num_baskets, 9 * 11u + 10);  // of 10 entries, then of one; 91 entries at last
  EXPECT_EQ(statistics.num_entries, 1000u);
  EXPECT_EQ(statistics.bytes_in_memory, 8000u);
  EXPECT_EQ(statistics.file_bytes, std::filesystem::file_size(options.path));
}

TEST_F(TreeSinkTest, LargeEntriesHaveBasketsOfTheirOwn) {
  MemorySource source;
  source.add<double>("x", std::vector<std::vector<double>>{{}, std::vector<double>(1000), {1}, {}});
  TreeSinkOptions options = small_baskets();
  options.settings.page_bytes = 1;
  EXPECT_EQ(write_all(source, options).num_baskets, 8u);  // of counts, too
}

TEST_F(TreeSinkTest, WritesManyEntriesAndNone) {
  MemorySource source;
  source.add<float>("x", std::vector<float>(300'000, 1.f));
  EXPECT_EQ(write_all(source, small_baskets()).num_entries, 300'000u);

  TreeSink sink(source.schema(), small_baskets());
  PlanBuilder builder(source.schema());
  builder.write(builder.select(kAllEntries, "x > 5"), {"x"}, sink);
  run(std::move(builder).build(), source, {});
  sink.finish();
  EXPECT_EQ(sink.statistics().num_entries, 0u);
  EXPECT_EQ(sink.statistics().num_clusters, 0u);
  EXPECT_LT(std::filesystem::file_size(path("out.root")), 20'000u);
}

TEST_F(TreeSinkTest, LeavesNothingBehindUnlessFinished) {
  MemorySource source;
  source.add<float>("x", std::vector<float>(100'000, 1.f));
  {
    const TreeSink sink(source.schema(), small_baskets());
    EXPECT_EQ(num_files(), 1u);
  }
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(TreeSinkTest, ManySinksWriteIntoOneFile) {
  std::string expected;
  for (const int threads : {1, 3}) {
    MemorySource source(1000);
    add_every_type(source, 5000);
    RootFileWriter file(path("out.root"), tree_classes());
    TreeSinkOptions options = small_baskets();
    options.tree_name = "all";
    TreeSink all(file, source.schema(), options);
    options.tree_name = "dir/some";
    Schema first;
    first.add(source.schema()[0]);
    TreeSink some(file, first, options);
    PlanBuilder builder(source.schema());
    builder.write(kAllEntries, source.schema().names(), all);
    builder.write(kAllEntries, {source.schema()[0].name}, some);
    RunOptions run_options;
    run_options.threads = threads;
    run(std::move(builder).build(), source, run_options);
    all.finish();
    some.finish();
    file.commit(all.content_hash() ^ some.content_hash());
    const std::string bytes = content_of(path("out.root"));
    if (threads == 1) expected = bytes;
    EXPECT_TRUE(bytes == expected);
  }
}

TEST_F(TreeSinkTest, DifferentSizesAreAnError) {
  std::vector<std::vector<float>> pt(5000, {1, 2}), eta = pt;
  std::vector<std::int16_t> count(5000, 2);
  MemorySource equal(900);
  equal.add("jet_pt", pt).add("njet", count).add("jet_eta", eta);
  TreeSinkOptions options = small_baskets();
  options.collections = {{"jet", "njet", "", {"jet_pt", "jet_eta"}}};
  EXPECT_EQ(write_all(equal, options).num_entries, 5000u);
  std::filesystem::remove(path("out.root"));

  const auto expect_problem = [&](const std::string& problem) {
    MemorySource source(900);
    source.add("jet_pt", pt).add("njet", count).add("jet_eta", eta);
    try {
      write_all(source, options);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
    EXPECT_EQ(num_files(), 0u);
  };
  count[4321] = -2;
  expect_problem("entry 4321 of the TTree \"Events\": \"njet\" is -2, and the lists it counts have 2 values");
  eta[1234].pop_back();
  expect_problem("entry 1234 of the TTree \"Events\": \"jet_pt\" and \"jet_eta\" have 2 and 1 values");
}

TEST_F(TreeSinkTest, RefusesWhatCannotBeWritten) {
  const auto refuse = [&](const std::string& name, Type type) {
    Schema schema;
    schema.add({"x", flat(ScalarType::kFloat), ""});
    schema.add({name, type, ""});
    EXPECT_THROW(TreeSink(schema, small_baskets()), SchemaError) << name;
  };
  refuse("a b", flat(ScalarType::kFloat));
  refuse("p4", jagged(ScalarType::kLorentzVector));
  Schema twice;
  twice.add({"a.b", flat(ScalarType::kFloat), ""});
  twice.add({"a_b", flat(ScalarType::kFloat), ""});
  EXPECT_THROW(TreeSink(twice, small_baskets()), SchemaError);
  std::ofstream(path("out.root")) << "a file";
  TreeSinkOptions options = small_baskets("out.root/out.root");
  EXPECT_THROW(TreeSink(Schema(), options), FileError);
  std::filesystem::remove(path("out.root"));
  options = small_baskets();
  options.tree_name = "dir/";
  EXPECT_THROW(TreeSink(Schema(), options), SchemaError);
  options = small_baskets();
  options.settings.page_bytes = 0;
  EXPECT_THROW(TreeSink(Schema(), options), ConfigError);
  EXPECT_EQ(num_files(), 0u);
}

TEST(TreeLayout, ListsOfACollectionShareCountsInFrontOfThem) {
  Schema schema;
  schema.add({"jet.pt", jagged(ScalarType::kFloat), ""});
  schema.add({"x", flat(ScalarType::kDouble), "an x"});
  schema.add({"jet.id", jagged(ScalarType::kUInt8), ""});
  EXPECT_EQ(branches_of(schema),
            (Names{"njet_pt/I", "jet_pt[njet_pt]/F", "an x", "njet_id/I", "jet_id[njet_id]/b"}));
  EXPECT_EQ(branches_of(schema, {{"jet", "", "", {"jet.pt", "jet.id", "jet.other"}}}),
            (Names{"njet/I", "jet_pt[njet]/F", "an x", "jet_id[njet]/b"}));
  EXPECT_EQ(branches_of(schema, {{"jet", "num.jets", "jets", {"jet.pt", "jet.id"}}, {"none", "", "", {"y"}}}),
            (Names{"jets", "jet_pt[num_jets]/F", "an x", "jet_id[num_jets]/b"}));
}

TEST(TreeLayout, AColumnOfCountsIsTheirBranch) {
  Schema schema;
  schema.add({"jet_pt", jagged(ScalarType::kFloat), ""});
  schema.add({"njet", flat(ScalarType::kUInt32), ""});
  const Collection jets{"jet", "njet", "jets", {"jet_pt"}};
  EXPECT_EQ(branches_of(schema, {jets}), (Names{"njet/i", "jet_pt[njet]/F"}));
  Schema real;
  real.add({"jet_pt", jagged(ScalarType::kFloat), ""});
  real.add({"njet", flat(ScalarType::kFloat), ""});
  EXPECT_EQ(branches_of(real, {jets}), (Names{"jets", "jet_pt[njet_]/F", "njet/F"}));
}

TEST(TreeLayout, NamesOfCountsThatAreTakenGetUnderscores) {
  Schema schema;
  schema.add({"a", jagged(ScalarType::kFloat), ""});
  schema.add({"na", flat(ScalarType::kInt16), ""});
  schema.add({"na_", flat(ScalarType::kInt32), ""});
  EXPECT_EQ(branches_of(schema), (Names{"na__/I", "a[na__]/F", "na/S", "na_/I"}));
}

TEST(TreeLayout, AColumnThatSeemsToHaveTheSizesIsInFrontWithAFallback) {
  Schema schema;
  schema.add({"Muon_pt", jagged(ScalarType::kFloat), ""});
  schema.add({"nMuon", flat(ScalarType::kUInt64), ""});
  const TreeLayout layout = make_tree_layout(schema, {});
  ASSERT_EQ(layout.branches.size(), 3u);
  EXPECT_EQ(layout.branches[0].name, "nMuon");
  EXPECT_EQ(layout.branches[1].name, "nMuon_pt");
  EXPECT_TRUE(layout.branches[1].is_fallback);
  EXPECT_EQ(layout.branches[1].scalar, ScalarType::kUInt64);
  std::vector<std::size_t> kept;
  const TreeLayout shared = settled(layout, {false}, kept);
  EXPECT_EQ(kept, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(shared.groups[0].count_branch, 0u);
  EXPECT_TRUE(shared.branches[0].is_count);
  EXPECT_EQ(shared.branches[1].title, "Muon_pt[nMuon]/F");
  kept.clear();
  const TreeLayout apart = settled(layout, {true}, kept);
  EXPECT_EQ(kept, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(apart.groups[0].count_branch, 1u);
  EXPECT_FALSE(apart.branches[0].is_count);
  EXPECT_EQ(apart.branches[2].title, "Muon_pt[nMuon_pt]/F");
  EXPECT_FALSE(make_tree_layout(schema, {}, {"Muon_pt"}).groups[0].likely_count_branch);
  EXPECT_TRUE(make_tree_layout(schema, {}, {"Muon_pt", "nMuon"}).groups[0].likely_count_branch);
}

}  // namespace
}  // namespace skimline::io
