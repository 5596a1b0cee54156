// SPDX-License-Identifier: BSD-3-Clause
// Samples described in files that were made for other programs.
#include "input_configs.h"

namespace skimline::skims {
namespace {

using SampleList = InputConfigTest;

TEST_F(SampleList, ReadsSpecificationsOfRDataFrame) {
  touch({"spec/1.root", "spec/2.root"});
  write("spec/spec.json", R"({
    "samples": {
      "two trees": {"trees": ["Events", "dir/Other"], "files": ["1.root", "2.root"],
                    "metadata": {"lumi": 1.5, "n": 3, "who": "me"}},
      "b": {"trees": ["Events"], "files": ["1.root", "../data/[ab].root"]},
      "c": {"trees": ["t"], "files": [")" +
                              (folder_ / "in.root").string() + R"("]}
    }})");
  const Config config = parse_samples(R"("samples_from": "spec/spec.json")");
  EXPECT_EQ(sample_names(config), (Names{"two_trees", "b", "c"}));
  EXPECT_EQ(config.sample_names.size(), 3u);
  EXPECT_EQ(names_of(config.samples[0]), (Names{"spec/1.root:Events", "spec/2.root:dir/Other"}));
  EXPECT_EQ(names_of(config.samples[1]),
            (Names{"spec/1.root:Events", "data/a.root:Events", "data/b.root:Events"}));
  EXPECT_EQ(names_of(config.samples[2]), (Names{(folder_ / "in.root").string() + ":t"}));
  EXPECT_EQ(metadata_of(config.samples[0]), (std::set<std::string>{"lumi=1.5", "n=3", "who=me"}));
  EXPECT_TRUE(config.warnings.empty());
}

TEST_F(SampleList, ReadsFilesetsOfCoffea) {
  touch({"1.root", "2.root", "3.root", "4.root", "5.root"});
  write("fileset.json", R"({
    "/Zmumu/Run2/NANOAOD": {
      "files": {
        "1.root": "Events",
        "2.root": {"object_path": "dir/Events", "steps": [[0, 7], [7, 20]], "num_entries": 20, "uuid": "a-b"},
        "3.root": {"object_path": "Events", "steps": [[0, 5]], "num_entries": null, "uuid": null},
        "4.root": null
      },
      "form": "x", "metadata": {"is_mc": true, "xsec": 12}
    },
    "list": ["1.root:Events", "2.root"],
    "old": {"files": ["1.root", "2.root"], "treename": "tree"},
    "plain": {"5.root": "Events"},
    "nothing": {"files": {"data/*.root": "Events"}, "metadata": null}
  })");
  const Config config = parse_samples(R"("samples_from": "fileset.json")");
  EXPECT_EQ(sample_names(config), (Names{"Zmumu_Run2_NANOAOD", "list", "old", "plain", "nothing"}));
  EXPECT_EQ(names_of(config.samples[0]),
            (Names{"1.root:Events", "2.root:dir/Events (20)", "3.root:Events (5)", "4.root"}));
  EXPECT_EQ(metadata_of(config.samples[0]), (std::set<std::string>{"is_mc=1", "xsec=12"}));
  EXPECT_EQ(names_of(config.samples[1]), (Names{"1.root:Events", "2.root"}));
  EXPECT_EQ(names_of(config.samples[2]), (Names{"1.root:tree", "2.root:tree"}));
  EXPECT_EQ(names_of(config.samples[3]), (Names{"5.root:Events"}));
  EXPECT_EQ(config.samples[4].inputs.size(), 3u);
}

