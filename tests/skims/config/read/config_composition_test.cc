// SPDX-License-Identifier: BSD-3-Clause
#include "config_reading.h"

#include <initializer_list>
#include <utility>

namespace skimline::skims {
namespace {

class ConfigCompositionTest : public ConfigReaderTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  Config parse(const std::string& text, std::vector<std::string> sets = {}) const {
    ConfigOptions options;
    options.sets = std::move(sets);
    return *parse_config((folder_ / "a.json").string(), text, options);
  }

  // All messages whole, without the folder.
  std::string message_of(const std::string& text, std::vector<std::string> sets = {}) const {
    try {
      parse(text, std::move(sets));
    } catch (const ConfigError& error) {
      std::string message = error.what();
      for (const std::string folder = folder_.string() + "/"; message.find(folder) != std::string::npos;)
        message.erase(message.find(folder), folder.size());
      return message;
    }
    return "none";
  }

  // Their first lines.
  std::string errors_of(const std::string& text, std::vector<std::string> sets = {}) const {
    std::istringstream lines(message_of(text, std::move(sets)));
    std::string kept;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("  ")) kept += (kept.empty() ? "" : "\n") + line;
    return kept;
  }
};

std::vector<std::string> names_of(const std::vector<Definition>& definitions) {
  std::vector<std::string> names;
  for (const Definition& definition : definitions) names.push_back(definition.name.value);
  return names;
}

constexpr const char* kSamples = R"("schema_version": 1, "samples": {"data": {"files": ["in.root"]}}, )";

TEST_F(ConfigCompositionTest, MergesWhatIsIncludedKeyByKey) {
  write("parts/objects.json", R"({"schema_version": 1, "$schema": 7, "include": "base.json",
    "define": {"c": "3"}, "histograms": {"h": {"x": {"value": "c", "edges": [0, 1]}}}})");
  write("parts/base.json", R"(// shared
    {"define": {"a": "1", "b": "2"}, "select": [{"name": "one", "where": "a"}]})");
  const Config config = parse(
      std::string("{\"include\": [\"parts/objects.json\", \"parts/base.json\"], ") + kSamples +
      R"("define": {"d": "4"}, "histograms": {"h": {"title": "t"}}, "output": {"histograms": "h.root"}})");
  EXPECT_EQ(names_of(config.define), (std::vector<std::string>{"a", "b", "c", "d"}));
  ASSERT_EQ(config.histograms.size(), 1u);
  EXPECT_EQ(config.histograms[0].title, "t");
  EXPECT_EQ(config.histograms[0].axes.at(0).value.value, "c");
  EXPECT_EQ(config.select.at(0).name.value, "one");
  EXPECT_EQ(config.resolved,
            R"({"define":{"a":"1","b":"2","c":"3","d":"4"},"select":[{"name":"one","where":"a"}],)"
            R"("schema_version":1,"histograms":{"h":{"x":{"value":"c","edges":[0,1]},"title":"t"}},)"
            R"("samples":{"data":{"files":["in.root"]}}})");
}

TEST_F(ConfigCompositionTest, ValuesGivenTwiceAreErrorsWithBothPlaces) {
  write("common.json", "{\n  \"define\": {\"mll\": \"1\",\n    \"x\": \"2\"}\n}");
  EXPECT_EQ(message_of(std::string("{\"include\": \"common.json\", ") + kSamples +
                       "\n\"define\": {\"mll\": \"3\"}, \"select\": []}"),
            "a.json:2:12: error: \"define.mll\" is given twice; to change it, write \"override\": "
            "{\"define.mll\": ...}\n"
            "  \"define\": {\"mll\": \"3\"}, \"select\": []}\n"
            "             ^~~~~\n"
            "common.json:2:14: note: it is given here too\n"
            "    \"define\": {\"mll\": \"1\",\n"
            "               ^~~~~");
  EXPECT_EQ(errors_of(R"({"include": "common.json", "define": 1, "schema_version": 1})"),
            "a.json:1:1: error: the config needs the key \"samples\"\n"
            "a.json:1:1: error: nothing to do: give \"select\", \"regions\", \"histograms\" or \"skims\"\n"
            "a.json:1:28: error: \"define\" is given twice; to change it, write \"override\": {\"define\": "
            "...}\n"
            "common.json:2:3: note: it is given here too");
}

