// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/parallel_writer.h"

#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/histograms/histogram_set.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/th1_writer.h"
#include "skimline/io/verification.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace skimline::io {
namespace {

using Fields = std::vector<OutputField>;

constexpr std::uint64_t kEntriesOfTicket = 400;

const Fields& sample_fields() {
  static const Fields fields{
      {"id", FieldType::of<std::uint64_t>()},
      {"hits", FieldType::vector(FieldType::of<float>())},
      {"Muon", FieldType::vector(FieldType::record(
                   {{"pt", FieldType::of<float>()}, {"tags", FieldType::vector(FieldType::string())}}))},
      {"good", FieldType::of<bool>()}};
  return fields;
}

ParallelWriterOptions small_pages(const std::string& compression = "zstd:1") {
  ParallelWriterOptions options;
  options.compression = parse_compression(compression);
  options.cluster_bytes = 20'000;
  options.page_bytes = 1024;
  return options;
}

// Numbers that follow from the entry.
std::uint64_t scrambled(std::uint64_t entry) { return (entry + 1) * 0x9E3779B97F4A7C15u >> 32; }
std::uint32_t num_hits(std::uint64_t entry) { return static_cast<std::uint32_t>(scrambled(entry) % 6); }
std::uint32_t num_muons(std::uint64_t entry) { return static_cast<std::uint32_t>(scrambled(entry) % 3); }
float value_of(std::uint64_t entry, std::uint64_t number) {
  return static_cast<float>(scrambled(entry) % 1000 + number);
}

void write_rows(FillContext& context, std::uint64_t first, std::uint64_t count) {
  auto& id = context.values<std::uint64_t>("id");
  auto& hit_list = context.list("hits");
  auto& hits = context.values<float>("hits");
  auto& muons = context.list("Muon");
  auto& pt = context.values<float>("Muon.pt");
  auto& tag_list = context.list("Muon.tags");
  StringFiller tags = context.strings("Muon.tags");
  auto& good = context.values<bool>("good");
  for (std::uint64_t entry = first; entry < first + count; ++entry) {
    id.push(entry);
    hit_list.push(num_hits(entry));
    for (std::uint64_t i = 0; i < num_hits(entry); ++i) hits.push(value_of(entry, i));
    muons.push(num_muons(entry));
    for (std::uint64_t i = 0; i < num_muons(entry); ++i) {
      pt.push(value_of(entry, i));
      tag_list.push(i + 1);
      for (std::uint64_t k = 0; k <= i; ++k) tags.push(std::to_string(scrambled(entry + k) % 1000));
    }
    good.push(entry % 3 == 0);
    context.commit_entries();
  }
}

void write_spans(FillContext& context, std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  std::vector<std::uint32_t> hit_sizes, muon_sizes, tag_sizes;
  std::vector<float> hits, pt;
  const auto good = std::make_unique<bool[]>(count);
  StringFiller tags = context.strings("Muon.tags");
  for (const std::uint64_t entry : ids) {
    hit_sizes.push_back(num_hits(entry));
    for (std::uint64_t i = 0; i < num_hits(entry); ++i) hits.push_back(value_of(entry, i));
    muon_sizes.push_back(num_muons(entry));
    for (std::uint32_t i = 0; i < num_muons(entry); ++i) {
      pt.push_back(value_of(entry, i));
      tag_sizes.push_back(i + 1);
      for (std::uint64_t k = 0; k <= i; ++k) tags.push(std::to_string(scrambled(entry + k) % 1000));
    }
    good[entry - first] = entry % 3 == 0;
  }
  context.values<bool>("good").append({good.get(), count});
  context.values<float>("Muon.pt").append(pt);
  context.list("Muon.tags").append(tag_sizes);
  context.list("Muon").append(muon_sizes);
  context.values<float>("hits").append(hits);
  context.list("hits").append(hit_sizes);
  context.values<std::uint64_t>("id").append(ids);
  context.commit_entries(count);
}

using Write = std::function<void(FillContext&, std::uint64_t first, std::uint64_t count)>;

// Rows and spans by turns, pieces of any size.
void write_mixed(FillContext& context, std::uint64_t first, std::uint64_t count) {
  std::mt19937_64 random(first);
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t piece = std::min<std::uint64_t>(count - done, random() % 50);
    (random() % 2 == 0 ? write_rows : write_spans)(context, first + done, piece);
    done += piece;
  }
}

