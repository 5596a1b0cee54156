// SPDX-License-Identifier: BSD-3-Clause
// Samples of a config: their files, what is known of them, and how the command line chooses and changes them.
#include "input_configs.h"

#include <cstdlib>

namespace skimline::skims {
namespace {

using SampleReader = InputConfigTest;

TEST_F(SampleReader, SeveralSamplesMayShareFiles) {
  const Config config = parse_samples(R"("samples": {
      "data": {"files": ["data/*.root:Events"]},
      "ttbar": {"files": ["in.root", "data/a.root:Events"]}})");
  EXPECT_EQ(sample_names(config), (Names{"data", "ttbar"}));
  EXPECT_EQ(config.sample_names.size(), 2u);
  EXPECT_EQ(names_of(config.samples[0]),
            (Names{"data/[x].root:Events", "data/a.root:Events", "data/b.root:Events"}));
  EXPECT_EQ(names_of(config.samples[1]), (Names{"in.root", "data/a.root:Events"}));
  EXPECT_EQ(mistakes_of(R"("samples": {"a": {"files": ["in.root", "./in.root"]}})"),
            "a.json:1:76: error: the file \"in.root\" is given twice");
}

TEST_F(SampleReader, ReadsWhatIsKnownOfASample) {
  write("golden.json", R"({"273158": [[1, 1279]], "7": [[2, 2], [5, 9]]})");
  const Config config = parse_samples(R"("samples": {
      "mc": {"files": ["in.root"], "cross_section_pb": 831.76, "sum_weights": "genWeight * 2", "metadata": {"year": 2015}},
      "runs": {"files": ["in.root"], "cross_section_pb": 1, "sum_weights": {"runs": true}},
      "known": {"files": ["in.root"], "sum_weights": {"runs": true, "weight": "genWeight * 3"}},
      "data": {"files": ["in.root"], "lumi_mask": "golden.json"}})");
  const Sample &mc = config.samples[0], &runs = config.samples[1], &known = config.samples[2],
               &data = config.samples[3];
  EXPECT_EQ(mc.cross_section_pb, 831.76);
  const Location place = mc.cross_section_place.value();
  EXPECT_EQ(config.source->text.substr(place.begin, place.end - place.begin), "831.76");
  EXPECT_EQ(mc.sum_weights->kind, WeightSumConfig::Kind::kEvents);
  EXPECT_EQ(mc.sum_weights->weight.value, "genWeight * 2");
  EXPECT_EQ(metadata_of(mc), (std::set<std::string>{"year=2015"}));
  EXPECT_EQ(runs.sum_weights->kind, WeightSumConfig::Kind::kRuns);
  EXPECT_EQ(runs.sum_weights->weight.value, "genWeight");
  EXPECT_EQ(known.sum_weights->kind, WeightSumConfig::Kind::kRuns);
  EXPECT_EQ(known.sum_weights->weight.value, "genWeight * 3");
  EXPECT_FALSE(known.cross_section_pb);
  EXPECT_FALSE(data.sum_weights);
  EXPECT_EQ(data.lumi_mask->value, "golden.json");
  EXPECT_EQ(data.certified, (RangesByKey{{273158, {{1, 1279}}}, {7, {{2, 2}, {5, 9}}}}));
}

TEST_F(SampleReader, SaysWhatIsWrongWithASample) {
  const auto sample = [](const std::string& keys) {
    return "\n\"samples\": {\"s\": {\"files\": [\"in.root\"],\n" + keys + "}}";
  };
  const Mistake cases[] = {
      {R"("cross_section_pb": 0)", R"(a.json:3:21: error: "cross_section_pb" must be greater than 0)"},
      {R"("cross_section_pb": -1.5)", R"(a.json:3:21: error: "cross_section_pb" must be greater than 0)"},
      {R"("cross_section_pb": "1")",
       R"(a.json:3:21: error: "cross_section_pb" must be a number, got a string)"},
      {R"("metadata": {"a": 9007199254740992, "b": 9007199254740993, "c": 36893488147419103232, "d": 1e30})",
       "a.json:3:42: error: a value must be true, false, a number (integers up to 2^53) or a text, got an "
       "integer\n"
       "a.json:3:65: error: a value must be true, false, a number (integers up to 2^53) or a text, got an "
       "integer"},
      {R"("metadata": {"cross_section_pb": 1})",
       R"(a.json:3:14: error: "cross_section_pb" is a key of the sample itself, beside "metadata")"},
      {R"("sum_weights": 1.5e6)",
       R"(a.json:3:16: error: "sum_weights" must be an expression or {"runs": true}, got a number)"},
      {R"("sum_weights": " ")", R"(a.json:3:16: error: "sum_weights" must not be empty)"},
      {R"("sum_weights": true)",
       R"(a.json:3:16: error: "sum_weights" must be an expression or {"runs": true}, got a boolean)"},
      {R"("sum_weights": {})", R"(a.json:3:16: error: "sum_weights" needs the key "runs")"},
      {R"("sum_weights": {"runs": false})",
       R"(a.json:3:16: error: "runs" must be true; an expression is summed over the events)"},
      {R"("sum_weights": {"run": true})", R"(a.json:3:16: error: "sum_weights" needs the key "runs"
a.json:3:17: error: unknown key "run" (did you mean "runs"?))"},
      {R"("lumi_mask": "none.json")",
       "a.json:3:14: error: none.json: cannot be opened: No such file or directory"},
      {R"("lumimask": "none.json")",
       R"(a.json:3:1: error: unknown key "lumimask" (did you mean "lumi_mask"?))"},
  };
  for (const auto& [keys, errors] : cases) EXPECT_EQ(mistakes_of(sample(keys)), errors) << keys;
}

