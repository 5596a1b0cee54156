// SPDX-License-Identifier: BSD-3-Clause
#include "config_reading.h"

#include <utility>

namespace skimline::skims {
namespace {

TEST_F(ConfigReaderTest, ReadsEverything) {
  const Config config = parse(R"({
    // a comment
    "$schema": "x", "schema_version": 1,
    "samples": {"data": {"files": ["data/?.root:Events", "in.root"]}},
    "define": {"z": "a + b", "y": "z * 2"},
    "select": [{"name": "one", "where": "z > 1"}, {"name": "two", "where": "y > 1"}],
    "histograms": {
      "4j1b": {"x": {"value": "z", "bins": 10, "range": [-1, 1.5], "label": "m", "unit": "GeV"}, "weight": "w"},
      "h": {"x": {"value": "y", "edges": [0, 1, 10]}, "where": "z < 3"},
    },
    "skims": {"s": {"file": "s.root", "name": "Pairs", "keep": ["a*"], "drop": ["ab"], "compression": "lz4:4",
                    "cluster_size": "64 MiB", "page_size": 4096, "where": "y < 9"},
              "t": {"file": "t.root"}},
    "output": {"histograms": "h.root"},
  })");
  ASSERT_EQ(config.samples.size(), 1u);
  const auto& inputs = config.samples[0].inputs;
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs[0].location.path, (folder_ / "data/a.root").string());
  EXPECT_EQ(inputs[1].location.path, (folder_ / "data/b.root").string());
  EXPECT_EQ(inputs[1].location.name, "Events");
  EXPECT_EQ(inputs[2].location.name, "");
  ASSERT_EQ(config.define.size(), 2u);
  EXPECT_EQ(config.define[0].name.value, "z");
  EXPECT_EQ(config.define[1].expression.value, "z * 2");
  ASSERT_EQ(config.select.size(), 2u);
  EXPECT_EQ(config.select[1].name.value, "two");
  ASSERT_EQ(config.histograms.size(), 2u);
  EXPECT_EQ(config.histograms[0].name.value, "4j1b");
  EXPECT_EQ(config.histograms[0].axes.at(0).bins.num_bins, 10);
  EXPECT_EQ(config.histograms[0].axes.at(0).bins.low, -1);
  EXPECT_EQ(config.histograms[0].axes.at(0).bins.high, 1.5);
  EXPECT_EQ(config.histograms[0].axes.at(0).unit, "GeV");
  EXPECT_EQ(config.histograms[0].weight->value, "w");
  EXPECT_EQ(config.histograms[1].axes.at(0).bins.edges, (std::vector<double>{0, 1, 10}));
  EXPECT_EQ(config.histograms[1].events.where->value, "z < 3");
  ASSERT_EQ(config.skims.size(), 2u);
  EXPECT_EQ(config.skims[0].path, (folder_ / "s.root").string());
  EXPECT_EQ(config.skims[0].ntuple_name, "Pairs");
  EXPECT_EQ(config.skims[0].settings.compression,
            (io::CompressionSetting{io::CompressionAlgorithm::kLz4, 4}));
  EXPECT_EQ(config.skims[0].drop[0].value, "ab");
  EXPECT_EQ(config.skims[0].settings.cluster_bytes, 67108864u);
  EXPECT_EQ(config.skims[0].settings.page_bytes, 4096u);
  EXPECT_EQ(config.skims[1].settings.cluster_bytes, std::nullopt);
  EXPECT_EQ(config.skims[1].settings.page_bytes, std::nullopt);
  EXPECT_EQ(config.skims[1].ntuple_name, "Events");
  EXPECT_EQ(config.output.histograms_path, (folder_ / "h.root").string());
}

TEST_F(ConfigReaderTest, FilesMayHoldPatternCharacters) {
  const Config config = parse(R"({"schema_version": 1, "select": [],
                                  "samples": {"d": {"files": ["data/[x].root", "data/[ab].root"]}}})");
  ASSERT_EQ(config.samples[0].inputs.size(), 3u);
  EXPECT_EQ(config.samples[0].inputs[0].location.path, (folder_ / "data/[x].root").string());
}