TEST_F(ConfigCompositionTest, VersionsMustAgree) {
  write("new.json", R"({"schema_version": 2})");
  EXPECT_EQ(errors_of(std::string("{\"include\": \"new.json\", ") + kSamples + "\"select\": []}"),
            "a.json:1:25: error: \"schema_version\" must be the same in all files\n"
            "new.json:1:2: note: it is given here too\n"
            "new.json:1:20: error: \"schema_version\" must be 1, the only one this program knows; version 2 "
            "is of a newer one");
}

TEST_F(ConfigCompositionTest, MistakesInIncludedFilesAreLocated) {
  write("parts/broken.json", "{\n  \"define\": {\"a\" 1}\n}");
  write("parts/list.json", "[]");
  EXPECT_EQ(errors_of(R"({"include": ["parts/broken.json"], "select": [})"),
            "a.json:1:47: error: syntax error while parsing value - unexpected '}'; expected '[', '{', or a "
            "literal\n"
            "parts/broken.json:2:18: error: syntax error while parsing object separator - unexpected number "
            "literal; expected ':'");
  EXPECT_EQ(errors_of(R"({"include": "parts/list.json"})"),
            "parts/list.json:1:1: error: the config must be an object, got a list");
  EXPECT_EQ(errors_of(R"({"include": ["none.json", "", 7, "data"]})"),
            "a.json:1:14: error: none.json: cannot be opened: No such file or directory\n"
            "a.json:1:27: error: each item of \"include\" must not be empty\n"
            "a.json:1:31: error: each item of \"include\" must be a string, got an integer\n"
            "a.json:1:34: error: data: is a folder, not a config");
  EXPECT_EQ(errors_of(R"({"include": 7})"),
            "a.json:1:13: error: \"include\" must be a path or a list of paths, got an integer");
  write("parts/typo.json", "{\"selct\": [],\n \"define\": {\"2x\": \"1\"}}");
  EXPECT_EQ(
      errors_of(std::string("{\"include\": \"parts/typo.json\", ") + kSamples + "\"regoins\": {}}"),
      "a.json:1:1: error: nothing to do: give \"select\", \"regions\", \"histograms\" or \"skims\"\n"
      "a.json:1:98: error: unknown key \"regoins\" (did you mean \"regions\"?)\n"
      "parts/typo.json:1:2: error: unknown key \"selct\" (did you mean \"select\"?)\n"
      "parts/typo.json:2:13: error: \"2x\" cannot name a definition: use letters, digits and \"_\", and "
      "begin with no digit");
}

TEST_F(ConfigCompositionTest, CyclesAreErrors) {
  write("b.json", R"({"include": "parts/c.json"})");
  write("parts/c.json", R"({"include": ["../b.json"]})");
  EXPECT_EQ(
      errors_of(R"({"include": "b.json"})"),
      "parts/c.json:1:14: error: this file includes itself: b.json includes parts/c.json includes b.json");
  write("a.json", "");
  write("self.json", R"({"include": "./a.json"})");
  EXPECT_EQ(errors_of(R"({"include": "self.json"})"),
            "self.json:1:13: error: this file includes itself: a.json includes self.json includes a.json");
}

TEST_F(ConfigCompositionTest, PathsAreRelativeToTheFileTheyAreWrittenIn) {
  write("other/sub/part.json",
        R"({"schema_version": 1, "samples": {"data": {"files": ["../data/none.root"]}},
            "variables": {"dir": "below/file"}, "skims": {"s": {"file": "${dir}/s.root"}}})");
  const std::string text = R"({"include": "other/sub/part.json",
    "override": {"samples.data.files": ["in.root"]}, "skims": {"t": {"file": "${dir}/t.root"}}})";
  for (const char* name : {"below/file", "other/sub/below/file", "none"}) write(name, "x");
  EXPECT_EQ(errors_of(text, {"skims.u.file=none/u.root"}),
            "a.json:2:78: error: \"below/file\" is a file, not a folder\n"
            "other/sub/part.json:2:73: error: \"other/sub/below/file\" is a file, not a folder\n"
            "--set:1:14: error: \"none\" is a file, not a folder");
}