TEST_F(SampleList, WarnsOfKeysThatItDoesNotKnow) {
  touch({"1.root", "2.root"});
  write("coffea.json", R"({"a": {"files": {"1.root": {"object_path": "t", "num_entires": 3},
                                            "2.root": {"object_path": "t", "num_entires": 3}},
                                  "metdata": {"k": 1}, "cross_section_pb": 3}})");
  const auto warnings_of = [&](const std::string& file) {
    std::string all;
    for (const std::string& each : parse_samples("\"samples_from\": \"" + file + "\"").warnings)
      all += each.substr(0, each.find('\n')).substr(folder_.string().size() + 1) + "\n";
    return all;
  };
  EXPECT_EQ(warnings_of("coffea.json"),
            "coffea.json:1:49: warning: the key \"num_entires\" of a file is left out (did you mean "
            "\"num_entries\"?)\n"
            "coffea.json:3:35: warning: the key \"metdata\" of a dataset is left out (did you mean "
            "\"metadata\"?)\n"
            "coffea.json:3:56: warning: the key \"cross_section_pb\" of a dataset is left out\n");
  write("spec.json",
        R"({"samples": {"a": {"trees": ["t"], "files": ["1.root"], "weight": 2}}, "rnge": [0, 1]})");
  EXPECT_EQ(warnings_of("spec.json"),
            "spec.json:1:72: warning: the key \"rnge\" of a dataset specification is left out (did you mean "
            "\"range\"?)\n"
            "spec.json:1:57: warning: the key \"weight\" of a sample is left out\n");
  write("nested.json", R"({"p": {"nominal": {"files": [{"path": "1.root", "nevents": 3}]}}})");
  EXPECT_EQ(
      warnings_of("nested.json"),
      "nested.json:1:49: warning: the key \"nevents\" of a file is left out (did you mean \"nevts\"?)\n");
}

const std::string kNested = R"({
  "ttbar": {
    "nominal": {"nevts_total": 30, "files": [{"path": "https://host:1094//store/tt/0.root", "nevts": 10},
                                             {"path": "https://host:1094//store/tt/1.root", "nevts": 20}]},
    "ME_var": {"nevts_total": 5, "files": [{"path": "https://host:1094//store/me/0.root", "nevts": 5}]}
  },
  "wjets": {"nominal": {"files": [{"path": "https://host:1094//store/w/0.root", "nevts": 7}]}}
})";

TEST_F(SampleList, ReadsInputsOfTheAnalysisGrandChallenge) {
  touch({"data/tt/0.root", "data/tt/1.root", "mine/0.root", "data/w/0.root"});
  write("inputs/nanoaod_inputs.json", kNested);
  const Config config =
      parse_samples(R"("samples_from": {"file": "inputs/nanoaod_inputs.json", "tree": "Events",
      "replace": {"https://host:1094//store/": "data/", "https://host:1094//store/me": ")" +
                    (folder_ / "mine").string() + R"("}})");
  EXPECT_EQ(sample_names(config), (Names{"ttbar__nominal", "ttbar__ME_var", "wjets__nominal"}));
  EXPECT_EQ(names_of(config.samples[0]), (Names{"data/tt/0.root:Events (10)", "data/tt/1.root:Events (20)"}));
  EXPECT_EQ(names_of(config.samples[1]), (Names{(folder_ / "mine/0.root").string() + ":Events (5)"}));
  EXPECT_EQ(metadata_of(config.samples[0]),
            (std::set<std::string>{"process=ttbar", "variation=nominal", "nevts_total=30"}));
  EXPECT_EQ(metadata_of(config.samples[2]), (std::set<std::string>{"process=wjets", "variation=nominal"}));
  EXPECT_EQ(std::get<std::int64_t>(config.samples[0].metadata.back().value), 30);
}

TEST_F(SampleList, UrlsNeedNoReplacement) {
  write("nano.json", kNested);
  ConfigOptions options;
  options.samples = {"wjets*"};
  EXPECT_EQ(mistakes_of(R"("samples_from": {"file": "nano.json", "replace": {"https://other/": "data/"}})",
                        options),
            R"(a.json:1:87: error: no path in "nano.json" begins with "https://other/")");
}

TEST_F(SampleList, CompletesSamplesOfTheConfig) {
  touch({"data/tt/0.root", "data/tt/1.root", "data/me/0.root", "data/w/0.root"});
  write("nano.json", kNested);
  const std::string lists =
      R"("samples_from": {"file": "nano.json", "replace": {"https://host:1094//store/": "data/"}})";
  const Config config = parse_samples(R"("samples": {
      "data": {"files": ["in.root"]},
      "wjets__nominal": {"cross_section_pb": 61526.7, "sum_weights": "genWeight", "metadata": {"variation": "none"}}}, )" +
                                      lists);
  EXPECT_EQ(sample_names(config), (Names{"data", "wjets__nominal", "ttbar__nominal", "ttbar__ME_var"}));
  EXPECT_EQ(names_of(config.samples[1]), (Names{"data/w/0.root (7)"}));
  EXPECT_EQ(config.samples[1].cross_section_pb, 61526.7);
  EXPECT_EQ(config.samples[1].sum_weights->weight.value, "genWeight");
  EXPECT_EQ(metadata_of(config.samples[1]), (std::set<std::string>{"process=wjets", "variation=none"}));
  EXPECT_EQ(mistakes_of(R"("samples": {"wjets__nominal": {"files": ["in.root"]}}, )" + lists),
            "nano.json:7:13: error: the config has files for the sample \"wjets__nominal\" already");
  EXPECT_EQ(mistakes_of(R"("samples": {"wjets": {}}, )" + lists),
            "a.json:1:58: error: the sample \"wjets\" needs the key \"files\": no list of samples has it");
}

