// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/parallel_writer.h"

#include "filled_histogram.h"
#include "memory_source.h"
#include "written_entries.h"

#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/ntuple_verification.h"
#include "skimline/io/rntuple_source.h"

#include <atomic>
#include <chrono>
#include <set>

namespace skimline::io {
namespace {

using namespace testing;
using skimline::testing::CollectingSink;

constexpr std::uint64_t kEntriesOfTicket = 400;

using ParallelWriterTest = WriterTest;

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
  for (const char* compression : {"none", "lz4", "auto"}) {
    ParallelWriterOptions options = small_pages(compression);
    options.settings.cluster_bytes = 10'000'000;  // spans are in one cluster, rows may be parted
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
  const ParallelWriterOptions options = small_pages("auto");
  write_tickets(
      path("first"), 1, write_mixed, [] {}, options);
  const std::string expected = content_of(path("first"));
  EXPECT_GT(descriptor_of(path("first")).clusters.size(), 20u);
  for (const unsigned num_threads : {1u, 2u, 3u, 8u}) {
    write_tickets(path("again"), num_threads, write_mixed, sleep_a_little, options);
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
  constexpr std::uint64_t kEntriesOfContext = 5000;
  constexpr unsigned kThreads = 6;
  ParallelWriter writer(path(), sample_fields(), small_pages());
  in_threads(kThreads, [&](unsigned thread) {
    const auto context = writer.make_context();
    for (std::uint64_t first = 0; first < kEntriesOfContext; first += 500) {
      write_mixed(*context, thread * kEntriesOfContext + first, 500);
      sleep_a_little();
    }
    context->close();
  });
  writer.finish();

  RNTupleSource written({{path(), "Events"}});
  CollectingSink sink;
  PlanBuilder builder(written.schema());
  builder.write(kAllEntries, {"id", "hits", "Muon.pt"}, sink);
  run(std::move(builder).build(), written, {});
  ASSERT_EQ(sink.columns.at(0).size(), kEntriesOfContext * kThreads);
  std::vector<std::uint64_t> next(kThreads);
  for (unsigned thread = 0; thread < kThreads; ++thread) next[thread] = thread * kEntriesOfContext;
  for (std::size_t i = 0; i < sink.columns[0].size(); ++i) {
    const auto entry = static_cast<std::uint64_t>(sink.columns[0][i].at(0));
    ASSERT_EQ(entry, next[entry / kEntriesOfContext]++);
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
  options.settings.cluster_bytes = 801;  // the 101st double reaches it
  options.settings.page_bytes = 80;
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
  options.settings.cluster_bytes = 0;
  options.settings.page_bytes = 1;
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
    histograms::Histogram histogram =
        filled_histogram({histograms::Axis::regular(10, 0, 1)}, histograms::Storage::kCount, {{}});
    histogram.name = "deep/h";
    file.add_object(root_object(histogram));
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

TEST_F(ParallelWriterTest, SpansMayBeLargerThanClusters) {
  for (const char* compression : {"none", "zstd:1"}) {
    std::vector<std::int32_t> values(100'003);
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
    CollectingSink sink;
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
        options.settings.compression = parse_compression(compression);
        options.settings.cluster_bytes = 2'000'000;
        options.settings.page_bytes = 50'000;
        ParallelWriter writer(path(), sample_fields(), options);
        in_threads(num_contexts, [&](unsigned thread) {
          const auto context = writer.make_context();
          for (std::uint64_t i = 0; i < 100; ++i) write(*context, (thread * 100 + i) * 1000, 1000);
          context->close();
        });
        writer.finish();
        const std::uint64_t num_columns = descriptor_of(path()).columns.size();
        EXPECT_GE(writer.statistics().num_clusters, num_contexts * 3);
        EXPECT_LE(
            writer.statistics().peak_page_bytes,
            num_contexts * (2 * *options.settings.cluster_bytes + num_columns * *options.settings.page_bytes))
            << compression;
        EXPECT_GT(writer.statistics().peak_page_bytes, options.settings.page_bytes);
      }
    }
  }
}

}  // namespace
}  // namespace skimline::io