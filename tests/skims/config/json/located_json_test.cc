// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/located_json.h"

#include "config/read/config_merge.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

struct Parsed {
  std::string text;
  Diagnostics diagnostics;
  JsonValue root;

  explicit Parsed(const std::string& source)
      : text(source),
        diagnostics(std::make_shared<ConfigText>(ConfigText{"a.json", source, {}})),
        root(parse_located_json(source, diagnostics)) {}

  std::string at(Location location) const {
    return text.substr(location.begin, location.end - location.begin);
  }
  std::string first_error() const { return diagnostics.format().substr(0, diagnostics.format().find('\n')); }
};

TEST(LocatedJson, EveryKeyAndValueKnowsItsToken) {
  const Parsed json("{\n  \"a\\\"b\" : [1, -2.5e3 ,\"x\\\\\", true],\"c\":{ } , \"d\": null}\n");
  ASSERT_TRUE(json.diagnostics.empty()) << json.diagnostics.format();
  ASSERT_EQ(json.root.keys.size(), 3u);
  EXPECT_EQ(json.root.keys[0].value, "a\"b");
  EXPECT_EQ(json.at(json.root.keys[0].location), "\"a\\\"b\"");
  const JsonValue& list = json.root.items[0];
  EXPECT_EQ(json.at(list.location), "[1, -2.5e3 ,\"x\\\\\", true]");
  const std::vector<std::string> tokens{"1", "-2.5e3", "\"x\\\\\"", "true"};
  for (std::size_t i = 0; i < tokens.size(); ++i) EXPECT_EQ(json.at(list.items[i].location), tokens[i]);
  EXPECT_EQ(list.items[1].number, -2500);
  EXPECT_EQ(list.items[2].text, "x\\");
  EXPECT_EQ(json.at(json.root.items[1].location), "{ }");
  EXPECT_EQ(json.at(json.root.find("d")->location), "null");
  EXPECT_EQ(json.root.location.begin, 0u);
  EXPECT_EQ(json.root.location.end, json.text.size() - 1);
}

TEST(LocatedJson, KindsAreThoseOfTheText) {
  const Parsed json("[null, false, 7, 7.0, \"7\", [], {}, 18446744073709551616, -9223372036854775809, 7e1]");
  const std::vector<JsonKind> kinds{
      JsonKind::kNull, JsonKind::kBool,   JsonKind::kInteger, JsonKind::kReal,    JsonKind::kString,
      JsonKind::kList, JsonKind::kObject, JsonKind::kInteger, JsonKind::kInteger, JsonKind::kReal};
  ASSERT_EQ(json.root.items.size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(json.root.items[i].kind, kinds[i]);
}

TEST(LocatedJson, CommentsAndTrailingCommasKeepPlaces) {
  const std::string with = "{ // \"a\": 0, \n \"a\": /* , } */ [\"// no /* comment\", 2,], /**/ }";
  const std::string without = "{            \n \"a\":           [\"// no /* comment\", 2 ]      }";
  const Parsed json(with), plain(without);
  ASSERT_TRUE(json.diagnostics.empty()) << json.diagnostics.format();
  EXPECT_EQ(json.root.items[0].items[0].text, "// no /* comment");
  EXPECT_EQ(json.root.items[0].items[1].location.begin, plain.root.items[0].items[1].location.begin);
}

TEST(LocatedJson, ByteOrderMarkIsSkipped) {
  const Parsed json("\xEF\xBB\xBF{\"a\": 1}");
  ASSERT_TRUE(json.diagnostics.empty());
  EXPECT_EQ(json.at(json.root.items[0].location), "1");
}

TEST(LocatedJson, MistakesAreLocated) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "a.json:1:1: error: there is no JSON, only blanks"},
      {" \n", "a.json:2:1: error: there is no JSON, only blanks"},
      {"{\"a\" 1}",
       "a.json:1:6: error: syntax error while parsing object separator - unexpected number literal; "
       "expected ':'"},
      {"{\n\"a\": 1\n\"b\": 2}",
       "a.json:3:1: error: syntax error while parsing object - unexpected string literal; "
       "expected '}'"},
      {"[1,,2]",
       "a.json:1:4: error: syntax error while parsing value - unexpected ','; expected '[', '{', or a "
       "literal"},
      {"[,]",
       "a.json:1:2: error: syntax error while parsing value - unexpected ','; expected '[', '{', or a "
       "literal"},
      {"[1 /* x", "a.json:1:4: error: this comment does not end"},
      {"[tru]", "a.json:1:2: error: syntax error while parsing value - invalid literal"},
      {"{\"a\": 1, \"b\": 2, \"a\": 3}", "a.json:1:18: error: the key \"a\" appears twice in this object"},
      {"{} {}",
       "a.json:1:4: error: syntax error while parsing value - unexpected '{'; expected end of input"},
      {"[1e999]", "a.json:1:2: error: number overflow parsing '1e999'"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Parsed(text).first_error(), error) << text;
}

