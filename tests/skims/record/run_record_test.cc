// SPDX-License-Identifier: BSD-3-Clause
// Records: written and read back, put together from parts, and texts that are damaged.
#include "skimline/skims/run_record.h"

#include "record/record_inputs.h"
#include "record/record_text.h"
#include "sample_record.h"
#include "temporary_folder.h"

#include "skimline/framework/error.h"
#include "skimline/skims/merged_record.h"
#include "skimline/skims/record_objects.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

RunRecord two_samples() {
  RunRecord record = {.version = "0.9.0", .configs = {R"({"b": 1, "a": [1.0, "x"]})"}, .samples = {}};
  SampleRecord ttbar = sample_record("ttbar", {100, 40, 7}, {12.5, 3.25, -0.5}, {500, 20, 3});
  ttbar.metadata = {
      {"year", std::int64_t{2018}}, {"k", 1.5}, {"mc", true}, {"title", std::string("t#bar{t}")}};
  ttbar.cross_section_pb = 729.84;
  ttbar.weight = "genWeight";
  ttbar.inputs = {{"b.root", "Events", "uuid-b", 60, {{0, 60}}},
                  {"a.root", "Events", "uuid-a", 40, {{0, 40}}}};
  ttbar.skipped = {{"z.root", "is truncated"}, {"y.root", "is empty"}};
  SampleRecord data = sample_record("data", {10, 4, 0}, {10, 4, 0}, {10, 4, 0});
  data.inputs = {{"d.root", "Events", "uuid-d", 20, {{0, 5}, {15, 5}}}};
  record.samples = {ttbar, data};
  return record;
}

void write(const std::string& path, const RunRecord& record) {
  io::RootFileWriter writer(path, record_classes());
  for (const io::RootObject& object : record_objects(record)) writer.add_object(object);
  writer.commit();
}

io::TextsOfInputs texts(const std::vector<RunRecord>& records) {
  io::TextsOfInputs inputs{.path = "skimline/record", .texts = {}, .num_files_without = 0};
  for (const RunRecord& record : records)
    inputs.texts.push_back({"file" + std::to_string(inputs.texts.size()), record_text(record)});
  return inputs;
}

std::string merged(const std::vector<std::string>& parts) {
  io::TextsOfInputs inputs{.path = "skimline/record", .texts = {}, .num_files_without = 0};
  for (const std::string& part : parts) inputs.texts.push_back({"file", part});
  return merged_record_text(inputs);
}

