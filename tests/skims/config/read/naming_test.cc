// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/naming.h"

#include "config_reading.h"

#include <string>
#include <vector>

namespace skimline::skims {
namespace {

class NamingTest : public ConfigReaderTest {
 protected:
  // All names in the order of the config.
  std::vector<std::string> names_in(const std::string& text) const {
    const Config config = parse(text);
    const HistogramNaming naming(config, config.samples.front());
    std::vector<std::string> names;
    const auto add = [&](const HistogramConfig& histogram, const Region* region) {
      for_each_key(config, config.samples.front(), histogram, region,
                   [&](const HistogramKey& key) { names.push_back(naming.name_of(key)); });
    };
    for (const HistogramConfig& histogram : config.histograms) {
      if (histogram.events.regions.empty()) add(histogram, nullptr);
      for (const std::size_t region : histogram.events.regions) add(histogram, &config.regions[region]);
    }
    return names;
  }
};

std::string named_histogram(const std::string& name, const std::string& more = "") {
  return "\"" + name + R"(": {"x": {"value": "a", "edges": [0, 1]})" + more + "}";
}

const std::string kInRegion = R"(, "regions": ["2j"])";
const std::string kVaried = R"(, "weight": "w", "weight_variations": {"up": "2"})";

// Histograms, and a name template that begins at column 71 of line 3 if it is given.
std::string with_histograms(const std::string& histograms, const std::string& name_template = "") {
  const std::string output =
      name_template.empty() ? R"("h.root")" : R"({"file": "h.root", "name": ")" + name_template + "\"}";
  return with(R"("histograms": {)" + histograms + "},\n" +
              R"("regions": {"2j": {"where": "1"}}, "output": {"histograms": )" + output + "}");
}

const std::string kFour = named_histogram("h") + "," + named_histogram("r", kInRegion) + "," +
                          named_histogram("v", kVaried) + "," + named_histogram("b", kInRegion + kVaried);

using Names = std::vector<std::string>;

TEST_F(NamingTest, PartsThatDoNotApplyVanish) {
  EXPECT_EQ(names_in(with_histograms(kFour)),
            (Names{"h", "2j__r", "v__nominal", "v__up", "2j__b__nominal", "2j__b__up"}));
}

TEST_F(NamingTest, TemplatesNameTheSample) {
  EXPECT_EQ(names_in(with_histograms(kFour, "{region}__{sample}__{histogram}__{variation}")),
            (Names{"data__h", "2j__data__r", "data__v__nominal", "data__v__up", "2j__data__b__nominal",
                   "2j__data__b__up"}));
  EXPECT_EQ(names_in(with_histograms(kFour, "all/{sample}/{region}/{histogram}_in_{variation}.h")),
            (Names{"all/data/h.h", "all/data/2j/r.h", "all/data/v_in_nominal.h", "all/data/v_in_up.h",
                   "all/data/2j/b_in_nominal.h", "all/data/2j/b_in_up.h"}));
  EXPECT_EQ(names_in(with_histograms(named_histogram("h"), "only.one")), Names{"only.one"});
  EXPECT_EQ(names_in(with_histograms(named_histogram("h"), "{histogram}{histogram}")), Names{"hh"});
}

TEST_F(NamingTest, MistakesInTemplatesAreLocated) {
  const std::string letters =
      "names of histograms consist of letters, digits, \"_\", \"-\", \".\", \"/\" and placeholders such as "
      "\"{region}\"";
  const std::string empty = "a part of the name is empty: there is nothing before or behind a \"/\"";
  const std::vector<Mistake> mistakes{
      {with_histograms(named_histogram("h"), "{regoin}/{histogram}_{x}{}"),
       "a.json:3:89: error: unknown placeholder \"{regoin}\" (did you mean \"{region}\"?)\n"
       "a.json:3:110: error: unknown placeholder \"{x}\"; there are \"{region}\", \"{sample}\", "
       "\"{process}\", \"{histogram}\", \"{variation}\", \"{systematic}\", \"{direction}\", "
       "\"{Direction}\"\n"
       "a.json:3:113: error: unknown placeholder \"{}\"; there are \"{region}\", \"{sample}\", "
       "\"{process}\", \"{histogram}\", \"{variation}\", \"{systematic}\", \"{direction}\", "
       "\"{Direction}\""},
      {with_histograms(named_histogram("h"), "{histogram} {region"),
       "a.json:3:100: error: " + letters + "\na.json:3:101: error: " + letters},
      {with_histograms(named_histogram("h"), "{histogram};1"), "a.json:3:100: error: " + letters},
      {with_histograms(named_histogram("h"), "{histogram}}"), "a.json:3:100: error: " + letters},
      {with_histograms(named_histogram("h"), "/{histogram}"), "a.json:3:89: error: " + empty},
      {with_histograms(named_histogram("h"), "{histogram}/"), "a.json:3:100: error: " + empty},
      {with_histograms(named_histogram("h"), "{sample}a//{histogram}"), "a.json:3:97: error: " + empty},
      {with(R"("output": {"histograms": {"fil": "h.root"}}, "histograms": {)" + named_histogram("h") + "}"),
       "a.json:2:26: error: \"histograms\" of \"output\" needs the key \"file\"\n"
       "a.json:2:27: error: unknown key \"fil\" (did you mean \"file\"?)"},
      {with(R"("output": {"histograms": ["h.root"]}, "histograms": {)" + named_histogram("h") + "}"),
       "a.json:2:26: error: \"histograms\" must be a string, got a list"},
  };
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(errors_of(mistake.config), mistake.errors) << mistake.config;
}