TEST_F(SampleList, SeveralListsAreOneSetOfSamples) {
  touch({"1.root"});
  write("a_list.json", R"({"a": ["1.root"]})");
  write("b_list.json", R"({"b": ["1.root"], "c/d": ["1.root"]})");
  write("c_list.json", R"({"c d": ["1.root"], "a": ["1.root"]})");
  EXPECT_EQ(
      sample_names(parse_samples(R"("samples_from": ["a_list.json", {"file": "b_list.json", "tree": "t"}])")),
      (Names{"a", "b", "c_d"}));
  EXPECT_EQ(mistakes_of(R"("samples_from": ["a_list.json", "b_list.json", "c_list.json"])"),
            R"(c_list.json:1:2: error: the sample would be called "c_d", and so would "c/d"
c_list.json:1:21: error: the sample "a" is listed twice)");
}

TEST_F(SampleList, WarnsOfMetadataThatNoExpressionCanUse) {
  write("f.json", R"({"s": {"files": {"in.root": "Events"},
    "metadata": {"a-b": 1, "list": [1], "none": null, "true": 1, "good": false, "sample_": "x", "cross_section_pb": 2}}})");
  const Config config = parse_samples(R"("samples_from": "f.json")");
  EXPECT_EQ(metadata_of(config.samples[0]), (std::set<std::string>{"good=0"}));
  EXPECT_EQ(config.samples[0].cross_section_pb, 2);
  ASSERT_EQ(config.warnings.size(), 5u);
  const std::string folder = folder_.string() + "/";
  EXPECT_EQ(config.warnings[0].substr(0, config.warnings[0].find('\n')),
            folder + "f.json:2:18: warning: the value \"a-b\" is left out: no expression can name it");
  EXPECT_EQ(config.warnings[1].substr(0, config.warnings[1].find('\n')),
            folder + "f.json:2:36: warning: the value \"list\" is left out: it is a list");
}