TEST_F(ConfigReaderTest, ShowsTheLineAndMarksThePlace) {
  try {
    parse(with("  \"selectoin\": [],\n  \"skims\": {\"s\": {\"file\": \"s.root\"}}"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()), folder_.string() +
                                             "/a.json:2:3: error: unknown key \"selectoin\" (did you mean "
                                             "\"select\"?)\n    \"selectoin\": [],\n    ^~~~~~~~~~~");
  }
}

TEST_F(ConfigReaderTest, PointsOfTheCutflowAreFoundByName) {
  const Config config = parse(with(R"(
    "select": [{"name": "one", "where": "a"}, {"name": "the second", "where": "b"}],
    "regions": {"2j": {"where": "c"}, "r": {"where": "d", "after": "one"}, "unused": {"where": "e", "after": "all events"}},
    "histograms": {"h": {"x": {"value": "a", "edges": [0, 1]}, "regions": ["r", "2j"]},
                   "g": {"x": {"value": "a", "edges": [0, 1]}, "after": "the second"},
                   "f": {"x": {"value": "a", "edges": [0, 1]}}},
    "skims": {"s": {"file": "s.root", "region": "2j"}, "t": {"file": "t.root", "after": "all events"}},
    "output": {"histograms": "h.root"})"));
  ASSERT_EQ(config.regions.size(), 3u);
  EXPECT_EQ(config.regions[0].where.value, "c");
  EXPECT_EQ(config.regions[0].num_cuts, std::nullopt);
  EXPECT_EQ(config.regions[1].num_cuts, 1u);
  EXPECT_EQ(config.regions[2].num_cuts, 0u);
  EXPECT_EQ(config.histograms[0].events.regions, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(config.histograms[1].events.num_cuts, 2u);
  EXPECT_EQ(config.histograms[2].events.num_cuts, std::nullopt);
  EXPECT_EQ(config.skims[0].events.regions, (std::vector<std::size_t>{0}));
  EXPECT_EQ(config.skims[1].events.num_cuts, 0u);
}

TEST_F(ConfigReaderTest, MistakesAreLocated) {
  const std::string skim = R"("skims": {"s": {"file": "s.root"}})";
  const std::vector<Mistake> mistakes{
      {"[]", "a.json:1:1: error: the config must be an object, got a list"},
      {"{}",
       "a.json:1:1: error: the config needs the key \"schema_version\"\n"
       "a.json:1:1: error: the config needs the key \"samples\"\n"
       "a.json:1:1: error: nothing to do: give \"select\", \"regions\", \"histograms\" or \"skims\""},
      {R"({"schema_version": 2, "samples": {"d": {"files": ["in.root"]}}, "select": []})",
       "a.json:1:20: error: \"schema_version\" must be 1, the only one this program knows; version 2 is of a "
       "newer one"},
      {R"({"schema_version": "1", "samples": {}, "select": []})",
       "a.json:1:20: error: \"schema_version\" must be 1, the only one this program knows\n"
       "a.json:1:36: error: \"samples\" must not be empty"},
      {R"({"schema_version": 1, "select": [], "samples": {"a": {"files": "in.root", "file": []}}})",
       "a.json:1:64: error: \"files\" must be a list, got a string\n"
       "a.json:1:75: error: unknown key \"file\" (did you mean \"files\"?)"},
      {R"({"schema_version": 1, "select": [], "samples": {"a": {"files": []}}})",
       "a.json:1:64: error: \"files\" must not be empty"},
      {R"({"schema_version": 1, "select": [], "samples": {"a": {"files": ["none*.root", "no.root", "rot://x/y.root", 7]}}})",
       "a.json:1:65: error: no file matches \"none*.root\"\n"
       "a.json:1:79: error: there is no file \"no.root\"\n"
       "a.json:1:90: error: rot://x/y.root: cannot be opened: \"rot://\" is unknown (did you mean "
       "\"root\"?); there are http://, https://, dav://, davs://, s3://, root://, roots://, xroot://, "
       "xroots://\n"
       "a.json:1:108: error: each item of \"files\" must be a string, got an integer"},
      {R"({"schema_version": 1, "select": [], "samples": {"a": {"files": ["in.root", "./in.root"]}}})",
       "a.json:1:76: error: the file \"in.root\" is given twice"},
      {with(R"("define": {"2x": "1", "x y": "1", "ok": "", "ok2": 3})"),
       "a.json:1:1: error: nothing to do: give \"select\", \"regions\", \"histograms\" or \"skims\"\n"
       "a.json:2:12: error: \"2x\" cannot name a definition: use letters, digits and \"_\", and begin with "
       "no digit\n"
       "a.json:2:23: error: \"x y\" cannot name a definition: use letters, digits and \"_\", and begin with "
       "no digit\n"
       "a.json:2:41: error: the definition of \"ok\" must not be empty\n"
       "a.json:2:52: error: the definition of \"ok2\" must be a string, got an integer"},
      {with(R"("define": {"weight_": "1"}, "weights": {"normalisation_": "1"}, "select": [])"),
       "a.json:2:12: error: \"weight_\" cannot name a definition: expressions have this name from the "
       "program\n"
       "a.json:2:41: error: \"normalisation_\" cannot name a weight: expressions have this name from the "
       "program"},
      {with(R"x("functions": {"entry_(x)": "x", " weight_ (x)": "x"}, "select": [])x"),
       "a.json:2:15: error: \"entry_\" cannot name a function: it is a word of the expression language\n"
       "a.json:2:33: error: \"weight_\" cannot name a function: expressions have this name from the program"},
      {with(R"("define": {"a": "1", "a": "2"}, "select": [])"),
       "a.json:2:22: error: the key \"a\" appears twice in this object"},
      {with(R"("select": {"name": "a"})"), "a.json:2:11: error: \"select\" must be a list, got an object"},
      {with(
           R"("select": [{"nam": "a", "where": "b"}, {"name": "x", "where": "1"}, {"name": "x", "where": "2"}])"),
       "a.json:2:12: error: each item of \"select\" needs the key \"name\"\n"
       "a.json:2:13: error: unknown key \"nam\" (did you mean \"name\"?)\n"
       "a.json:2:78: error: the selection \"x\" appears twice"},
      {with(R"("histograms": {"h": {"x": {"value": "a", "bins": 1, "range": [0, 1]}}})"),
       "a.json:2:15: error: histograms need a file: give \"output\": {\"histograms\": \"histograms.root\"}"},
      {with(R"("select": [], "output": {"histograms": "h.root", "reprot": "r.json"})"),
       "a.json:2:40: error: there are no \"histograms\" to write\n"
       "a.json:2:50: error: unknown key \"reprot\" (did you mean \"report\"?)"},
      {with(R"("output": {"histograms": "h.root"}, "histograms": {"a/b": {"weight": "w"}})"),
       "a.json:2:52: error: \"a/b\" cannot name a histogram: use letters, digits, \"_\", \"-\", \".\"\n"
       "a.json:2:59: error: the histogram \"a/b\" needs the key \"x\""},
      {with(R"("skims": {"s": {"keep": [], "drop": "x"}})"),
       "a.json:2:16: error: the skim \"s\" needs the key \"file\"\n"
       "a.json:2:25: error: \"keep\" must not be empty\n"
       "a.json:2:37: error: \"drop\" must be a list, got a string"},
      {with(R"("skims": {"s": {"file": "in.root/s.root"}})"),
       "a.json:2:25: error: \"in.root\" is a file, not a folder"},
      {with(R"("skims": {"s": {"file": "new/s.root"}, "t": {"file": "new"}})"),
       "a.json:2:54: error: this file is also the folder of the output of the skim \"s\""},
      {with(R"("skims": {"s": {"file": "data"}})"), "a.json:2:25: error: \"data\" is a folder"},
      {with(R"("skims": {"s": {"file": "/dev/null"}})"),
       "a.json:2:25: error: \"/dev/null\" is no regular file"},
      {with(R"("skims": {"s": {"file": "o\u0000ut.root"}})"),
       "a.json:2:25: error: the character NUL is not allowed"},
      {with(R"("skims": {"s": {"file": "data/../in.root"}, "t": {"file": "a.json"}})"),
       "a.json:2:25: error: this file is also an input\n"
       "a.json:2:59: error: this file is also the config"},
      {with(R"("skims": {"s": {"file": "o.root"}, "t": {"file": "./o.root"}})"),
       "a.json:2:50: error: this file is also the output of the skim \"s\""},
  };
  for (const Mistake& mistake : mistakes) {
    EXPECT_EQ(errors_of(mistake.config), mistake.errors) << mistake.config;
  }
}

TEST_F(ConfigReaderTest, MistakesOfAllKindsAreListedTogether) {
  const std::string config = with(R"("histograms": {
    "a": {"x": {"value": "x", "edges": [0, 1, 1]}},
    "b": {"x": {"value": "x", "bins": 5, "range": [2, 2]}},
    "c": {"x": {"value": "x", "integers": [3, 2]}},
    "d": {"x": {"value": "x", "categories": ["e", "e"]}}},
  "skims": {"s": {"file": "in.root"}, "t": {"file": "h.root"}, "u": {"file": "h.root"}},
  "output": {"histograms": {"file": "h.root", "name": "all"}, "cutflow": "h.root"})");
  EXPECT_EQ(
      errors_of(config),
      "a.json:3:47: error: \"edges\" must increase from one number to the next\n"
      "a.json:4:5: error: the histogram \"b\" would be written as \"all\", and so would the histogram \"a\"\n"
      "a.json:4:51: error: \"range\" must be two numbers, the lower one first\n"
      "a.json:5:5: error: the histogram \"c\" would be written as \"all\", and so would the histogram \"a\"\n"
      "a.json:5:43: error: \"integers\" must be the first and the last of consecutive integers of 32 bits\n"
      "a.json:6:5: error: the histogram \"d\" would be written as \"all\", and so would the histogram \"a\"\n"
      "a.json:6:51: error: the category \"e\" is given twice\n"
      "a.json:7:27: error: this file is also an input\n"
      "a.json:7:78: error: this file is also the output of the skim \"t\"\n"
      "a.json:8:37: error: this file is also the output of the skim \"t\"\n"
      "a.json:8:74: error: this file is also the output of the skim \"t\"");
}

TEST_F(ConfigReaderTest, CompressionMistakesAreLocated) {
  const std::string errors =
      errors_of(with(R"("skims": {"s": {"file": "s.root", "compression": "zstd:99"}})"));
  EXPECT_TRUE(errors.starts_with("a.json:2:50: error: ")) << errors;
}

// Histograms and more, behind two steps and two regions.
std::string with_regions(const std::string& more, const std::string& regions = R"("2j": {"where": "1"})") {
  return with(
      R"("select": [{"name": "muons", "where": "1"}, {"name": "charge", "where": "1"}], "regions": {)" +
      regions + R"(},)" + "\n" + more);
}

std::string histogram(const std::string& name, const std::string& more) {
  return "\"" + name + R"(": {"x": {"value": "a", "edges": [0, 1]}, )" + more + "}";
}