void in_threads(unsigned num_threads, const std::function<void(unsigned)>& work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < num_threads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

RNTupleDescriptor descriptor_of(const std::string& path, const std::string& name = "Events") {
  return read_descriptor(RootFile(path), name);
}

// The message of the Error that `action` must throw.
template <typename Fault = Error, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Fault& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nwithout: " << part;
}

class ParallelWriterTest : public ::testing::Test {
 protected:
  ParallelWriterTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / ("skimline_parallel_" + std::string(test->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ParallelWriterTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "out.root") const { return (folder_ / name).string(); }

  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  // A writer that gets a valid entry and then what `misuse` does, which must throw; nothing may be left.
  template <typename Fault = Error, typename Misuse>
  std::string message_of_misuse(const Fields& fields, Misuse misuse) {
    std::string message;
    {
      ParallelWriter writer(path(), fields, small_pages());
      const auto context = writer.make_context();
      message = message_of<Fault>([&] { misuse(*context); });
      EXPECT_THROW(context->commit_entries(), Error);
      EXPECT_THROW(context->close(), Error);
      EXPECT_THROW(writer.finish(), Error);
    }
    EXPECT_EQ(num_files(), 0u) << message;
    return message;
  }

  std::filesystem::path folder_;
};

// Writes 20 tickets from threads that take them from a shared counter, disturbed by `disturb`.
ParallelWriterStatistics write_tickets(const std::string& path, unsigned num_threads, const Write& write,
                                       const std::function<void()>& disturb,
                                       ParallelWriterOptions options = small_pages()) {
  constexpr std::uint64_t kNumTickets = 20;
  ParallelWriter writer(path, sample_fields(), options);
  std::atomic<std::uint64_t> next{0};
  in_threads(num_threads, [&](unsigned) {
    for (std::uint64_t ticket; (ticket = next++) < kNumTickets;) {
      disturb();
      const auto context = writer.make_context(ticket);
      const std::uint64_t first = ticket * kEntriesOfTicket;
      write(*context, first, kEntriesOfTicket / 2);
      disturb();
      write(*context, first + kEntriesOfTicket / 2, kEntriesOfTicket / 2);
      context->close();
    }
  });
  writer.finish();
  return writer.statistics();
}

void sleep_a_little() {
  thread_local std::mt19937 random(
      static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id())));
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
}

TEST_F(ParallelWriterTest, RowsAndSpansMakeTheSamePages) {
  for (const char* compression : {"none", "lz4"}) {
    ParallelWriterOptions options = small_pages(compression);
    options.cluster_bytes = 10'000'000;  // spans are in one cluster, rows may be parted
    write_tickets(
        path("rows"), 1, write_rows, [] {}, options);
    write_tickets(
        path("spans"), 1, write_spans, [] {}, options);
    write_tickets(
        path("mixed"), 1, write_mixed, [] {}, options);
    EXPECT_EQ(content_of(path("rows")), content_of(path("spans"))) << compression;
    EXPECT_EQ(content_of(path("rows")), content_of(path("mixed"))) << compression;
  }
}

TEST_F(ParallelWriterTest, TicketsMakeTheSameBytesHoweverThreadsRun) {
  write_tickets(path("first"), 1, write_mixed, [] {});
  const std::string expected = content_of(path("first"));
  EXPECT_GT(descriptor_of(path("first")).clusters.size(), 20u);
  for (const unsigned num_threads : {1u, 2u, 3u, 8u}) {
    write_tickets(path("again"), num_threads, write_mixed, sleep_a_little);
    EXPECT_EQ(content_of(path("again")), expected) << num_threads << " threads";
  }
}

