// SPDX-License-Identifier: BSD-3-Clause
#include "config_reading.h"

#include <string>
#include <vector>

namespace skimline::skims {
namespace {

using histograms::AxisKind;
using histograms::BadWeights;
using histograms::NanPositions;

class HistogramConfigTest : public ConfigReaderTest {};

// What stands between the brackets of the histogram begins at the first column of line 3.
std::string with_histogram(const std::string& keys, const std::string& more = "") {
  return with(R"("output": {"histograms": "h.root"}, )" + more + R"("histograms": {"h": {)" + "\n" + keys +
              "}}");
}

// The axis begins at the first column of line 4.
std::string with_axis(const std::string& axis) { return with_histogram("\"x\":\n" + axis); }

const std::string kX = R"("x": {"value": "a", "edges": [0, 1]})";

TEST_F(HistogramConfigTest, ReadsAllKindsOfAxes) {
  const Config config = parse(with_histogram(R"("axes": [
    {"value": "a", "bins": 2, "range": [-1, 1.5], "circular": true, "label": "phi", "unit": "rad"},
    {"value": "b", "edges": [0, 1, 10], "underflow": false},
    {"value": "c", "integers": [-2, 2], "overflow": false},
    {"value": "d", "categories": ["ee", "mm"]},
    {"value": "e", "categories": [13, -11, 9007199254740992], "growing": false},
    {"value": "f", "categories": [], "growing": true}])"));
  const std::vector<AxisConfig>& axes = config.histograms.at(0).axes;
  ASSERT_EQ(axes.size(), 6u);
  EXPECT_EQ(axes[0].kind, AxisKind::kRegular);
  EXPECT_EQ(axes[0].bins.num_bins, 2);
  EXPECT_EQ(axes[0].bins.low, -1);
  EXPECT_EQ(axes[0].bins.high, 1.5);
  EXPECT_TRUE(axes[0].bins.flow.circular);
  EXPECT_TRUE(axes[0].bins.flow.underflow && axes[0].bins.flow.overflow);
  EXPECT_EQ(axes[0].label, "phi");
  EXPECT_EQ(axes[0].unit, "rad");
  EXPECT_EQ(axes[1].kind, AxisKind::kVariable);
  EXPECT_EQ(axes[1].bins.edges, (std::vector<double>{0, 1, 10}));
  EXPECT_FALSE(axes[1].bins.flow.underflow || axes[1].bins.flow.circular);
  EXPECT_EQ(axes[2].kind, AxisKind::kInteger);
  EXPECT_EQ(axes[2].bins.low, -2);
  EXPECT_EQ(axes[2].bins.high, 3);
  EXPECT_EQ(axes[2].bins.num_bins, 5);
  EXPECT_FALSE(axes[2].bins.flow.overflow);
  EXPECT_EQ(axes[3].kind, AxisKind::kStringCategories);
  EXPECT_EQ(axes[3].bins.names, (std::vector<std::string>{"ee", "mm"}));
  EXPECT_FALSE(axes[3].bins.is_growing);
  EXPECT_EQ(axes[4].kind, AxisKind::kIntegerCategories);
  EXPECT_EQ(axes[4].bins.numbers, (std::vector<std::int64_t>{13, -11, 9007199254740992}));
  EXPECT_EQ(axes[4].kind, AxisKind::kIntegerCategories);
  EXPECT_FALSE(axes[5].kind);
  EXPECT_TRUE(axes[5].bins.is_growing);
  EXPECT_EQ(axes[5].value.value, "f");
}

TEST_F(HistogramConfigTest, ReadsAxesByTheirLetters) {
  const Config config = parse(with_histogram(R"("z": {"value": "c", "integers": [0, 0]}, )" + kX +
                                             R"(, "y": {"value": "b", "integers": [0, 1]})"));
  const std::vector<AxisConfig>& axes = config.histograms.at(0).axes;
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(axes[0].value.value + axes[1].value.value + axes[2].value.value, "abc");
}

TEST_F(HistogramConfigTest, ReadsWeightsAndRules) {
  const HistogramConfig histogram =
      parse(
          with_histogram(kX + R"(, "weight": "w", "weight_variations": {"sf_up": "w * 2", "sf-down": "w / 2"},
                                     "profile": {"value": "v", "label": "MET", "unit": "GeV"}, "title": "T",
                                     "nan": "fail", "bad_weight": "skip")"))
          .histograms.at(0);
  EXPECT_EQ(histogram.title, "T");
  EXPECT_EQ(histogram.weight->value, "w");
  ASSERT_EQ(histogram.weight_variations.size(), 2u);
  EXPECT_EQ(histogram.weight_variations[0].name.value, "sf_up");
  EXPECT_EQ(histogram.weight_variations[1].weight.value, "w / 2");
  EXPECT_EQ(histogram.profile->value.value, "v");
  EXPECT_EQ(histogram.profile->label, "MET");
  EXPECT_EQ(histogram.profile->unit, "GeV");
  EXPECT_EQ(histogram.nan_positions, NanPositions::kRefuse);
  EXPECT_EQ(histogram.bad_weights, BadWeights::kSkip);
  const HistogramConfig plain = parse(with_histogram(kX)).histograms.at(0);
  EXPECT_EQ(plain.nan_positions, NanPositions::kOverflow);
  EXPECT_EQ(plain.bad_weights, BadWeights::kRefuse);
  EXPECT_EQ(plain.type, io::CellType::kDouble);
  EXPECT_FALSE(plain.profile || plain.weight);
}

TEST_F(HistogramConfigTest, DefaultsAreForThoseThatCanHaveThem) {
  const auto type_of = [&](const std::string& keys, const std::string& type) {
    return parse(with_histogram(keys, R"("histogram_defaults": {"type": ")" + type + R"("}, )"))
        .histograms.at(0)
        .type;
  };
  EXPECT_EQ(type_of(kX, "int"), io::CellType::kInt);
  EXPECT_EQ(type_of(kX, "float"), io::CellType::kFloat);
  EXPECT_EQ(type_of(kX + R"(, "type": "double")", "int"), io::CellType::kDouble);
  EXPECT_EQ(type_of(kX + R"(, "weight": "w")", "int"), io::CellType::kDouble);
  EXPECT_EQ(type_of(kX + R"(, "weight": "w")", "float"), io::CellType::kFloat);
  EXPECT_EQ(type_of(kX + R"(, "profile": {"value": "v"})", "float"), io::CellType::kDouble);
  const std::string axis = R"({"value": "a", "integers": [0, 1]})";
  EXPECT_EQ(type_of("\"axes\": [" + axis + "," + axis + "," + axis + "," + axis + "]", "float"),
            io::CellType::kDouble);

  const Config config = parse(with_histogram(
      kX, R"("histogram_memory": "2 GiB", "histogram_defaults": {"nan": "fail", "bad_weight": "skip"}, )"));
  EXPECT_EQ(config.histograms.at(0).nan_positions, NanPositions::kRefuse);
  EXPECT_EQ(config.histograms.at(0).bad_weights, BadWeights::kSkip);
  EXPECT_EQ(config.histogram_memory->bytes, 2147483648u);
}

TEST_F(HistogramConfigTest, MistakesInAxesAreLocated) {
  const std::string ways = "\"bins\" and \"range\", \"edges\", \"integers\" or \"categories\"";
  const std::string several = "give either " + ways + ", not several of them";
  const std::string none = "a.json:4:1: error: an axis needs " + ways;
  const std::string integers =
      "\"integers\" must be the first and the last of consecutive integers of 32 bits";
  const std::vector<Mistake> mistakes{
      {with_axis(R"("a")"), "a.json:4:1: error: \"x\" must be an object, got a string"},
      {with_axis(R"({"value": "a"})"), none},
      {with_axis(R"({"value": "a", "bins": 2})"), none},
      {with_axis(R"({"value": "a", "range": [0, 1]})"), none},
      {with_axis(R"({"bins": 2, "range": [0, 1]})"), "a.json:4:1: error: \"x\" needs the key \"value\""},
      {with_axis(R"({"value": "a", "bins": 2, "range": [0, 1], "edges": [0, 1]})"),
       "a.json:4:53: error: " + several},
      {with_axis(R"({"value": "a", "integers": [0, 1], "categories": ["b"], "bins": 3})"),
       "a.json:4:28: error: " + several + "\na.json:4:50: error: " + several},
      {with_axis(R"({"value": "a", "bins": 0, "range": [0, 1]})"),
       "a.json:4:24: error: \"bins\" must be a whole number from 1 to 10000000"},
      {with_axis(R"({"value": "a", "bins": 1.5, "range": [1, 0]})"),
       "a.json:4:24: error: \"bins\" must be a whole number from 1 to 10000000\n"
       "a.json:4:38: error: \"range\" must be two numbers, the lower one first"},
      {with_axis(R"({"value": "a", "bins": "2", "range": [0, 1, 2]})"),
       "a.json:4:24: error: \"bins\" must be a number, got a string\n"
       "a.json:4:38: error: \"range\" must be two numbers, the lower one first"},
      {with_axis(R"({"value": "a", "bins": 2, "range": [-1e308, 1e308]})"),
       "a.json:4:36: error: \"range\" is too wide"},
      {with_axis(R"({"value": "a", "edges": [0, 2, 2]})"),
       "a.json:4:32: error: \"edges\" must increase from one number to the next"},
      {with_axis(R"({"value": "a", "edges": [0]})"),
       "a.json:4:25: error: \"edges\" needs two numbers or more"},
      {with_axis(R"({"value": "a", "edges": [0, null]})"),
       "a.json:4:29: error: each item of \"edges\" must be a number, got null"},
      {with_axis(R"({"value": "a", "integers": [1, 0]})"), "a.json:4:28: error: " + integers},
      {with_axis(R"({"value": "a", "integers": [0.5, 1]})"), "a.json:4:28: error: " + integers},
      {with_axis(R"({"value": "a", "integers": [0, 2147483648]})"), "a.json:4:28: error: " + integers},
      {with_axis(R"({"value": "a", "integers": [1, 2, 3]})"), "a.json:4:28: error: " + integers},
      {with_axis(R"({"value": "a", "integers": 3})"),
       "a.json:4:28: error: \"integers\" must be a list, got an integer"},
      {with_axis(R"({"value": "a", "integers": [0, 10000000]})"),
       "a.json:4:28: error: \"integers\" may be 10000000 at most"},
      {with_axis(R"({"value": "a", "categories": []})"),
       "a.json:4:30: error: \"categories\" may be empty only with \"growing\": true"},
      {with_axis(R"({"value": "a", "categories": "b"})"),
       "a.json:4:30: error: \"categories\" must be a list, got a string"},
      {with_axis(R"({"value": "a", "categories": ["b", 1, "b", " "]})"),
       "a.json:4:30: error: \"categories\" must be all texts or all integers\n"
       "a.json:4:39: error: the category \"b\" is given twice\n"
       "a.json:4:44: error: a category must not be empty"},
      {with_axis(R"({"value": "a", "categories": [1, 2.5, 1.0, true]})"),
       "a.json:4:34: error: a category must be a text or an integer up to 2^53, got a number\n"
       "a.json:4:39: error: the category 1 is given twice\n"
       "a.json:4:44: error: a category must be a text or an integer up to 2^53, got a boolean"},
      {with_axis(R"({"value": "a", "categories": [-9007199254740993, 18446744073709551616]})"),
       "a.json:4:31: error: a category must be a text or an integer up to 2^53, got an integer\n"
       "a.json:4:50: error: a category must be a text or an integer up to 2^53, got an integer"},
      {with_axis(
           R"({"value": "a", "categories": ["b"], "circular": true, "underflow": false, "overflow": true})"),
       "a.json:4:49: error: \"circular\" is for axes of numbers, not for \"categories\"\n"
       "a.json:4:68: error: \"underflow\" is for axes of numbers, not for \"categories\"\n"
       "a.json:4:87: error: \"overflow\" is for axes of numbers, not for \"categories\""},
      {with_axis(R"({"value": "a", "integers": [0, 1], "growing": true})"),
       "a.json:4:47: error: \"growing\" is for \"categories\" only"},
      {with_axis(R"({"value": "a", "integers": [0, 1], "circular": 1})"),
       "a.json:4:48: error: \"circular\" must be a boolean, got an integer"},
      {with_axis(R"({"value": "a", "integers": [0, 1], "lable": "m"})"),
       "a.json:4:36: error: unknown key \"lable\" (did you mean \"label\"?)"},
      {with_axis(R"({"value": "a", "integers": [0, 1], "label": 1, "unit": ""})"),
       "a.json:4:45: error: \"label\" must be a string, got an integer\n"
       "a.json:4:56: error: \"unit\" must not be empty"},
  };
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(errors_of(mistake.config), mistake.errors) << mistake.config;
}

TEST_F(HistogramConfigTest, MistakesInHistogramsAreLocated) {
  const std::string axis = R"({"value": "a", "integers": [0, 1]})";
  const std::string four = "[" + axis + "," + axis + "," + axis + "," + axis + "]";
  const std::vector<Mistake> mistakes{
      {with_histogram(R"("weight": "w")"), "a.json:2:57: error: the histogram \"h\" needs the key \"x\""},
      {with_histogram("\"y\":" + axis), "a.json:3:5: error: \"y\" needs \"x\" before it"},
      {with_histogram("\"x\":" + axis + ",\n\"z\":" + axis),
       "a.json:4:5: error: \"z\" needs \"y\" before it"},
      {with_histogram("\"axes\": [" + axis + "],\n\"x\":" + axis),
       "a.json:3:9: error: give either \"axes\" or \"x\", not both"},
      {with_histogram(R"("axes": [])"), "a.json:3:9: error: \"axes\" must not be empty"},
      {with_histogram(R"("axes": {})"), "a.json:3:9: error: \"axes\" must be a list, got an object"},
      {with_histogram(R"("axes": [1])"),
       "a.json:3:10: error: each item of \"axes\" must be an object, got an integer"},
      {with_histogram("\"profile\": {\"valu\": \"a\"},\n" + kX),
       "a.json:3:12: error: \"profile\" needs the key \"value\"\n"
       "a.json:3:13: error: unknown key \"valu\" (did you mean \"value\"?)"},
      {with_histogram("\"profile\": {\"value\": \"a\"},\n\"axes\":" + four),
       "a.json:3:12: error: a \"profile\" has three axes at most"},
      {with_histogram("\"type\": \"float\",\n\"axes\":" + four),
       "a.json:3:9: error: \"type\" is for histograms with up to three axes, and no \"profile\""},
      {with_histogram("\"type\": \"float\", \"profile\": {\"value\": \"a\"},\n" + kX),
       "a.json:3:9: error: \"type\" is for histograms with up to three axes, and no \"profile\""},
      {with_histogram("\"type\": \"int\", \"weight\": \"a\",\n" + kX),
       "a.json:3:9: error: \"int\" cannot hold the sums of a \"weight\""},
      {with_histogram("\"type\": \"duoble\",\n" + kX),
       "a.json:3:9: error: \"type\" cannot be \"duoble\" (did you mean \"double\"?)"},
      {with_histogram("\"nan\": \"skip\",\n" + kX),
       "a.json:3:8: error: \"nan\" cannot be \"skip\"; it may be \"overflow\", \"fail\""},
      {with_histogram("\"nan\": true,\n" + kX), "a.json:3:8: error: \"nan\" must be a string, got a boolean"},
      {with_histogram("\"bad_weight\": \"skip\",\n" + kX),
       "a.json:3:15: error: \"bad_weight\" needs a \"weight\" or a \"profile\""},
      {with_histogram("\"weight_variations\": {\"up\": \"w\"},\n" + kX),
       "a.json:3:22: error: \"weight_variations\" needs a \"weight\", the one they vary"},
      {with_histogram("\"weight\": \"w\", \"weight_variations\": {},\n" + kX),
       "a.json:3:37: error: \"weight_variations\" must not be empty"},
      {with_histogram(
           "\"weight\": \"w\", \"weight_variations\": {\"nominal\": \"w\", \"a b\": \"w\", \"c\": 1},\n" +
           kX),
       "a.json:3:38: error: \"nominal\" is what the \"weight\" itself is called\n"
       "a.json:3:54: error: \"a b\" cannot name a weight variation: use letters, digits, \"_\", \"-\", "
       "\".\"\n"
       "a.json:3:71: error: the weight variation \"c\" must be a string, got an integer"},
      {with_histogram("\"title\": \"" + std::string(8001, 't') + "\",\n" + kX),
       "a.json:3:10: error: \"title\" is too long"},
      {with_histogram(kX, R"("histogram_defaults": {"nan": "no", "title": "w"}, )"),
       "a.json:2:67: error: \"nan\" cannot be \"no\"; it may be \"overflow\", \"fail\"\n"
       "a.json:2:73: error: unknown key \"title\"; allowed here: \"type\", \"nan\", \"bad_weight\", "
       "\"weight\""},
  };
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(errors_of(mistake.config), mistake.errors) << mistake.config;
}

TEST_F(HistogramConfigTest, KeysForHistogramsNeedHistograms) {
  EXPECT_EQ(errors_of(with(R"("select": [], "histogram_memory": "1 GiB", "histogram_defaults": {})")),
            "a.json:2:35: error: there are no \"histograms\" for \"histogram_memory\"\n"
            "a.json:2:66: error: there are no \"histograms\" for \"histogram_defaults\"");
}

TEST_F(HistogramConfigTest, MemoryHasLimits) {
  for (const char* size : {"1023", "\"1 kB\"", "\"16385 GiB\"", "true"})
    EXPECT_NE(errors_of(with_histogram(kX, "\"histogram_memory\": " + std::string(size) + ", "))
                  .find("\"histogram_memory\" must be from 1 MiB to 16384 GiB"),
              std::string::npos)
        << size;
}

}  // namespace
}  // namespace skimline::skims