TEST_F(ConfigReaderTest, MistakesInPointsOfTheCutflowAreLocated) {
  const auto histograms = [](const std::string& list) {
    return R"("histograms": {)" + list + R"(}, "output": {"histograms": "h.root"})";
  };
  const std::vector<Mistake> mistakes{
      {with_regions(histograms(histogram("h", R"("after": "muon")"))),
       "a.json:3:69: error: unknown selection \"muon\" (did you mean \"muons\"?)"},
      {with_regions(histograms(histogram("h", R"("after": "all event")"))),
       "a.json:3:69: error: unknown selection \"all event\" (did you mean \"all events\"?)"},
      {with_regions(histograms(histogram("h", R"("after": "2j")"))),
       "a.json:3:69: error: unknown selection \"2j\"; there are \"muons\", \"charge\", \"all events\""},
      {with_regions(histograms(histogram("h", R"("regions": ["2j", "2k", "2j"])"))),
       "a.json:3:78: error: unknown region \"2k\" (did you mean \"2j\"?)\n"
       "a.json:3:84: error: the region \"2j\" is given twice"},
      {with_regions(histograms(histogram("h", R"("regions": "2j")"))),
       "a.json:3:71: error: \"regions\" must be a list, got a string"},
      {with_regions(histograms(histogram("h", R"("regions": ["2j"], "after": "muons")"))),
       "a.json:3:88: error: give either \"after\" or \"regions\", not both"},
      {with_regions(R"("skims": {"s": {"file": "s.root", "region": "3j", "after": "charges"}})"),
       "a.json:3:45: error: unknown region \"3j\" (did you mean \"2j\"?)\n"
       "a.json:3:60: error: unknown selection \"charges\" (did you mean \"charge\"?)\n"
       "a.json:3:60: error: give either \"after\" or \"region\", not both"},
      {with(R"("skims": {"s": {"file": "s.root", "region": "r"}})"),
       "a.json:2:45: error: unknown region \"r\"; there are none"},
      {with(R"("regions": {"a b": {"where": "1"}, "c": {"after": "x"}, "d": {"where": "1", "wher": 2}})"),
       "a.json:2:13: error: \"a b\" cannot name a region: use letters, digits, \"_\", \"-\", \".\"\n"
       "a.json:2:41: error: the region \"c\" needs the key \"where\"\n"
       "a.json:2:51: error: unknown selection \"x\"; there are \"all events\"\n"
       "a.json:2:77: error: unknown key \"wher\" (did you mean \"where\"?)"},
      {with(R"("select": [{"name": "a", "where": "1"}], "regions": {"a": {"where": "1"}})"),
       "a.json:2:54: error: \"a\" is also the name of a selection"},
      {with(R"("select": [{"name": "all events", "where": "1"}])"),
       "a.json:2:21: error: \"all events\" is what comes before all selections"},
  };
  for (const Mistake& mistake : mistakes)
    EXPECT_EQ(errors_of(mistake.config), mistake.errors) << mistake.config;
}