TEST_F(SampleList, SaysWhereAListIsWrong) {
  const Mistake cases[] = {
      {"[]", "no list of samples"},
      {"{}", "no list of samples"},
      {"{\"a\": 1}", "no list of samples"},
      {"{\"a\": [}", "error: syntax error"},
      {"{\"a\": []}", "1:2: error: the sample \"a\" has no files"},
      {"{\"samples\": {}}", "1:1: error: this list has no samples"},
      {"{\"samples\": {\"a\": {\"files\": [], \"trees\": [\"t\"]}}}",
       "1:29: error: \"files\" must not be empty"},
      {"{\"samples\": {\"a\": {\"files\": [\"in.root\"], \"trees\": []}}}",
       "1:51: error: \"trees\" must not be empty"},
      {"{\"a\": {\"files\": {\"in.root\": {\"object_path\": 5}}}}",
       "1:45: error: \"object_path\" must be a string, got an integer"},
      {"{\"a\": {\"files\": [\"in.root\"], \"treename\": [\"t\"]}}",
       "error: \"treename\" must be a string, got a list"},
      {"{\"///\": [\"in.root\"]}", "1:2: error: \"///\" cannot name a sample: it has no letter nor digit"},
      {"{\"a\": [3]}", "1:8: error: expected a path, or an object with \"path\""},
      {"{\"a\": {\"files\": 3}}",
       "1:17: error: expected files: a list of paths, or an object with a tree for each"},
      {"{\"a\": [\"none.root\"]}", "1:8: error: there is no file \"none.root\""},
      {"{\"a\": {\"files\": {\"in.root\": 3}}}",
       "1:29: error: expected the name of a tree, or an object with "
       "\"object_path\", got an integer"},
      {"{\"a\": {\"files\": {\"in.root\": {\"num_entries\": -3}}}}",
       "1:45: error: expected a number of entries"},
      {"{\"a\": {\"files\": {\"in.root\": {\"steps\": [[0, 5], [6, 9]]}}}}",
       "1:48: error: these steps are not"},
      {"{\"a\": {\"files\": {\"in.root\": {\"steps\": [[0, 5]], \"num_entries\": 9}}}}",
       "1:39: error: these steps"},
      {"{\"a\": {\"files\": {\"in.root\": {\"steps\": [[5, 9]], \"num_entries\": 9}}}}",
       "1:40: error: these steps"},
      {"{\"a\": {\"files\": {\"in.root\": {\"steps\": [[0]]}}}}",
       "1:40: error: expected a step [first, end]"},
      {"{\"a\": {\"files\": {\"in.root\": {\"format\": \"parquet\"}}}}",
       "1:40: error: a file of Parquet is known by its name"},
      {"{\"a\": {\"x\": {\"files\": [{\"nevts\": 3}]}}}",
       "1:24: error: expected a path, or an object with \"path\""},
      {"{\"samples\": {\"a\": {\"files\": [\"in.root\"]}}}",
       "1:19: error: the sample \"a\" needs the key \"trees\""},
      {"{\"samples\": {\"a\": {\"trees\": [\"t\"]}}}",
       "1:19: error: the sample \"a\" needs the key \"files\""},
      {"{\"samples\": {\"a\": {\"files\": [\"in.root\"], \"trees\": [\"t\", \"u\"]}}}",
       "1:51: error: there are 2 trees for 1 files: give one, or one for each"},
      {"{\"samples\": {\"a\": {\"files\": [\"in.root\"], \"trees\": [\"t\"]}}, \"friends\": {}}",
       "1:71: error: \"friends\" of a dataset specification is not supported"},
      {"{\"samples\": {\"a\": {\"files\": [\"in.root\"], \"trees\": [\"t\"]}}, \"range\": [3]}",
       "1:69: error: \"range\" of a dataset specification is not supported"},
      {"{\"a\": {\"files\": [\"in.root\"], \"metadata\": {\"cross_section_pb\": -1}}}",
       "1:43: error: \"cross_section_pb\" must be greater than 0"},
  };
  for (const auto& [list, error] : cases) {
    write("list.json", list);
    const std::string found = mistakes_of(R"("samples_from": "list.json")");
    EXPECT_EQ(found.find("list.json:"), 0u) << list << "\n" << found;
    EXPECT_NE(found.find(error), std::string::npos) << list << "\n" << found;
    EXPECT_EQ(found.find('\n'), std::string::npos) << list << "\n" << found;
  }
}

TEST_F(SampleList, SaysWhatIsWrongInTheConfig) {
  const Mistake cases[] = {
      {R"("samples_from": 3)",
       R"("samples_from" must be a file, an object with "file", or a list of these, got an integer)"},
      {R"("samples_from": [])", R"("samples_from" must not be empty)"},
      {R"("samples_from": [["a"]])",
       R"("samples_from" must be a file, an object with "file", or a list of these, got a list)"},
      {R"("samples_from": {"tree": "Events"})", R"("samples_from" needs the key "file")"},
      {R"("samples_from": {"file": "none.json", "tre": "Events"})",
       R"(unknown key "tre" (did you mean "tree"?))"},
      {R"("samples_from": {"file": "a", "replace": {"x": 3}})",
       R"(what replaces "x" must be a string, got an integer)"},
      {R"("samples_from": "none.json")", R"(none.json: cannot be opened: No such file or directory)"},
      {R"("samples_from": "data")", R"(data: is a folder)"},
      {R"("samples_form": "data", "samples": {"a": {"files": ["in.root"]}})",
       R"(unknown key "samples_form" (did you mean "samples_from"?))"},
  };
  for (const auto& [keys, error] : cases)
    EXPECT_NE(mistakes_of(keys).find(error), std::string::npos) << keys << "\n" << mistakes_of(keys);
}

}  // namespace
}  // namespace skimline::skims