std::string problem_with(const std::vector<RunRecord>& records) {
  try {
    merged_record_text(texts(records));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(RunRecord, IsReadBack) {
  const TemporaryFolder folder;
  const RunRecord record = two_samples();
  write(folder.path("a.root"), record);
  const std::optional<RunRecord> read = read_record(io::RootFile(folder.path("a.root")));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, "0.9.0");
  ASSERT_EQ(read->configs, std::vector<std::string>{R"({"b":1,"a":[1.0,"x"]})"});
  ASSERT_EQ(read->samples.size(), 2u);
  EXPECT_EQ(read->samples[0].name, "data");
  EXPECT_EQ(read->samples[0].cross_section_pb, std::nullopt);
  const SampleRecord& ttbar = read->samples[1];
  EXPECT_EQ(ttbar.name, "ttbar");
  EXPECT_EQ(ttbar.cross_section_pb, 729.84);
  EXPECT_EQ(ttbar.weight, "genWeight");
  const std::vector<std::pair<std::string, ConstantValue>> metadata{
      {"k", 1.5}, {"mc", true}, {"title", std::string("t#bar{t}")}, {"year", std::int64_t{2018}}};
  EXPECT_EQ(ttbar.metadata, metadata);
  ASSERT_EQ(ttbar.inputs.size(), 2u);
  EXPECT_EQ(ttbar.inputs[0].file, "a.root");
  EXPECT_EQ(ttbar.inputs[1].processed.size(), 1u);
  EXPECT_EQ(ttbar.skipped[0].problem, "is empty");
  EXPECT_EQ(ttbar.cutflow.contents(), (std::vector<double>{0, 100, 40, 7, 0}));
  EXPECT_TRUE(ttbar.cutflow.has_exact_sums);
  EXPECT_EQ(ttbar.weighted_cutflow.contents(), (std::vector<double>{0, 12.5, 3.25, -0.5, 0}));
  EXPECT_EQ(ttbar.weighted_cutflow.variances(), (std::vector<double>{0, 500, 20, 3, 0}));
  EXPECT_EQ(ttbar.weighted_cutflow.axes[0].names()[1], "step 1");
  EXPECT_TRUE(problems_of(*read).empty());
}

TEST(RunRecord, OrderDoesNotMatter) {
  const TemporaryFolder folder;
  RunRecord record = two_samples();
  write(folder.path("a.root"), record);
  std::reverse(record.samples.begin(), record.samples.end());
  for (SampleRecord& sample : record.samples) {
    std::reverse(sample.inputs.begin(), sample.inputs.end());
    std::reverse(sample.metadata.begin(), sample.metadata.end());
    std::reverse(sample.skipped.begin(), sample.skipped.end());
  }
  write(folder.path("b.root"), record);
  EXPECT_EQ(content_of(folder.path("a.root")), content_of(folder.path("b.root")));
}

TEST(RunRecord, FileWithoutOneHasNone) {
  const TemporaryFolder folder;
  io::RootFileWriter writer(folder.path("a.root"));
  writer.commit();
  EXPECT_FALSE(read_record(io::RootFile(folder.path("a.root"))));
}

TEST(RunRecord, WithoutSamplesIsReadBack) {
  const TemporaryFolder folder;
  write(folder.path("a.root"), {.version = "1.0.0", .configs = {}, .samples = {}});
  EXPECT_EQ(read_record(io::RootFile(folder.path("a.root")))->version, "1.0.0");
}

TEST(RunRecord, SaysWhereHistogramsAndInputsDisagree) {
  RunRecord record = two_samples();
  record.samples[1].inputs[0].processed[1].count = 4;
  ASSERT_EQ(problems_of(record).size(), 1u);
  EXPECT_NE(problems_of(record)[0].find("counts 10 entries, while its inputs say that 9"), std::string::npos);
  record = two_samples();
  record.samples[0].weighted_cutflow = {};
  EXPECT_EQ(problems_of(record).size(), 1u);
  record = two_samples();
  record.num_files_without = 2;
  EXPECT_EQ(problems_of(record).size(), 1u);
}

// Steps that inputs carry come first: the step behind them counts the entries.
TEST(RunRecord, CountsBehindTheStepsThatInputsCarry) {
  RunRecord record = two_samples();
  record.samples[0].num_carried_steps = 1;
  EXPECT_EQ(problems_of(record).size(), 1u);
  record.samples[0].inputs = {{"skim.root", "Events", "uuid-s", 40, {{0, 40}}}};
  EXPECT_TRUE(problems_of(record).empty());
  record.samples[0].num_carried_steps = 3;
  EXPECT_EQ(problems_of(record).size(), 1u);
}

TEST(RunRecord, TextsSaysWhatIsThere) {
  const std::string text = to_text(two_samples());
  for (const char* part :
       {"ttbar", "729.84 pb", "t#bar{t}", "12.5 +- 22.36068", "58.3872 for each inverse picobarn", "40.00 %",
        "step 2", "z.root: is truncated", "5 to 15"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(RunRecord, JsonHasAllNumbers) {
  const auto json = nlohmann::json::parse(to_json(two_samples()));
  const auto& ttbar = json["samples"][0];
  EXPECT_EQ(ttbar["entries"], 100);
  EXPECT_EQ(ttbar["sum_weights"], 12.5);
  EXPECT_EQ(ttbar["scale_per_inverse_pb"], 729.84 / 12.5);
  EXPECT_EQ(ttbar["cutflow"][1]["events"], 40);
  EXPECT_EQ(ttbar["cutflow"][2]["relative"], -0.5 / 3.25);
  EXPECT_TRUE(json["samples"][1]["scale_per_inverse_pb"].is_null());
  EXPECT_EQ(json["configs"][0]["b"], 1);
  EXPECT_TRUE(json["problems"].empty());
}

// Random parts of random inputs, against a count for each single entry.
TEST(RecordInputs, UniteAsSingleEntriesDo) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 500; ++round) {
    std::map<std::string, std::vector<std::vector<std::size_t>>> expected;  // records by entry of each UUID
    std::vector<InputOfRecord> inputs;
    for (std::size_t i = 0; i < 1 + below(6); ++i) {
      const std::string uuid = "u" + std::to_string(below(2));
      auto& records = expected[uuid];
      records.resize(30);
      InputOfRecord input{{uuid + ".root", "Events", uuid, 30, {}}, below(3)};
      for (std::uint64_t next = below(10); next < 30;) {
        const EntryRange range{next, std::min<std::uint64_t>(1 + below(10), 30 - next)};
        for (std::uint64_t entry = range.first; entry < range.end(); ++entry)
          records[entry].push_back(input.record);
        input.input.processed.push_back(range);
        next = range.end() + 1 + below(8);
      }
      inputs.push_back(input);
    }
    const UnitedInputs united = unite(inputs);
    bool has_overlap = false;
    for (const auto& [uuid, records] : expected) {
      std::vector<std::size_t> times(30);
      for (const InputRecord& input : united.inputs) {
        if (input.uuid != uuid) continue;
        for (std::size_t i = 0; i < input.processed.size(); ++i) {
          if (i > 0) {
            EXPECT_GT(input.processed[i].first, input.processed[i - 1].end());
          }
          for (std::uint64_t entry = input.processed[i].first; entry < input.processed[i].end(); ++entry)
            ++times[entry];
        }
      }
      for (std::size_t entry = 0; entry < 30; ++entry) {
        EXPECT_EQ(times[entry], records[entry].size());
        const std::set<std::size_t> different(records[entry].begin(), records[entry].end());
        has_overlap |= different.size() > 1;
      }
    }
    EXPECT_EQ(united.overlap.has_value(), has_overlap);
    if (united.overlap) {
      const Overlap& overlap = *united.overlap;
      for (std::uint64_t entry = overlap.entries.first; entry < overlap.entries.end(); ++entry)
        for (const std::size_t record : {overlap.first_record, overlap.second_record}) {
          const auto& records = expected[overlap.input.uuid][entry];
          EXPECT_NE(std::find(records.begin(), records.end(), record), records.end());
        }
    }
  }
}

// The first of its names, and the last state of the file of that name.
TEST(RecordInputs, CopiesHaveOneNameAndItsLastState) {
  const auto input = [](const std::string& file, const std::string& version, std::uint64_t file_bytes) {
    InputRecord made{file, "Events", "uuid", 30, {}};
    made.version = version;
    made.file_bytes = file_bytes;
    return made;
  };
  std::vector<InputRecord> copies{input("b.root", "9", 90), input("a.root", "1", 10),
                                  input("a.root", "2", 20), input("c.root", "8", 80)};
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    std::vector<InputOfRecord> inputs;
    for (const std::size_t number : order) inputs.push_back({copies[number], number});
    const UnitedInputs united = unite(inputs);
    ASSERT_EQ(united.inputs.size(), 1u);
    EXPECT_EQ(united.inputs[0].file, "a.root");
    EXPECT_EQ(united.inputs[0].version, "2");
    EXPECT_EQ(united.inputs[0].file_bytes, 20u);
  } while (std::next_permutation(order.begin(), order.end()));
}

// What was written anew into a file has its name, and may have its UUID.
TEST(RecordInputs, OfOtherNumbersOfEntriesAreOthers) {
  const UnitedInputs united = unite(
      {{{"a.root", "Events", "uuid", 30, {{0, 30}}}, 0}, {{"a.root", "Events", "uuid", 40, {{0, 40}}}, 1}});
  EXPECT_EQ(united.inputs.size(), 2u);
  EXPECT_FALSE(united.overlap.has_value());
  EXPECT_EQ(num_processed(united.inputs), 70u);
}

TEST(RecordInputs, MissingEntries) {
  const auto missing = missing_entries({"a", "Events", "", 20, {{2, 3}, {10, 5}}});
  ASSERT_EQ(missing.size(), 3u);
  EXPECT_EQ(missing[1].first, 5u);
  EXPECT_EQ(missing[1].count, 5u);
  EXPECT_EQ(missing[2].end(), 20u);
  EXPECT_TRUE(missing_entries({"a", "Events", "", 0, {}}).empty());
}

// The parts of a run, put together in any tree, give the text of the whole run.
TEST(MergedRecord, IsThatOfTheWholeRunInAnyTree) {
  const RunRecord whole = [] {
    RunRecord record = two_samples();
    make_canonical(record);
    return record;
  }();
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> parts;
    const std::uint64_t num_parts = 1 + random() % 7;
    for (std::uint64_t part = 0; part < num_parts; ++part) {
      RunRecord shard = whole;
      for (SampleRecord& sample : shard.samples) {
        if (part > 0) sample.skipped.clear();
        for (InputRecord& input : sample.inputs) {
          const std::uint64_t first = input.num_entries * part / num_parts;
          const std::uint64_t last = input.num_entries * (part + 1) / num_parts;
          std::vector<EntryRange> own;
          for (const EntryRange& range : input.processed) {
            const std::uint64_t begin = std::max(first, range.first), end = std::min(last, range.end());
            if (begin < end) own.push_back({begin, end - begin});
          }
          input.processed = own;
        }
      }
      parts.push_back(record_text(shard));
    }
    std::shuffle(parts.begin(), parts.end(), random);
    while (parts.size() > 1) {
      const std::size_t taken = std::min<std::size_t>(2 + random() % 2, parts.size());
      const std::string sum = merged({parts.end() - static_cast<std::ptrdiff_t>(taken), parts.end()});
      parts.resize(parts.size() - taken);
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(random() % (parts.size() + 1)), sum);
    }
    EXPECT_EQ(parts[0], record_text(whole));
  }
}