TEST(LocatedJson, AnyCutOfAGoodTextIsAnErrorWithAPlaceInside) {
  const std::string text = "{\"a\\u00e9\": [1.5e1, true, null, \"x\"], /* c */ \"b\": {\"c\": -1,},}";
  ASSERT_TRUE(Parsed(text).diagnostics.empty());
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Parsed json(text.substr(0, length));
    EXPECT_EQ(json.diagnostics.size(), 1u) << length;
  }
}

TEST(LocatedJson, DeepNestingIsAnError) {
  const Parsed json(std::string(100000, '['));
  EXPECT_EQ(json.first_error(), "a.json:1:65: error: nested too deeply (more than 64 levels)");
}

TEST(Diagnostics, ColumnsCountCharactersAndTheMarkStandsBelowThem) {
  const std::string text = "{\"\xC3\xA9t\xC3\xA9\": 12,\r\n\t\"b\": 3}";
  Diagnostics diagnostics(std::make_shared<ConfigText>(ConfigText{"a.json", text, {}}));
  const std::size_t three = text.find('3'), twelve = text.find("12");
  diagnostics.add({three, three + 1}, "second");
  diagnostics.add({twelve, twelve + 2}, "first");
  EXPECT_EQ(diagnostics.format(),
            "a.json:1:9: error: first\n  {\"\xC3\xA9t\xC3\xA9\": 12,\n          ^~\n"
            "a.json:2:7: error: second\n  \t\"b\": 3}\n  \t     ^");
}

TEST(Diagnostics, ExpressionErrorsPointThroughEscapes) {
  const std::string text = "{\"e\": \"\\u00e9\\\"\\ud83d\\ude00 + oops\"}";
  const std::size_t begin = text.find(": \"") + 2;
  const Text string{"\xC3\xA9\"\xF0\x9F\x98\x80 + oops", {begin, text.size() - 1}};
  Diagnostics diagnostics(std::make_shared<ConfigText>(ConfigText{"a.json", text, {}}));
  diagnostics.add(string,
                  ExpressionError(string.value, string.value.find("oops"), 4, "unknown name \"oops\""));
  const std::string column = std::to_string(text.find("oops") + 1);
  EXPECT_EQ(diagnostics.format().substr(0, diagnostics.format().find('\n')),
            "a.json:1:" + column + ": error: unknown name \"oops\"");
  EXPECT_TRUE(diagnostics.format().ends_with("^~~~"));
}

TEST(Diagnostics, LongLinesAreShownInPart) {
  std::string text(10001, 'x');
  text[5000] = '!';
  Diagnostics diagnostics(std::make_shared<ConfigText>(ConfigText{"a.json", text, {}}));
  diagnostics.add({5000, 5001}, "here");
  const std::string formatted = diagnostics.format();
  EXPECT_LT(formatted.size(), 400u);
  EXPECT_NE(formatted.find("!"), std::string::npos);
}

TEST(LocatedJson, OnlyObjectsHaveKeys) {
  Parsed list("[1, 2]");
  EXPECT_EQ(list.root.find("a"), nullptr);
  EXPECT_EQ(list.root.take("a"), std::nullopt);
  EXPECT_EQ(list.root.items.size(), 2u);
  Parsed unfinished("{\"a\": 1, \"b\": ");
  EXPECT_NE(unfinished.root.find("a"), nullptr);
  EXPECT_EQ(unfinished.root.find("b"), nullptr);
}

std::string object_of(std::size_t num_keys, const std::string& front = "k") {
  std::string text = "{";
  for (std::size_t i = 0; i < num_keys; ++i) text += "\"" + front + std::to_string(i) + "\":0,";
  text.back() = '}';
  return text;
}

TEST(LocatedJson, KeysAreNotComparedWithEachOther) {
  const std::size_t num_keys = 5000;
  const std::uint64_t before = KeyIndex::num_comparisons();
  Parsed json(object_of(num_keys));
  for (std::size_t i = 0; i < num_keys; ++i)
    ASSERT_EQ(json.root.find("k" + std::to_string(i)), &json.root.items[i]);
  EXPECT_EQ(json.root.find("x"), nullptr);
  JsonValue copy = json.root;
  EXPECT_EQ(copy.find("k4999"), &copy.items[4999]);
  EXPECT_TRUE(copy.take("k17"));
  EXPECT_EQ(copy.find("k4999"), &copy.items[4998]);
  EXPECT_EQ(copy.find("k17"), nullptr);
  EXPECT_LT(KeyIndex::num_comparisons() - before, 3 * num_keys);
}

TEST(LocatedJson, ObjectsAreMergedWithoutComparingAllKeys) {
  const std::size_t num_keys = 500, num_files = 20;
  const std::uint64_t before = KeyIndex::num_comparisons();
  JsonValue merged;
  merged.kind = JsonKind::kObject;
  for (std::size_t file = 0; file < num_files; ++file) {
    Parsed json(object_of(num_keys, std::to_string(file) + "_"));
    merge_into(merged, std::move(json.root), json.diagnostics);
    EXPECT_TRUE(json.diagnostics.empty());
  }
  EXPECT_EQ(merged.items.size(), num_files * num_keys);
  EXPECT_LT(KeyIndex::num_comparisons() - before, 3 * num_files * num_keys);
}

}  // namespace
}  // namespace skimline::skims