TEST_F(SampleReader, SaysWhereALumiMaskIsWrong) {
  const Mistake cases[] = {
      {R"([])", R"(golden.json:1:1: error: a luminosity mask must be an object, got a list)"},
      {R"({})", R"(golden.json:1:1: error: a luminosity mask must not be empty)"},
      {"{\n \"x1\": [[1, 2]]}", R"(golden.json:2:2: error: "x1" is no run: a whole number in quotes)"},
      {R"({"-1": [[1, 2]]})", R"(golden.json:1:2: error: "-1" is no run: a whole number in quotes)"},
      {R"({"1.5": [[1, 2]]})", R"(golden.json:1:2: error: "1.5" is no run: a whole number in quotes)"},
      {R"({"99999999999": []})",
       R"(golden.json:1:2: error: "99999999999" is no run: a whole number in quotes)"},
      {R"({"1": [[1, 2]], "01": []})", R"(golden.json:1:17: error: the run 1 appears twice)"},
      {R"({"1": [], "1": []})", R"(golden.json:1:11: error: the key "1" appears twice in this object)"},
      {R"({"1": {}})",
       R"(golden.json:1:7: error: the luminosity blocks of run 1 must be a list of [first, last], got an object)"},
      {"{\"1\": [[3, 3],\n[5, 4]]}",
       R"(golden.json:2:1: error: the last luminosity block is before the first)"},
      {R"({"1": [1, 2]})", R"(golden.json:1:8: error: expected [first, last], two luminosity blocks
golden.json:1:11: error: expected [first, last], two luminosity blocks)"},
      {R"({"1": [[1, 2, 3]]})", R"(golden.json:1:8: error: expected [first, last], two luminosity blocks)"},
      {R"({"1": [[1.5, 2]]})", R"(golden.json:1:8: error: expected [first, last], two luminosity blocks)"},
      {R"({"1": [[-1, 2]]})", R"(golden.json:1:8: error: expected [first, last], two luminosity blocks)"},
      {R"({"1": [["1", 2]]})", R"(golden.json:1:8: error: expected [first, last], two luminosity blocks)"},
  };
  for (const auto& [mask, errors] : cases) {
    write("golden.json", mask);
    EXPECT_EQ(mistakes_of(R"("samples": {"s": {"files": ["in.root"], "lumi_mask": "golden.json"}})"), errors)
        << mask;
  }
}

// ---- kinds of inputs

TEST_F(SampleReader, RNTuplesMayLieInDirectories) {
  const Config config =
      parse_samples(R"("samples": {"s": {"files": ["in.root:ntuples/Events", "data/[ab].root:a/b/c"]}})");
  EXPECT_EQ(names_of(config.samples[0]),
            (Names{"in.root:ntuples/Events", "data/a.root:a/b/c", "data/b.root:a/b/c"}));
}