TEST(MergedRecord, KeepsDifferentConfigsAndVersions) {
  RunRecord first = two_samples(), second = two_samples();
  first.samples.pop_back();
  second.samples.erase(second.samples.begin());
  second.version = "0.10.0";
  second.configs = {R"({"a": 2})"};
  const RunRecord sum = parse_record(merged_record_text(texts({first, second})));
  EXPECT_EQ(sum.version, "0.10.0, 0.9.0");
  EXPECT_EQ(sum.configs.size(), 2u);
  EXPECT_EQ(sum.samples.size(), 2u);
  EXPECT_EQ(merged_record_text(texts({sum, sum}), {.is_allowed = true}).find("0.9.0, 0.9.0"),
            std::string::npos);
}

TEST(MergedRecord, RefusesToCountTwice) {
  RunRecord second = two_samples();
  second.samples[0].inputs = {{"elsewhere/b.root", "Events", "uuid-b", 60, {{50, 5}}}};
  second.samples.pop_back();
  const std::string problem = problem_with({two_samples(), second});
  for (const char* part : {"file0", "file1", "entries 50 to 55", "b.root", "ttbar", "--allow-overlap"})
    EXPECT_NE(problem.find(part), std::string::npos) << problem;
  const RunRecord sum =
      parse_record(merged_record_text(texts({two_samples(), second}), {.is_allowed = true}));
  EXPECT_EQ(num_processed(sum.samples[1].inputs), 105u);
}

