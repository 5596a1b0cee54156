// SPDX-License-Identifier: BSD-3-Clause
// Templates give what their copies give when they are written out.
#include "config/read/expanded_config.h"
#include "config_reading.h"

namespace skimline::skims {
namespace {

class TemplatesTest : public ConfigReaderTest {
 protected:
  // The config as the record of a run has it.
  std::string resolved(const std::string& more) const { return parse(with(more)).resolved; }

  void expect_same(const std::string& templates, const std::string& written_out) const {
    EXPECT_EQ(resolved(templates), resolved(written_out)) << templates;
  }
};

TEST_F(TemplatesTest, CopyWhatIsNamed) {
  expect_same(
      R"("define": {"a": "1"}, "regions": {"first": {"where": "a"},
          "b_${wp}": {"for": {"wp": ["L", "M"]}, "where": "tag > '${wp}' + ${wp}_cut"}, "last": {"where": "a"}})",
      R"("define": {"a": "1"}, "regions": {"first": {"where": "a"},
          "b_L": {"where": "tag > 'L' + L_cut"}, "b_M": {"where": "tag > 'M' + M_cut"}, "last": {"where": "a"}})");
}

TEST_F(TemplatesTest, CopyWhatIsListed) {
  expect_same(R"("select": [{"name": "all", "where": "1"},
                  {"for": {"n": [1, 2.5]}, "name": "above ${n}", "where": "x > ${n}"}])",
              R"("select": [{"name": "all", "where": "1"}, {"name": "above 1", "where": "x > 1"},
                  {"name": "above 2.5", "where": "x > 2.5"}])");
}

TEST_F(TemplatesTest, CopyTextsBehindEach) {
  expect_same(
      R"("define": {"n_${wp}": {"for": {"wp": ["L", "M"]}, "each": "${wp} > 1"}}, "select": [{"name": "a", "where": "n_L"}])",
      R"("define": {"n_L": "L > 1", "n_M": "M > 1"}, "select": [{"name": "a", "where": "n_L"}])");
}

TEST_F(TemplatesTest, TakeEveryValueWithEveryOther) {
  expect_same(
      R"("regions": {"${a}${b}": {"for": {"a": ["x", "y"], "b": [1, 2]}, "where": "${b} > 0"}})",
      R"("regions": {"x1": {"where": "1 > 0"}, "x2": {"where": "2 > 0"}, "y1": {"where": "1 > 0"}, "y2": {"where": "2 > 0"}})");
}

TEST_F(TemplatesTest, TakeValuesThatBelongTogether) {
  expect_same(
      R"("regions": {"b_${wp}": {"for": [{"wp": "L", "cut": 0.05}, {"wp": "M", "cut": 0.3}], "where": "tag > ${cut}"}})",
      R"("regions": {"b_L": {"where": "tag > 0.05"}, "b_M": {"where": "tag > 0.3"}})");
}

TEST_F(TemplatesTest, PutInWholeValuesAndKeys) {
  expect_same(
      R"("variations": {"jes_${source}": {"for": {"source": ["A", "B"]},
            "columns": {"Jet_${source}": {"up": "Jet_${source} * 1.1", "down": "Jet_${source} * 0.9"}}}},
          "histograms": {"h_${n}": {"for": [{"n": 5, "to": [0, 1]}, {"n": 7, "to": [0, 2]}],
            "x": {"value": "x", "bins": "${n}", "range": "${to}"}}}, "output": {"histograms": "h.root"})",
      R"("variations": {
            "jes_A": {"columns": {"Jet_A": {"up": "Jet_A * 1.1", "down": "Jet_A * 0.9"}}},
            "jes_B": {"columns": {"Jet_B": {"up": "Jet_B * 1.1", "down": "Jet_B * 0.9"}}}},
          "histograms": {"h_5": {"x": {"value": "x", "bins": 5, "range": [0, 1]}},
            "h_7": {"x": {"value": "x", "bins": 7, "range": [0, 2]}}}, "output": {"histograms": "h.root"})");
}

TEST_F(TemplatesTest, LoopOverVariables) {
  const Config config = parse(with(
      R"("variables": {"wps": ["L", "M"], "limit": 3}, "regions": {"b_${wp}": {"for": {"wp": "${wps}"}, "where": "${wp} > ${limit}"}})"));
  ASSERT_EQ(config.regions.size(), 2u);
  EXPECT_EQ(config.regions[1].name.value, "b_M");
  EXPECT_EQ(config.regions[1].where.value, "M > 3");
  EXPECT_TRUE(config.warnings.empty()) << config.warnings.front();
}

TEST_F(TemplatesTest, LeaveEscapedTextsToVariables) {
  const Config config =
      parse(with(R"("select": [{"for": {"n": [1]}, "name": "$${n} and ${n}", "where": "1"}])"));
  EXPECT_EQ(config.select[0].name.value, "${n} and 1");
}