std::string with_skim_key(const std::string& key, const std::string& value) {
  return with(R"("skims": {"s": {"file": "s.root", ")" + key + "\":\n" + value + "}}");
}

TEST_F(ConfigReaderTest, SizesHaveUnits) {
  const std::pair<const char*, std::uint64_t> sizes[] = {
      {"65536", 65536},         {"17179869184", 17179869184}, {"1e6", 1000000},
      {"\"64KiB\"", 65536},     {"\"1000 KiB\"", 1024000},    {"\"3 MiB\"", 3145728},
      {"\"3GiB\"", 3221225472}, {"\"16 GiB\"", 17179869184},
  };
  for (const auto& [text, bytes] : sizes)
    EXPECT_EQ(parse(with_skim_key("cluster_size", text)).skims[0].settings.cluster_bytes, bytes) << text;
  EXPECT_EQ(parse(with_skim_key("page_size", "1024")).skims[0].settings.page_bytes, 1024u);
  EXPECT_EQ(parse(with_skim_key("page_size", "\"256 MiB\"")).skims[0].settings.page_bytes, 268435456u);
}

TEST_F(ConfigReaderTest, MistakesInSizesAreLocated) {
  const std::string ending = ": a whole number of bytes, or a text such as \"64 MiB\"";
  for (const char* size : {"65535",
                           "17179869185",
                           "1e300",
                           "65536.5",
                           "-65536",
                           "0",
                           "true",
                           "null",
                           "[65536]",
                           "{}",
                           "\"\"",
                           "\"65536\"",
                           "\"64 Mb\"",
                           "\"64 mib\"",
                           "\"64  MiB\"",
                           "\" 64 MiB\"",
                           "\"64 MiB \"",
                           "\"-64 MiB\"",
                           "\"+64 MiB\"",
                           "\"0x40 MiB\"",
                           "\"1.5 MiB\"",
                           "\"63 KiB\"",
                           "\"17 GiB\"",
                           "\"MiB\"",
                           "\"17179869185 GiB\"",
                           "\"18446744073709551616 KiB\""})
    EXPECT_EQ(errors_of(with_skim_key("cluster_size", size)),
              "a.json:3:1: error: \"cluster_size\" must be from 64 KiB to 16 GiB" + ending)
        << size;
  for (const char* size : {"1023", "268435457", "\"257 MiB\"", "\"0 KiB\""})
    EXPECT_EQ(errors_of(with_skim_key("page_size", size)),
              "a.json:3:1: error: \"page_size\" must be from 1 KiB to 256 MiB" + ending)
        << size;
}

TEST_F(ConfigReaderTest, MissingConfigsAreNamed) {
  EXPECT_THROW(read_config((folder_ / "none.json").string()), ConfigError);
  EXPECT_THROW(read_config(folder_.string()), ConfigError);
}

TEST_F(ConfigReaderTest, AnyCutOfAConfigIsAConfigError) {
  const std::string text = with(R"("define": {"a": "1"}, "select": [{"name": "n", "where": "a"}])");
  EXPECT_EQ(errors_of(text), "none");
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW(parse(text.substr(0, length)), ConfigError) << length;
}

}  // namespace
}  // namespace skimline::skims