TEST_F(ParallelWriterTest, TicketsMayComeInAnyOrder) {
  write_tickets(path("first"), 1, write_rows, [] {});
  std::vector<std::uint64_t> tickets(20);
  std::iota(tickets.begin(), tickets.end(), std::uint64_t{0});
  std::mt19937 random(1);
  for (int turn = 0; turn < 5; ++turn) {
    std::shuffle(tickets.begin(), tickets.end(), random);
    ParallelWriter writer(path("again"), sample_fields(), small_pages());
    std::vector<std::pair<std::uint64_t, std::unique_ptr<FillContext>>> contexts;
    for (const std::uint64_t ticket : tickets) contexts.emplace_back(ticket, writer.make_context(ticket));
    std::shuffle(contexts.begin(), contexts.end(), random);
    for (auto& [ticket, context] : contexts)
      write_rows(*context, ticket * kEntriesOfTicket, kEntriesOfTicket);
    std::shuffle(contexts.begin(), contexts.end(), random);
    for (auto& [ticket, context] : contexts) context->close();
    writer.finish();
    EXPECT_EQ(content_of(path("again")), content_of(path("first")));
  }
}

TEST_F(ParallelWriterTest, TicketsThatAreMissingRepeatedOrMixedAreErrors) {
  {
    ParallelWriter writer(path(), sample_fields(), small_pages());
    writer.make_context(0)->close();
    const auto second = writer.make_context(2);
    expect_contains(message_of<ConfigError>([&] { writer.make_context(0); }), "ticket 0 was used before");
    expect_contains(message_of<ConfigError>([&] { writer.make_context(2); }), "ticket 2 was used before");
    expect_contains(message_of<ConfigError>([&] { writer.make_context(); }), "with and without tickets");
    write_rows(*second, 0, 1000);
    second->close();
    expect_contains(message_of([&] { writer.finish(); }), "ticket 1 was not used");
    writer.make_context(1)->close();
    writer.finish();
    EXPECT_EQ(writer.statistics().num_entries, 1000u);
  }
  ParallelWriter writer(path(), sample_fields(), small_pages());
  writer.make_context()->close();
  EXPECT_THROW(writer.make_context(0), ConfigError);
}

TEST_F(ParallelWriterTest, ArrivalOrderKeepsAllEntriesAndTheOrderOfEachContext) {
  constexpr std::uint64_t kEntries = 5000;
  constexpr unsigned kThreads = 6;
  ParallelWriter writer(path(), sample_fields(), small_pages());
  in_threads(kThreads, [&](unsigned thread) {
    const auto context = writer.make_context();
    for (std::uint64_t first = 0; first < kEntries; first += 500) {
      write_mixed(*context, thread * kEntries + first, 500);
      sleep_a_little();
    }
    context->close();
  });
  writer.finish();

  RNTupleSource written({{path(), "Events"}});
  testing::CollectingSink sink;
  PlanBuilder builder(written.schema());
  builder.write(kAllEntries, {"id", "hits", "Muon.pt"}, sink);
  run(std::move(builder).build(), written, {});
  ASSERT_EQ(sink.columns.at(0).size(), kEntries * kThreads);
  std::vector<std::uint64_t> next(kThreads);
  for (unsigned thread = 0; thread < kThreads; ++thread) next[thread] = thread * kEntries;
  for (std::size_t i = 0; i < sink.columns[0].size(); ++i) {
    const auto entry = static_cast<std::uint64_t>(sink.columns[0][i].at(0));
    ASSERT_EQ(entry, next[entry / kEntries]++);
    ASSERT_EQ(sink.columns[1][i].size(), num_hits(entry));
    ASSERT_EQ(sink.columns[2][i].size(), num_muons(entry));
    for (std::size_t k = 0; k < sink.columns[1][i].size(); ++k)
      ASSERT_EQ(sink.columns[1][i][k], value_of(entry, k));
    for (std::size_t k = 0; k < sink.columns[2][i].size(); ++k)
      ASSERT_EQ(sink.columns[2][i][k], value_of(entry, k));
  }
  EXPECT_TRUE(verify_ntuple(RootFile(path()), "Events").faults.empty());
}