TEST_F(TemplatesTest, MistakesNameTheTemplateAndItsValues) {
  const std::string errors =
      errors_of(with(R"("regions": {"b_${wp}": {"for": {"wp": ["L", "M"]}, "where": ""}})"));
  EXPECT_EQ(errors,
            "a.json:2:13 with wp = \"L\":1:17: error: \"where\" must not be empty\n"
            "a.json:2:13 with wp = \"M\":1:17: error: \"where\" must not be empty");
}

TEST_F(TemplatesTest, RefuseWhatCannotBeCopied) {
  const Mistake mistakes[] = {
      {R"("regions": {"b": {"for": {"wp": ["L", "M"]}, "where": "${wp}"}})",
       "a.json:2:13 with wp = \"M\":1:2: error: there is another \"b\"\n"
       "a.json:2:13 with wp = \"L\":1:2: note: it is made here too"},
      {R"("regions": {"b_${wp}": {"for": {"wp": "L"}, "where": "${wp}"}})",
       "a.json:2:39: error: \"wp\" must loop over a list of values"},
      {R"("regions": {"b_${wp}": {"for": {"wp": []}, "where": "${wp}"}})",
       "a.json:2:39: error: \"wp\" must loop over a list of values"},
      {R"("regions": {"b_${wp}": {"for": {"wp": [{}]}, "where": "${wp}"}})",
       "a.json:2:39: error: loops go over true, false, numbers, texts or lists of these, not over an object"},
      {R"("regions": {"b_${wp}": {"for": "wp", "where": "${wp}"}})",
       "a.json:2:32: error: \"for\" must be an object with lists of values, or a list of objects with a "
       "value for "
       "each name"},
      {R"("regions": {"b_${wp}": {"for": [{"wp": 1}, {"pw": 2}], "where": "${wp}"}})",
       "a.json:2:44: error: \"wp\" has no value in this round\n"
       "a.json:2:45: error: the first round has no \"pw\""},
      {R"("regions": {"b_${wp}": {"for": {"w-p": [1]}, "where": "1"}})",
       "a.json:2:33: error: \"w-p\" cannot name a loop: use letters, digits and \"_\", and begin with no "
       "digit"},
      {R"("variables": {"wp": 1}, "regions": {"b_${wp}": {"for": {"wp": [1]}, "where": "${wp}"}})",
       "a.json:2:57: error: \"wp\" is a variable: give the loop another name"},
      {R"("define": {"b_${wp}": {"for": {"wp": [1]}, "each": "${wp}", "where": "1"}}, "select": [])",
       "a.json:2:61: error: beside \"each\" there can only be \"for\", not \"where\""},
      {R"("regions": {"b_${wp}": {"for": {"wp": [[1, 2]]}, "where": "x > ${wp}"}})",
       "a.json:2:13: error: a list can only be put in as the whole text: wp = [1,2]"},
      {R"("regions": {"b_${wp}": {"for": {"wp": ["L"]}, "where": "${pw}"}})",
       "a.json:2:13 with wp = \"L\":1:17: error: unknown variable \"pw\"; there are none: give "
       "\"variables\": "
       "{\"pw\": ...}"},
  };
  for (const auto& [config, errors] : mistakes) EXPECT_EQ(errors_of(with(config)), errors) << config;
}

TEST_F(TemplatesTest, RefuseMoreCopiesThanAnybodyMeans) {
  std::string hundred = "0";
  for (int i = 1; i < 100; ++i) hundred += ", " + std::to_string(i);
  const std::string loops =
      R"("for": {"a": [)" + hundred + R"(], "b": [)" + hundred + R"(], "c": [1, 2]}, "where": "1")";
  EXPECT_NE(errors_of(with(R"("regions": {"${a}_${b}_${c}": {)" + loops + "}}"))
                .find("a template has more than 10000 copies"),
            std::string::npos);
}

TEST_F(TemplatesTest, RefuseMoreBytesThanAConfigHas) {
  const std::string text(1 << 20, 'x');
  std::string uses;
  for (int i = 0; i < 70; ++i) uses += "${a}";
  EXPECT_NE(errors_of(with(R"("regions": {"r_${b}": {"for": {"b": [1, 2], "a": [")" + text +
                           R"("]}, "where": ")" + uses + "\"}}"))
                .find("templates have more than 10000 copies, or 64 MiB, together"),
            std::string::npos);
}

TEST_F(TemplatesTest, AreShownExpanded) {
  const std::string path = (folder_ / "shown.json").string();
  std::ofstream(path)
      << R"({"schema_version": 1, "variables": {"n": 3}, "samples": {"a": {"files": ["in.root"]}},
    "select": [{"for": {"m": [1, 2]}, "name": "m${m}", "where": "x > ${m} * ${n}"}]})";
  EXPECT_EQ(expanded_config(path, {"select.0.for.m=[2]"}), R"({
  "schema_version": 1,
  "samples": {"a":{"files":["in.root"]}},
  "select": [{"name":"m2","where":"x > 2 * 3"}]
}
)");
}

}  // namespace
}  // namespace skimline::skims