TEST_F(ConfigCompositionTest, IncludedPathsAreRewritten) {
  write("other/sub/part.json",
        R"({"schema_version": 1, "samples": {"data": {"files": ["../data/?.root:Events"]}},
            "skims": {"s": {"file": "s.root"}}, "output": {"report": "r.json", "cutflow": "/tmp/c.csv"}})");
  for (const char* name : {"other/data/c.root", "other/data/d.root"}) write(name, "");
  const Config config = parse(R"({"include": "other/sub/part.json", "skims": {"t": {"file": "t.root"}}})");
  ASSERT_EQ(config.samples.at(0).inputs.size(), 2u);
  EXPECT_EQ(config.samples[0].inputs[1].location.path, (folder_ / "other/data/d.root").string());
  EXPECT_EQ(config.skims.at(0).path, (folder_ / "other/sub/s.root").string());
  EXPECT_EQ(config.skims.at(1).path, (folder_ / "t.root").string());
  EXPECT_EQ(config.output.report_path, (folder_ / "other/sub/r.json").string());
  EXPECT_EQ(config.output.cutflow_path, "/tmp/c.csv");
  EXPECT_EQ(config.resolved,
            R"({"schema_version":1,"samples":{"data":{"files":["other/data/?.root:Events"]}},)"
            R"("skims":{"s":{},"t":{}}})");
}

TEST_F(ConfigCompositionTest, OverridesAreExplicit) {
  write("common.json", R"({"define": {"a": "1", "b": "2"}, "select": [{"name": "one", "where": "a"}],
                           "override": {"define.a": "from common"}})");
  const Config config = parse(std::string("{\"include\": \"common.json\", ") + kSamples + R"("override": {
      "define.a": "mine", "select.0.where": "b > 1", "define.\"c\"": "new"}})");
  EXPECT_EQ(config.define.at(0).expression.value, "mine");
  EXPECT_EQ(config.define.at(2).name.value, "c");
  EXPECT_EQ(config.select.at(0).where.value, "b > 1");
}

TEST_F(ConfigCompositionTest, OverridesThatContradictAreErrors) {
  write("one.json", R"({"define": {"a": "1"}, "override": {"define.a": "2"}})");
  write("two.json", R"({"override": {"define": {"a": "3"}}})");
  EXPECT_EQ(
      errors_of(std::string("{\"include\": [\"one.json\", \"two.json\"], ") + kSamples + "\"select\": []}"),
      "two.json:1:16: error: \"define\" is overridden twice\n"
      "one.json:1:38: note: it is overridden here too");
}

TEST_F(ConfigCompositionTest, SettingsAreAppliedInOrder) {
  const Config config =
      parse(with(R"("select": [{"name": "one", "where": "a"}], "define": {"x": "1"})"),
            {"select.0.where=nMuon > 2 && x == \"=\"", "define.x=\"1 + 1\"", "define.y=Muon_pt[0]",
             "samples.data.metadata.year=2018", "samples.data.metadata.\"big.\"=1",
             "samples.data.metadata={\"lumi\": 1.50}", "define.y=Muon_pt[1]"});
  EXPECT_EQ(config.select.at(0).where.value, "nMuon > 2 && x == \"=\"");
  EXPECT_EQ(config.define.at(0).expression.value, "1 + 1");
  EXPECT_EQ(config.define.at(1).expression.value, "Muon_pt[1]");
  ASSERT_EQ(config.samples.at(0).metadata.size(), 1u);
  EXPECT_EQ(std::get<double>(config.samples[0].metadata[0].value), 1.5);
  EXPECT_NE(config.resolved.find(R"("metadata":{"lumi":1.5})"), std::string::npos) << config.resolved;
}