TEST(MergedRecord, RefusesSamplesThatDiffer) {
  const std::vector<std::function<void(SampleRecord&)>> changes{
      [](SampleRecord& sample) { sample.cross_section_pb = 831.76; },
      [](SampleRecord& sample) { sample.cross_section_pb.reset(); },
      [](SampleRecord& sample) { sample.weight = "1"; },
      [](SampleRecord& sample) { sample.metadata[0].second = std::int64_t{2017}; },
      [](SampleRecord& sample) { sample.metadata.pop_back(); },
      [](SampleRecord& sample) { sample.normalisation = 2; },
      [](SampleRecord& sample) { sample.num_carried_steps = 1; }};
  for (const auto& change : changes) {
    RunRecord second = two_samples();
    second.samples.pop_back();
    second.samples[0].inputs = {{"c.root", "Events", "uuid-c", 60, {{50, 5}}}};
    EXPECT_EQ(problem_with({two_samples(), second}), "");
    change(second.samples[0]);
    const std::string problem = problem_with({two_samples(), second});
    EXPECT_NE(problem.find("the sample \"ttbar\" has different"), std::string::npos) << problem;
  }
}

TEST(MergedRecord, RefusesPartsThatSayOtherwiseHowManyThereAre) {
  RunRecord first = two_samples(), second = two_samples();
  for (RunRecord* record : {&first, &second}) {
    record->samples.pop_back();
    record->samples[0].inputs.clear();
  }
  SampleRecord &one = first.samples[0], &other = second.samples[0];
  one.shards[{100, "digest"}] = {2, {1}};
  other.shards[{100, "digest"}] = {2, {2}};
  one.files["whole"] = {2, {1}};
  other.files["whole"] = {2, {2}};
  EXPECT_EQ(problem_with({first, second}), "");
  other.files["whole"].first = 3;
  EXPECT_EQ(problem_with({first, second}),
            "file1 is of a skim of 3 files, of which others say that it has 2");
  other.shards[{100, "digest"}].first = 3;
  EXPECT_EQ(problem_with({first, second}),
            "file1 is of a run in 3 shards, of which others say that it has 2");
}

