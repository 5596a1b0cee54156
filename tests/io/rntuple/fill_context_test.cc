// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/fill_context.h"

#include "written_entries.h"

#include <atomic>
#include <csignal>
#include <limits>

#include <sys/resource.h>

namespace skimline::io {
namespace {

using namespace testing;

using FillContextTest = WriterTest;

TEST_F(FillContextTest, WrongCountsNameTheColumn) {
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

TEST_F(FillContextTest, ListSizesThatWrapAroundAreErrors) {
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

TEST_F(FillContextTest, ValuesThatAnEncodingCannotHoldAreErrors) {
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

TEST_F(FillContextTest, FieldsThatCannotBeWrittenAreErrors) {
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
  options.settings.page_bytes = 0;
  EXPECT_THROW(ParallelWriter(path(), sample_fields(), options), ConfigError);
  options.settings.page_bytes = std::uint64_t{1} << 40;
  EXPECT_THROW(ParallelWriter(path(), sample_fields(), options), ConfigError);
  EXPECT_THROW(ParallelWriter("/dev/null/out.root", sample_fields()), FileError);
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(FillContextTest, UnknownNamesGiveTheNearest) {
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

TEST_F(FillContextTest, NothingMayFollowTheEnd) {
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

TEST_F(FillContextTest, ContextsThatAreNotClosedLeaveNoFile) {
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

TEST_F(FillContextTest, OthersEndSoonAfterAContextWasGivenUp) {
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

TEST_F(FillContextTest, StorageThatIsFullLeavesNoFile) {
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
    options.settings.cluster_bytes = 10'000'000;
    ParallelWriter writer(path(), sample_fields(), options);
    const auto context = writer.make_context();
    write_rows(*context, 0, 10'000);
    expect_contains(message_of<FileError>([&] { context->close(); }), path());
    EXPECT_THROW(writer.finish(), Error);
  }
  EXPECT_EQ(num_files(), 0u);
}

TEST_F(FillContextTest, FullStorageAtTheEndLeavesNoFile) {
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

}  // namespace
}  // namespace skimline::io