TEST_F(ConfigCompositionTest, MistakesInSettingsAreLocated) {
  const std::string config = with(R"("select": [{"name": "one", "where": "a"}], "define": {"x": "1"})");
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"selct.0.where=1", "--set:1:1: error: unknown key \"selct\" (did you mean \"select\"?)"},
      {"select.1.where=1",
       "--set:1:8: error: \"select\" is a list of 1, whose items are called 0, not \"1\""},
      {"select.one.where=1",
       "--set:1:8: error: \"select\" is a list of 1, whose items are called 0, not \"one\""},
      {"samples.data.files.0.x=1",
       "--set:1:22: error: \"samples.data.files.0\" is a string and has no \"x\" in it"},
      {"select.0.where=1", "--set:1:16: error: \"where\" must be a string, got an integer"},
      {"define.x=", "--set:1:10: error: the definition of \"x\" must not be empty"},
      {"define.x", "--set:1:1: error: a setting is written \"path.to.key=value\""},
      {"define..x=1", "--set:1:8: error: a part of the path is missing: write \"key.key.0.key\""},
      {"=1", "--set:1:1: error: a part of the path is missing: write \"key.key.0.key\""},
      {"define.\"x=1", "--set:1:1: error: a setting is written \"path.to.key=value\""},
      {"define.\"x\"y=1", "--set:1:11: error: expected \".\" behind the quoted part of the path"},
      {"include=b.json", "--set:1:1: error: \"include\" cannot be set"},
      {"samples.data.files=[\"in.root\"",
       "--set:1:30: error: syntax error while parsing array - unexpected end of input; expected ']'"},
      {"samples.data.files=[\"no.root\"]", "--set:1:21: error: there is no file \"no.root\""},
      {"skims.s.file=in.root", "--set:1:14: error: this file is also an input"},
      {"define.z=\xff", "--set:1:10: error: this text is not UTF-8"},
  };
  for (const auto& [setting, error] : mistakes) EXPECT_EQ(errors_of(config, {setting}), error) << setting;
  EXPECT_EQ(message_of(config, {"define.x=1", "selct=[]"}),
            "--set:1:10: error: the definition of \"x\" must be a string, got an integer\n"
            "  define.x=1\n"
            "           ^\n"
            "--set:1:1: error: unknown key \"selct\" (did you mean \"select\"?)\n"
            "  selct=[]\n"
            "  ^~~~~");
  EXPECT_EQ(errors_of("[]", {"define.x=1"}),
            "a.json:1:1: error: the config must be an object, got a list\n"
            "--set:1:1: error: the config is a list without items and has no \"define\"");
}

TEST_F(ConfigCompositionTest, VariablesTakeTheTypeOfTheirValues) {
  const Config config = parse(
      R"({"schema_version": 1, "variables": {"n": 10, "low": -0.50, "edges": [0, "${low}"], "cut": "pt > ${n}", "dir": "data",
          "is_mc": true, "name": "${dir}/${n}"},
          "samples": {"data": {"files": ["${dir}/a.root"], "metadata": {"is_mc": "${is_mc}", "n": "${n}", "text": "$${n} ${is_mc} $ ${low}"}}},
          "select": [{"name": "${name}", "where": "${cut} && x"}],
          "histograms": {"h": {"x": {"value": "a", "bins": "${n}", "range": ["${low}", 1]}}},
          "output": {"histograms": "h.root"}})");
  EXPECT_EQ(config.samples.at(0).inputs.at(0).location.path, (folder_ / "data/a.root").string());
  EXPECT_EQ(config.select.at(0).where.value, "pt > 10 && x");
  EXPECT_EQ(config.select.at(0).name.value, "data/10");
  EXPECT_EQ(config.histograms.at(0).axes.at(0).bins.num_bins, 10);
  EXPECT_EQ(config.histograms[0].axes[0].bins.low, -0.5);
  const auto& metadata = config.samples[0].metadata;
  EXPECT_EQ(std::get<bool>(metadata.at(0).value), true);
  EXPECT_EQ(std::get<std::int64_t>(metadata.at(1).value), 10);
  EXPECT_EQ(std::get<std::string>(metadata.at(2).value), "${n} true $ -0.50");
  EXPECT_EQ(config.resolved.find("variables"), std::string::npos);
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_NE(config.warnings[0].find("a.json:1:60: warning: the variable \"edges\" is not used"),
            std::string::npos)
      << config.warnings[0];
}

TEST_F(ConfigCompositionTest, VariablesAreSetAndIncluded) {
  write("common.json", R"({"variables": {"year": 2018, "unused": 1, "file": "in"}})");
  const std::string text =
      R"({"include": "common.json", "schema_version": 1, "variables": {"also_unused": "${year}"},
      "samples": {"data_${year}": {"files": ["${file}.root"], "metadata": {"year": "${year}"}}}, "select": []})";
  const std::string plain = text.substr(0, text.find("_${year}")) + text.substr(text.find("_${year}") + 8);
  const Config config = parse(plain, {"variables.year=2017"});
  EXPECT_EQ(std::get<std::int64_t>(config.samples.at(0).metadata.at(0).value), 2017);
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_NE(config.warnings[0].find("the variable \"also_unused\" is not used"), std::string::npos);
  EXPECT_TRUE(errors_of(text).find("cannot name a sample") != std::string::npos) << errors_of(text);
}