TEST(MergedRecord, CountsFilesWithoutRecord) {
  RunRecord first = two_samples();
  first.num_files_without = 1;
  io::TextsOfInputs inputs = texts({first});
  inputs.num_files_without = 3;
  EXPECT_EQ(parse_record(merged_record_text(inputs)).num_files_without, 4u);
}

TEST(RecordText, RefusesWhatIsNoRecord) {
  RunRecord canonical = two_samples();
  make_canonical(canonical);
  const std::string sound = record_text(canonical);
  EXPECT_NO_THROW(parse_record(sound));
  const auto changed = [&](const std::string& from, const std::string& to) {
    const std::size_t found = sound.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    return std::string(sound).replace(found, from.size(), to);
  };
  const auto with_files = [&](const std::string& files) {
    return changed("\"name\":\"ttbar\"", "\"files\":" + files + ",\"name\":\"ttbar\"");
  };
  EXPECT_EQ(parse_record(with_files(R"({"a":{"of":2,"numbers":[2]}})")).samples.back().files.at("a").first,
            2u);
  for (const std::string& text :
       {std::string(),
        std::string("[]"),
        std::string("{}"),
        sound.substr(0, sound.size() / 2),
        changed("\"format\":1", "\"format\":2"),
        changed("[0,60]", "[0,61]"),
        changed("[0,60]", "[1]"),
        changed("[0,60]", "[-1,5]"),
        changed("[0,60]", "[0,0]"),
        changed("[0,60]", "[0,10],[5,5]"),
        changed("[0,60]", "[50,18446744073709551610]"),
        changed("\"weight\":\"genWeight\"", "\"weight\":1"),
        changed("\"name\":\"ttbar\"", "\"name\":\"data\""),
        changed("729.84", "\"729.84\""),
        changed("2018", "[2018]"),
        with_files("[]"),
        with_files(R"({"a":1})"),
        with_files(R"({"a":{"of":2}})"),
        with_files(R"({"a":{"of":2,"numbers":[]}})"),
        with_files(R"({"a":{"of":2,"numbers":[0]}})"),
        with_files(R"({"a":{"of":2,"numbers":[3]}})"),
        with_files(R"({"a":{"of":2,"numbers":["1"]}})"),
        with_files(R"({"a":{"of":-2,"numbers":[1]}})"),
        changed("\"b\":1", "\"b\":" + std::string(1000, '[') + std::string(1000, ']')),
        std::string(1'000'000, '[')})
    EXPECT_THROW(parse_record(text), Error) << text.substr(0, 300);
}

TEST(RecordText, AnyByteChangedIsReadOrRefused) {
  const std::string sound = record_text(two_samples());
  std::size_t num_refused = 0;
  for (std::size_t position = 0; position < sound.size(); ++position)
    for (const char byte : {'\0', '"', '9', '-', ']', '\xff'}) {
      std::string text = sound;
      text[position] = byte;
      try {
        RunRecord record = parse_record(text);
        make_canonical(record);
        EXPECT_NO_THROW(to_json(record));
      } catch (const Error&) {
        ++num_refused;
      }
    }
  EXPECT_GT(num_refused, sound.size());
}

}  // namespace
}  // namespace skimline::skims