TEST_F(ParallelWriterTest, ClustersEndWithTheCommittedEntryThatReachesTheirSize) {
  ParallelWriterOptions options = small_pages();
  options.cluster_bytes = 801;  // the 101st double reaches it
  options.page_bytes = 80;
  for (const std::uint64_t step : {1u, 10u, 1000u}) {
    ParallelWriter writer(path(), {{"x", FieldType::of<double>()}}, options);
    const auto context = writer.make_context();
    const std::vector<double> values(step, 1.5);
    for (std::uint64_t done = 0; done < 1000; done += step) {
      context->values<double>("x").append(values);
      context->commit_entries(step);
      context->commit_entries(0);
    }
    context->close();
    writer.finish();
    const auto clusters = descriptor_of(path()).clusters;
    const std::uint64_t expected = (101 + step - 1) / step * step;
    ASSERT_EQ(clusters.size(), (1000 + expected - 1) / expected);
    for (std::size_t i = 0; i + 1 < clusters.size(); ++i) EXPECT_EQ(clusters[i].num_entries, expected);
    for (const auto& cluster : clusters)
      for (const PageInfo& page : cluster.columns[0].pages) EXPECT_LE(page.num_elements, 10u);
    EXPECT_EQ(writer.statistics().num_clusters, clusters.size());
    EXPECT_EQ(writer.statistics().num_entries, 1000u);
    EXPECT_EQ(writer.statistics().bytes_in_memory, 8000u);
    EXPECT_EQ(writer.statistics().file_bytes, std::filesystem::file_size(path()));
  }
}

TEST_F(ParallelWriterTest, LimitsMayBeTiny) {
  ParallelWriterOptions options;
  options.cluster_bytes = 0;
  options.page_bytes = 1;
  ParallelWriter writer(path(), sample_fields(), options);
  const auto context = writer.make_context();
  write_rows(*context, 0, 20);
  context->close();
  writer.finish();
  const auto written = descriptor_of(path());
  EXPECT_EQ(written.clusters.size(), 20u);
  for (const auto& cluster : written.clusters)
    for (const ColumnRange& range : cluster.columns)
      for (const PageInfo& page : range.pages) EXPECT_EQ(page.num_elements, 1u);
}

TEST_F(ParallelWriterTest, MayBeEmpty) {
  for (const bool has_context : {false, true}) {
    ParallelWriter writer(path(), sample_fields(), small_pages());
    if (has_context) {
      const auto context = writer.make_context();
      context->commit_entries(0);
      context->values<float>("hits").append({});
      context->close();
      context->close();
    }
    writer.finish();
    const auto written = descriptor_of(path());
    EXPECT_EQ(written.num_entries(), 0u);
    EXPECT_EQ(written.clusters.size(), 0u);
    EXPECT_EQ(written.fields.size(), 9u);
  }
}

