// SPDX-License-Identifier: BSD-3-Clause
// The JSON of records against nlohmann's own trees.
#include "record/record_json.h"

#include "skimline/framework/error.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

const std::vector<std::string> kTexts{
    "{}", "[]", "null",
    R"( { "b" : [ 1 , -2.5e3, 1.0, 18446744073709551615, 1e5 ] , "a" : { "c" : "x\u00e9\n\"\\" , "" : null } } )",
    R"([[], [[]], {}, [{}, true, false, ""], {"x": {}}])"};

std::string problem_with(const std::string& text) {
  try {
    compact_text(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(RecordJson, CompactTextIsThatOfATree) {
  for (const std::string& text : kTexts) {
    const auto tree = nlohmann::ordered_json::parse(text);
    EXPECT_EQ(compact_text(text), tree.dump());
    EXPECT_EQ(ordered_json_of(text), tree);
    EXPECT_EQ(ordered_json_of(text).dump(), tree.dump());
  }
}

TEST(RecordJson, PartsOfARecordAreApart) {
  const RecordParts parts = record_parts(
      R"({"format": 1, "configs": [{"b": [1, {"configs": [2]}], "a": {}}, 3, []], "samples": [{"configs": [4]}]})");
  EXPECT_TRUE(parts.has_configs);
  EXPECT_EQ(parts.configs, (std::vector<std::string>{R"({"b":[1,{"configs":[2]}],"a":{}})", "3", "[]"}));
  EXPECT_EQ(parts.rest,
            nlohmann::json::parse(R"({"format": 1, "configs": [], "samples": [{"configs": [4]}]})"));
  EXPECT_FALSE(record_parts(R"({"configs": {"a": [1]}})").has_configs);
  EXPECT_FALSE(record_parts(R"([{"configs": []}])").has_configs);
  EXPECT_TRUE(record_parts(R"({"configs": []})").configs.empty());
}

TEST(RecordJson, DepthIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(problem_with(nested(kMaxRecordDepth)), "");
  EXPECT_EQ(problem_with(nested(kMaxRecordDepth + 1)), "it is nested too deeply");
  EXPECT_EQ(problem_with(std::string(1000000, '[')), "it is nested too deeply");
  EXPECT_EQ(problem_with("[1"), "it is no JSON");
  EXPECT_EQ(problem_with(""), "it is no JSON");
}

// Each key would be compared with all others: more than can be waited for.
TEST(RecordJson, KeysAreNotComparedWithEachOther) {
  std::string text = "{";
  for (int i = 0; i < 300000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  text.back() = '}';
  EXPECT_EQ(compact_text(text), text);
  EXPECT_EQ(ordered_json_of(text).size(), 300000u);
  EXPECT_EQ(record_parts(R"({"configs":[)" + text + "]}").configs.front(), text);
}

}  // namespace
}  // namespace skimline::skims