TEST_F(NamingTest, NamesThatMeetAreErrors) {
  const std::string h = "a.json:2:16: error: the histogram \"h\"";
  const std::string quoted = std::string(200, 'h') + " ... (701 bytes) ... " + std::string(100, 'h');
  const std::vector<Mistake> mistakes{
      {with_histograms(named_histogram("2j__h") + ",\n" + named_histogram("h", kInRegion)),
       "a.json:3:1: error: the histogram \"h\" in the region \"2j\" would be written as \"2j__h\", and so "
       "would "
       "the histogram \"2j__h\""},
      {with_histograms(named_histogram("h__up") + ",\n" + named_histogram("h", kVaried)),
       "a.json:3:1: error: the histogram \"h\" with the weight variation \"up\" would be written as "
       "\"h__up\", "
       "and so would the histogram \"h__up\""},
      {with_histograms(named_histogram("h", kVaried), "{histogram}"),
       h + " with the weight variation \"up\" would be written as \"h\", and so would the histogram \"h\""},
      {with_histograms(named_histogram("h"), "{region}/h"),
       h + " would be written as \"/h\", of which a part is empty"},
      {with_histograms(named_histogram("h"), "{region}"),
       h + " would be written as \"\", of which a part is empty"},
      {with_histograms(named_histogram("h"), "../{histogram}"),
       h + " would be written as \"../h\", in which ROOT takes \"..\" for a step between folders"},
      {with_histograms(named_histogram("h"), "./all/{histogram}"),
       h + " would be written as \"./all/h\", in which ROOT takes \".\" for a step between folders"},
      {with_histograms(named_histogram("h"), "{histogram}/.."),
       h + " would be written as \"h/..\", in which ROOT takes \"..\" for a step between folders"},
      {with_histograms(named_histogram(std::string(1001, 'h'))), "a.json:2:16: error: the histogram \"" +
                                                                     quoted + "\" would be written as \"" +
                                                                     quoted + "\", which is too long"},
  };
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(errors_of(mistake.config), mistake.errors) << mistake.config;
}

TEST_F(NamingTest, JsonHasANameOfItsOwn) {
  const std::string text =
      with(R"("output": {"histograms": "h.json"}, "histograms": {)" + named_histogram("uhi_schema") + "}");
  EXPECT_EQ(errors_of(text),
            "a.json:2:52: error: the histogram \"uhi_schema\" would be written as \"uhi_schema\", which UHI "
            "JSON uses itself");
  EXPECT_EQ(names_in(with_histograms(named_histogram("uhi_schema"))), Names{"uhi_schema"});
}

TEST_F(NamingTest, AnObjectIsNoDirectory) {
  const std::string above = named_histogram("2j"), below = named_histogram("h", kInRegion);
  EXPECT_EQ(
      errors_of(with_histograms(above + ",\n" + below, "{region}/{histogram}")),
      "a.json:3:1: error: the histogram \"h\" in the region \"2j\" would be written as \"2j/h\", and \"2j\" "
      "is the histogram \"2j\"");
  EXPECT_EQ(
      errors_of(with_histograms(below + ",\n" + above, "{region}/{histogram}")),
      "a.json:3:1: error: the histogram \"2j\" would be written as \"2j\", which is also the directory of "
      "the histogram \"h\" in the region \"2j\"");
}

}  // namespace
}  // namespace skimline::skims