TEST_F(ParallelWriterTest, SharesAFileWithOthers) {
  {
    RootFileWriter file(path(), {"ROOT::RNTuple", "TH1D"});
    ParallelWriterOptions options = small_pages();
    ParallelWriter first(file, sample_fields(), options);
    options.ntuple_name = "deep/down/Other";
    ParallelWriter second(file, {{"x", FieldType::of<double>()}}, options);
    in_threads(4, [&](unsigned thread) {
      const auto context = (thread % 2 == 0 ? first : second).make_context();
      if (thread % 2 == 0) write_mixed(*context, thread * 10'000, 3000);
      for (int i = 0; thread % 2 == 1 && i < 10'000; ++i) {
        context->values<double>("x").push(i);
        context->commit_entries();
      }
      context->close();
    });
    histograms::HistogramSet set;
    set.add({"deep/h", "a title", histograms::Axis::regular(10, 0, 1), false});
    file.add_object(th1d_object(set.reduce()[0]));
    const std::uint64_t hash = first.finish();
    file.commit(hash ^ second.finish());
  }
  const RootFile file(path());
  EXPECT_EQ(read_descriptor(file, "Events").num_entries(), 6000u);
  EXPECT_EQ(read_descriptor(file, "deep/down/Other").num_entries(), 20'000u);
  EXPECT_TRUE(verify_ntuple(file, "Events").faults.empty());
  EXPECT_TRUE(verify_ntuple(file, "deep/down/Other").faults.empty());
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(ParallelWriterTest, WrongCountsNameTheColumn) {
  const auto too_few = [](FillContext& context) {
    write_rows(context, 0, 5);
    context.values<std::uint64_t>("id").push(5);
    context.list("hits").push(0);
    context.list("Muon").push(0);
    context.commit_entries();
  };
  expect_contains(message_of_misuse<SchemaError>(sample_fields(), too_few),
                  "column \"good\" has 1 value too few for the 6 entries");
  const auto too_many = [](FillContext& context) {
    write_rows(context, 0, 5);
    const std::vector<std::uint64_t> ids(3);
    context.values<std::uint64_t>("id").append(ids);
    context.commit_entries(0);
  };
  expect_contains(message_of_misuse<SchemaError>(sample_fields(), too_many),
                  "column \"id\" has 3 values too many for the 5 entries");
  const auto list_without_values = [](FillContext& context) {
    context.values<std::uint64_t>("id").push(5);
    context.list("hits").push(3);
    context.values<float>("hits").push(1);
    context.list("Muon").push(0);
    context.values<bool>("good").push(true);
    context.commit_entries();
  };
  expect_contains(message_of_misuse<SchemaError>(sample_fields(), list_without_values),
                  "column \"hits\" has 2 values too few for the 1 entry");
  const auto no_list = [](FillContext& context) {
    context.values<std::uint64_t>("id").push(5);
    context.list("hits").push(0);
    context.values<bool>("good").push(true);
    context.commit_entries();
  };
  expect_contains(message_of_misuse<SchemaError>(sample_fields(), no_list),
                  "column \"Muon\" has 1 list too few");
  const auto inner_list = [](FillContext& context) {
    context.values<std::uint64_t>("id").push(5);
    context.list("hits").push(0);
    context.list("Muon").push(1);
    context.values<float>("Muon.pt").push(0);
    context.list("Muon.tags").push(2);
    context.strings("Muon.tags").push("one");
    context.values<bool>("good").push(true);
    context.commit_entries();
  };
  expect_contains(message_of_misuse<SchemaError>(sample_fields(), inner_list), "column \"Muon.tags\"");
  const auto huge = [](FillContext& context) { context.commit_entries(~std::uint64_t{0}); };
  expect_contains(message_of_misuse<SchemaError>(sample_fields(), huge), "column \"id\"");
  const auto uncommitted = [](FillContext& context) {
    write_rows(context, 0, 100);
    context.strings("Muon.tags").push("x");
    context.close();
  };
  expect_contains(message_of_misuse<SchemaError>(sample_fields(), uncommitted),
                  "column \"Muon.tags\" has 1 list too many for the 100 entries");
}

TEST_F(ParallelWriterTest, ListSizesThatWrapAroundAreErrors) {
  const Fields fields{{"v", FieldType::vector(FieldType::of<float>())}};
  const auto by_rows = [](FillContext& context) {
    context.list("v").push(~std::uint64_t{0});
    context.list("v").push(1);
    context.commit_entries(2);
  };
  expect_contains(message_of_misuse<SchemaError>(fields, by_rows), "column \"v\"");
  const auto by_spans = [](FillContext& context) {
    context.list("v").push(~std::uint64_t{0});
    const std::vector<std::uint32_t> sizes{0, 1, 0};
    context.list("v").append(sizes);
    context.commit_entries(4);
  };
  expect_contains(message_of_misuse<SchemaError>(fields, by_spans), "column \"v\"");
}

TEST_F(ParallelWriterTest, ValuesThatAnEncodingCannotHoldAreErrors) {
  const Fields fields{{"a", FieldType::of<double>().quantized(12, -1, 1)},
                      {"b", FieldType::of<std::int8_t>()}};
  const auto misuse = [](FillContext& context) {
    for (int i = 0; i < 5000; ++i) {
      context.values<double>("a").push(i == 3333 ? 1.25 : .5);
      context.values<std::int8_t>("b").push(1);
      context.commit_entries();
    }
    context.close();
  };
  // Clusters of 20 000 bytes have 2223 entries of 9 bytes.
  const std::string message = message_of_misuse<ConfigError>(fields, misuse);
  expect_contains(message, "column \"a\", value number 1110 of the cluster that begins with entry 2223");
  expect_contains(message, "1.25");
}

TEST_F(ParallelWriterTest, FieldsThatCannotBeWrittenAreErrors) {
  const auto number = FieldType::of<float>();
  for (const Fields& fields : {Fields{}, Fields{{"a b", number}}, Fields{{"", number}},
                               Fields{{"a.b", number}}, Fields{{"a", number}, {"a", number}},
                               Fields{{"r", FieldType::record({{"a", number}, {"a", number}})}},
                               Fields{{"r", FieldType::record({{"a b", number}})}},
                               Fields{{"v", FieldType::vector(FieldType::vector(
                                                FieldType::record({{"_0", FieldType::vector(number)}})))}}})
    EXPECT_THROW(ParallelWriter(path(), fields), SchemaError);
  EXPECT_THROW(FieldType::record({}), SchemaError);
  EXPECT_THROW(FieldType::of<int>().half_precision(), SchemaError);
  EXPECT_THROW(FieldType::string().half_precision(), SchemaError);
  EXPECT_THROW(FieldType::of<float>().truncated(9), SchemaError);
  EXPECT_THROW(FieldType::of<float>().truncated(32), SchemaError);
  EXPECT_THROW(FieldType::of<double>().quantized(0, 0, 1), SchemaError);
  EXPECT_THROW(FieldType::of<double>().quantized(33, 0, 1), SchemaError);
  EXPECT_THROW(FieldType::of<double>().quantized(8, 1, 1), SchemaError);
  EXPECT_THROW(FieldType::of<double>().quantized(8, 0, std::numeric_limits<double>::infinity()), SchemaError);
  ParallelWriterOptions options;
  options.ntuple_name = "a b";
  EXPECT_THROW(ParallelWriter(path(), sample_fields(), options), SchemaError);
  options = {};
  options.page_bytes = 0;
  EXPECT_THROW(ParallelWriter(path(), sample_fields(), options), ConfigError);
  options.page_bytes = std::uint64_t{1} << 40;
  EXPECT_THROW(ParallelWriter(path(), sample_fields(), options), ConfigError);
  EXPECT_THROW(ParallelWriter(path("missing/out.root"), sample_fields()), FileError);
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(ParallelWriterTest, UnknownNamesGiveTheNearest) {
  ParallelWriter writer(path(), sample_fields());
  const auto context = writer.make_context();
  expect_contains(message_of<SchemaError>([&] { context->values<float>("Muon.pT"); }), "\"Muon.pt\"?");
  expect_contains(message_of<SchemaError>([&] { context->list("hit"); }), "\"hits\"?");
  expect_contains(message_of<SchemaError>([&] { context->strings("Muon.tag"); }), "\"Muon.tags\"?");
  EXPECT_THROW(context->values<float>("Muon.tags"), SchemaError);
  EXPECT_THROW(context->list("id"), SchemaError);
  const std::string message = message_of<SchemaError>([&] { context->values<double>("Muon.pt"); });
  expect_contains(message, "holds float, not double");
  write_rows(*context, 0, 10);
  context->close();
  writer.finish();
  EXPECT_EQ(descriptor_of(path()).num_entries(), 10u) << "a wrong name does no harm";
}

TEST_F(ParallelWriterTest, NothingMayFollowTheEnd) {
  ParallelWriter writer(path(), sample_fields(), small_pages());
  const auto context = writer.make_context();
  write_rows(*context, 0, 10);
  context->close();
  EXPECT_THROW(context->commit_entries(0), Error);
  EXPECT_THROW(context->values<float>("hits").push(1), Error);
  EXPECT_THROW(context->list("hits").append(std::vector<std::uint32_t>{1}), Error);
  writer.finish();
  const std::string content = content_of(path());
  EXPECT_THROW(writer.finish(), Error);
  EXPECT_THROW(writer.make_context(), Error);
  EXPECT_EQ(writer.statistics().num_entries, 10u);
  EXPECT_EQ(content_of(path()), content);
}

TEST_F(ParallelWriterTest, ContextsThatAreNotClosedLeaveNoFile) {
  {
    ParallelWriter writer(path(), sample_fields(), small_pages());
    const auto context = writer.make_context();
    write_rows(*context, 0, 1000);
    expect_contains(message_of([&] { writer.finish(); }), "fill contexts that are not closed: 1");
    context->close();
    const auto lost = [&] {
      const auto given_up = writer.make_context();
      write_rows(*given_up, 0, 1000);
      throw std::runtime_error("the user's");
    };
    EXPECT_THROW(lost(), std::runtime_error);
    expect_contains(message_of([&] { writer.finish(); }), "was not closed");
  }
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(ParallelWriterTest, OthersEndSoonAfterAContextWasGivenUp) {
  for (const bool has_tickets : {false, true}) {
    ParallelWriter writer(path(), sample_fields(), small_pages());
    std::atomic<unsigned> num_ended{0};
    in_threads(4, [&](unsigned thread) {
      const auto context = has_tickets ? writer.make_context(thread) : writer.make_context();
      if (thread == 0) return;
      try {
        for (std::uint64_t first = 0;; first += 1000) write_mixed(*context, first, 1000);
      } catch (const Error&) {
        ++num_ended;
      }
    });
    EXPECT_EQ(num_ended, 3u);
    EXPECT_THROW(writer.finish(), Error);
  }
  EXPECT_EQ(num_files(), 0u);
}

// Lets no file of this process become larger; SIGXFSZ becomes an error of the call.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit smaller{bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &smaller);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit limit_{};
  void (*handler_)(int);
};

TEST_F(ParallelWriterTest, StorageThatIsFullLeavesNoFile) {
  for (const bool has_tickets : {false, true}) {
    const FileSizeLimit limit(100'000);
    std::atomic<unsigned> num_failed{0};
    ParallelWriter writer(path(), sample_fields(), small_pages("none"));
    in_threads(3, [&](unsigned thread) {
      const auto context = has_tickets ? writer.make_context(thread) : writer.make_context();
      try {
        write_rows(*context, 0, 10'000);
        context->close();
      } catch (const Error&) {
        ++num_failed;
        EXPECT_THROW(context->close(), Error) << "trying again cannot help";
      }
    });
    EXPECT_GE(num_failed, 1u);
    EXPECT_THROW(writer.finish(), Error);
  }
  {
    const FileSizeLimit limit(100'000);
    ParallelWriterOptions options = small_pages("none");
    options.cluster_bytes = 10'000'000;
    ParallelWriter writer(path(), sample_fields(), options);
    const auto context = writer.make_context();
    write_rows(*context, 0, 10'000);
    expect_contains(message_of<FileError>([&] { context->close(); }), path());
    EXPECT_THROW(writer.finish(), Error);
  }
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(ParallelWriterTest, FullStorageAtTheEndLeavesNoFile) {
  {
    ParallelWriter writer(path(), sample_fields(), small_pages("none"));
    const auto context = writer.make_context();
    write_rows(*context, 0, 2000);
    context->close();
    const FileSizeLimit limit(5000);
    EXPECT_THROW(writer.finish(), FileError);
    EXPECT_THROW(writer.finish(), Error);
  }
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(ParallelWriterTest, SpansMayBeLargerThanClusters) {
  for (const char* compression : {"none", "zstd:1"}) {
    std::vector<std::int32_t> values(1'000'003);
    std::iota(values.begin(), values.end(), -5);
    ParallelWriter writer(path(), {{"x", FieldType::of<std::int32_t>()}}, small_pages(compression));
    const auto context = writer.make_context();
    context->values<std::int32_t>("x").push(-6);
    context->values<std::int32_t>("x").append(values);
    context->commit_entries(values.size() + 1);
    context->close();
    writer.finish();
    const auto clusters = descriptor_of(path()).clusters;
    ASSERT_EQ(clusters.size(), 1u);
    EXPECT_EQ(clusters[0].num_entries, values.size() + 1);
    RNTupleSource written({{path(), "Events"}});
    testing::CollectingSink sink;
    PlanBuilder builder(written.schema());
    builder.write(kAllEntries, {"x"}, sink);
    run(std::move(builder).build(), written, {});
    ASSERT_EQ(sink.columns.at(0).size(), values.size() + 1);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(sink.columns[0][i + 1].at(0), values[i]);
  }
}

TEST_F(ParallelWriterTest, EqualPagesOfAClusterAreStoredOnce) {
  ParallelWriter writer(path(),
                        {{"a", FieldType::of<std::int32_t>()},
                         {"b", FieldType::of<std::int32_t>()},
                         {"zero", FieldType::of<std::int32_t>()}},
                        small_pages("none"));
  const auto context = writer.make_context();
  std::vector<std::int32_t> values(1000);
  context->values<std::int32_t>("zero").append(values);
  std::iota(values.begin(), values.end(), 1);
  context->values<std::int32_t>("a").append(values);
  context->values<std::int32_t>("b").append(values);
  context->commit_entries(1000);
  context->close();
  writer.finish();
  const auto clusters = descriptor_of(path()).clusters;
  ASSERT_EQ(clusters.size(), 1u);
  const auto& columns = clusters[0].columns;
  std::set<std::uint64_t> offsets;
  for (std::size_t page = 0; page < columns[0].pages.size(); ++page) {
    EXPECT_EQ(columns[0].pages[page].locator.offset, columns[1].pages[page].locator.offset);
    for (const std::size_t column : {0, 2}) offsets.insert(columns[column].pages[page].locator.offset);
  }
  // Four pages of different numbers, three equal ones of zeros and a shorter one.
  EXPECT_EQ(columns[0].pages.size(), 4u);
  EXPECT_EQ(offsets.size(), 6u);
  EXPECT_TRUE(verify_ntuple(RootFile(path()), "Events").faults.empty());
}

TEST_F(ParallelWriterTest, MemoryIsInProportionToTheCluster) {
  for (const char* compression : {"none", "zstd:1"}) {
    for (const Write& write : {Write(write_rows), Write(write_spans)}) {
      for (const unsigned num_contexts : {1u, 3u}) {
        ParallelWriterOptions options;
        options.compression = parse_compression(compression);
        options.cluster_bytes = 2'000'000;
        options.page_bytes = 50'000;
        ParallelWriter writer(path(), sample_fields(), options);
        in_threads(num_contexts, [&](unsigned thread) {
          const auto context = writer.make_context();
          for (std::uint64_t i = 0; i < 100; ++i) write(*context, (thread * 100 + i) * 1000, 1000);
          context->close();
        });
        writer.finish();
        const std::uint64_t num_columns = descriptor_of(path()).columns.size();
        EXPECT_GE(writer.statistics().num_clusters, num_contexts * 3);
        EXPECT_LE(writer.statistics().peak_page_bytes,
                  num_contexts * (2 * options.cluster_bytes + num_columns * options.page_bytes))
            << compression;
        EXPECT_GT(writer.statistics().peak_page_bytes, options.page_bytes);
      }
    }
  }
}

}  // namespace
}  // namespace skimline::io