TEST_F(ConfigCompositionTest, MistakesInVariablesAreLocated) {
  const auto variables = [](const std::string& list, const std::string& where) {
    return with("\"variables\": {" + list + "},\n\"select\": [{\"name\": \"a\", \"where\": " + where + "}]");
  };
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {variables("\"year\": 1", "\"x > ${yaer}\""),
       "a.json:3:35: error: unknown variable \"yaer\" (did you mean \"year\"?)"},
      {variables("\"year\": 1", "\"${zzzzzzzz} ${year}\""),
       "a.json:3:35: error: unknown variable \"zzzzzzzz\"; there are \"year\""},
      {variables("\"a\": \"${b}\", \"b\": 1", "\"${a}${b}\""),
       "a.json:2:20: error: the variable \"b\" may be used only by those behind it"},
      {variables("\"a\": {}", "\"${a}\""),
       "a.json:2:20: error: the variable \"a\" must be true, false, a number, a text or a list of these"},
      {variables("\"a\": [1]", "\"x == ${a}\""),
       "a.json:3:35: error: a list can only be put in as the whole text"},
      {variables("\"a\": [1]", "\"${a}\""), "a.json:3:35: error: \"where\" must be a string, got a list"},
      {variables("\"a\": 1", "\"x ${a\""),
       "a.json:3:35: error: \"${\" without \"}\"; write \"$${\" if no variable is meant"},
      {variables("\"2a\": 1", "\"x\""),
       "a.json:2:15: error: \"2a\" cannot name a variable: use letters, digits and \"_\", and begin with no "
       "digit"},
      {with(R"("variables": [1], "select": [])"),
       "a.json:2:14: error: \"variables\" must be an object, got a list"},
      {with(R"("skims": {"s": {"file": "${x}.root"}})"),
       "a.json:2:25: error: unknown variable \"x\"; there are none: give \"variables\": {\"x\": ...}"},
  };
  for (const auto& [config, error] : mistakes) EXPECT_EQ(errors_of(config), error) << config;
}

TEST_F(ConfigCompositionTest, FunctionsThatNothingCallsAreWarnedOf) {
  write("common.json", R"json({"functions": {"h(x)": "x"}})json");
  const Config config = parse(std::string("{\"include\": \"common.json\", ") + kSamples + R"json(
      "functions": {"f(x)": "x", "g(x)": "f(x)", "lost_too(x)": "x", "lost(x)": "lost_too(x) + 'g(x)'"},
      "select": [{"name": "one", "where": "g (1) > 'lost(1)'"}]})json");
  ASSERT_EQ(config.warnings.size(), 2u);
  EXPECT_NE(config.warnings[0].find("a.json:2:50: warning: the function \"lost_too\" is not used"),
            std::string::npos)
      << config.warnings[0];
  EXPECT_NE(config.warnings[1].find("the function \"lost\" is not used"), std::string::npos);
}

TEST_F(ConfigCompositionTest, ReadsHowToRun) {
  const Config plain = parse(with(R"("select": [])"));
  EXPECT_EQ(plain.output.report_path, (folder_ / "a.report.json").string());
  EXPECT_EQ(plain.on_bad_file, BadFilePolicy::kFail);
  const Config config =
      parse(with(R"("select": [], "on_bad_file": "skip", "max_bad_fraction": 0.25, "memory_limit": "2 GiB",
      "output": {"report": false, "cutflow": "c.csv", "n_minus_1": true})"));
  EXPECT_EQ(config.on_bad_file, BadFilePolicy::kSkip);
  EXPECT_EQ(config.max_bad_fraction, 0.25);
  EXPECT_EQ(config.memory_limit->bytes, 2147483648u);
  EXPECT_EQ(config.output.report_path, "");
  EXPECT_EQ(config.output.cutflow_path, (folder_ / "c.csv").string());
  EXPECT_TRUE(config.output.n_minus_1);
  EXPECT_EQ(
      errors_of(with(R"("select": [], "on_bad_file": "skp", "max_bad_fraction": 1.5, "memory_limit": "2 MiB",
      "output": {"report": true, "cutflow": 1, "n_minus_1": 1})")),
      "a.json:2:30: error: \"on_bad_file\" cannot be \"skp\" (did you mean \"skip\"?)\n"
      "a.json:2:57: error: \"max_bad_fraction\" must be a number from 0 to 1\n"
      "a.json:2:78: error: \"memory_limit\" must be from 64 MiB to 16384 GiB: a whole number of bytes, or "
      "a text such as \"64 MiB\"\n"
      "a.json:3:28: error: \"report\" must be a path, a list of paths or false\n"
      "a.json:3:45: error: \"cutflow\" must be a string, got an integer\n"
      "a.json:3:61: error: \"n_minus_1\" must be a boolean, got an integer");
}

}  // namespace
}  // namespace skimline::skims