TEST_F(SampleReader, FoldersAreNoFiles) {
  EXPECT_EQ(mistakes_of(R"("samples": {"s": {"files": ["data"]}})"),
            R"(a.json:1:65: error: "data" is a folder: give the files in it, as in "data/*.root")");
}

TEST_F(SampleReader, ListsNameFilesLineByLine) {
  touch({"lists/one.root", "lists/two.root", "lists/a#b.root"});
  write("lists/all.txt",
        "# what there is\n"
        "one.root\n"
        "\n"
        "  two.root:Other   # with another name\r\n"
        "../data/[ab].root\n"
        "a#b.root\n" +
            (folder_ / "in.root").string());
  const Config config =
      parse_samples(R"("samples": {"s": {"files": ["@lists/all.txt:Events", "data/[x].root"]}})");
  EXPECT_EQ(
      names_of(config.samples[0]),
      (Names{"lists/one.root:Events", "lists/two.root:Other", "data/a.root:Events", "data/b.root:Events",
             "lists/a#b.root:Events", (folder_ / "in.root").string() + ":Events", "data/[x].root"}));
  const Location place = config.samples[0].inputs[0].place;
  EXPECT_EQ(config.source->text.substr(place.begin, place.end - place.begin), "one.root");
}

TEST_F(SampleReader, SaysWhereAListIsWrong) {
  write("bad.txt", "in.root\n\n  none.root\nin.root # again\n@bad.txt\ndata\nrot://host//x.root\nx*.root\n");
  write("empty.txt", "# nothing\n\n");
  EXPECT_EQ(mistakes_of(R"("samples": {"s": {"files": ["@bad.txt"]}})"),
            R"(bad.txt:3:3: error: there is no file "none.root"
bad.txt:4:1: error: the file "in.root" is given twice
bad.txt:5:1: error: a list cannot name another list
bad.txt:6:1: error: "data" is a folder: give the files in it, as in "data/*.root"
bad.txt:7:1: error: rot://host//x.root: cannot be opened: "rot://" is unknown (did you mean "root"?); there are http://, https://, dav://, davs://, s3://, root://, roots://, xroot://, xroots://
bad.txt:8:1: error: no file matches "x*.root")");
  EXPECT_EQ(mistakes_of(R"("samples": {"s": {"files": ["@empty.txt"]}})"),
            R"(a.json:1:65: error: the list "empty.txt" names no file)");
  EXPECT_EQ(mistakes_of(R"("samples": {"s": {"files": ["@none.txt"]}})"),
            R"(a.json:1:65: error: none.txt: cannot be opened: No such file or directory)");
}

// ---- names of inputs

// Starts in another folder for a while.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~InFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

TEST_F(SampleReader, NamesOfInputsDoNotDependOnTheFolderOfTheProgram) {
  touch({"sub/x.root", "sub/deep/y.root", "out.root"});
  write("sub/lists/l.txt", "../deep/y.root\n");
  const std::string text =
      config_of(R"("samples": {"s": {"files": ["x.root", "../out.root", "@lists/l.txt", ")" +
                (folder_ / "in.root").string() + R"("]}})");
  const Names expected{"x.root", "../out.root", "deep/y.root", (folder_ / "in.root").string()};
  const std::string name = folder_.filename().string();
  const std::pair<fs::path, std::string> calls[] = {{folder_, "sub/a.json"},
                                                    {folder_ / "sub", "a.json"},
                                                    {folder_ / "sub", "./a.json"},
                                                    {folder_ / "sub/deep", "../a.json"},
                                                    {folder_ / "data", "../sub/a.json"},
                                                    {"/", (folder_ / "sub/a.json").string()},
                                                    {folder_.parent_path(), name + "/sub/a.json"}};
  for (const auto& [folder, config] : calls) {
    const InFolder there(folder);
    EXPECT_EQ(names_of(parse_config(config, text)->samples[0]), expected) << folder << " " << config;
  }
}

TEST_F(SampleReader, ReplacedInputsAreNamedByTheConfigToo) {
  touch({"sub/x.root"});
  const std::string text = config_of(R"("samples": {"s": {"files": ["none.root"]}})");
  ConfigOptions options;
  const std::tuple<fs::path, std::string, std::string> calls[] = {
      {folder_, "sub/a.json", "data/a.root"},
      {folder_ / "data", "../sub/a.json", "a.root"},
      {folder_ / "sub", "a.json", "../data/a.root"},
      {folder_, (folder_ / "sub/a.json").string(), "data/a.root"}};
  for (const auto& [folder, config, input] : calls) {
    const InFolder there(folder);
    options.inputs = {input};
    const Config read = *parse_config(config, text, options);
    EXPECT_EQ(names_of(read.samples[0]), (Names{"../data/a.root"})) << folder << " " << config;
    EXPECT_TRUE(fs::exists(read.samples[0].inputs[0].location.path));
  }
}

// ---- what the command line changes

const std::string kThree = R"("samples": {
    "data": {"files": ["data/*.root"]},
    "tt_a": {"files": ["in.root"]},
    "tt_b": {"files": ["in.root"]}})";

TEST_F(SampleReader, SamplesAreChosenByPatterns) {
  const auto chosen = [&](const Names& patterns) {
    ConfigOptions options;
    options.samples = patterns;
    return sample_names(parse_samples(kThree, options));
  };
  EXPECT_EQ(chosen({}), (Names{"data", "tt_a", "tt_b"}));
  EXPECT_EQ(chosen({"tt_*"}), (Names{"tt_a", "tt_b"}));
  EXPECT_EQ(chosen({"tt_b", "d*"}), (Names{"data", "tt_b"}));
  EXPECT_EQ(chosen({"tt_?", "tt_b"}), (Names{"tt_a", "tt_b"}));
  ConfigOptions options;
  options.samples = {"tt_a", "dat", "zzz*"};
  EXPECT_EQ(mistakes_of(kThree, options),
            R"(--samples:1:1: error: no sample matches "dat" (did you mean "data"?)
--samples:1:1: error: no sample matches "zzz*")");
  options.samples = {"tt_a"};
  EXPECT_EQ(parse_samples(kThree, options).sample_names.size(), 3u);
}

TEST_F(SampleReader, SamplesThatAreNotChosenAreNotLookedFor) {
  const std::string samples = R"("samples": {
      "here": {"files": ["in.root"]},
      "elsewhere": {"files": ["none.root", "@none.txt", "root://host//x.root"], "lumi_mask": "none.json"}})";
  ConfigOptions options;
  EXPECT_NE(mistakes_of(samples), "none");
  options.samples = {"here"};
  EXPECT_EQ(mistakes_of(samples, options), "none");
}

TEST_F(SampleReader, InputsAreReplaced) {
  ConfigOptions options;
  const InFolder there(folder_);
  options.inputs = {"tt_a=data/a.root:Events", "tt_a=data/b.root", "data=in.root"};
  const Config config = parse_samples(kThree, options);
  EXPECT_EQ(names_of(config.samples[0]), (Names{"in.root"}));
  EXPECT_EQ(names_of(config.samples[1]), (Names{"data/a.root:Events", "data/b.root"}));
  EXPECT_EQ(names_of(config.samples[2]), (Names{"in.root"}));
  options.inputs = {"tt_c=in.root", "in.root", "tt_a=", "tt_b=none.root", "data=@none.txt"};
  EXPECT_EQ(mistakes_of(kThree, options),
            R"(--input:1:1: error: there is no sample "tt_c" (did you mean "tt_a"?)
--input:1:1: error: there are several samples: say which, as in "sample=file"
--input:1:1: error: expected a file behind "="
--input:1:1: error: there is no file "none.root"
--input:1:1: error: none.txt: cannot be opened: No such file or directory)");
}

TEST_F(SampleReader, TheOnlySampleNeedsNoNameToReplaceItsInputs) {
  touch({"data/x=y.root"});
  ConfigOptions options;
  const InFolder there(folder_);
  options.inputs = {"data/[ab].root", "data/x=y.root"};
  const std::string one = R"("samples": {"s": {"files": ["none.root"]}})";
  EXPECT_EQ(names_of(parse_samples(one, options).samples[0]),
            (Names{"data/a.root", "data/b.root", "data/x=y.root"}));
  options.samples = {"tt_b"};
  options.inputs = {"data/a.root"};
  EXPECT_EQ(names_of(parse_samples(kThree, options).samples[0]), (Names{"data/a.root"}));
}

TEST_F(SampleReader, LimitsAreKeptAndChecked) {
  ConfigOptions options;
  options.limit_files = 2;
  options.limit_events = 100;
  options.shard = Shard{3, 3};
  const Config config = parse_samples(kThree, options);
  EXPECT_EQ(names_of(config.samples[0]), (Names{"data/[x].root", "data/a.root"}));
  EXPECT_EQ(config.samples[1].inputs.size(), 1u);
  EXPECT_EQ(config.limit_events, 100u);
  EXPECT_EQ(config.shard->number, 3u);
  EXPECT_EQ(config.shard->count, 3u);
  options.limit_files = 0;
  options.limit_events = 0;
  options.shard = Shard{0, 3};
  EXPECT_EQ(mistakes_of(kThree, options), R"(--limit-files:1:1: error: expected at least 1
--limit-events:1:1: error: expected at least 1
--shard:1:1: error: expected number/count, the number from 1 to the count)");
  for (const Shard shard : {Shard{4, 3}, Shard{0, 0}, Shard{1, 0}}) {
    options = {};
    options.shard = shard;
    EXPECT_NE(mistakes_of(kThree, options), "none") << shard.number << "/" << shard.count;
  }
}

}  // namespace
}  // namespace skimline::skims
