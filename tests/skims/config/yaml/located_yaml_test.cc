// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml/located_yaml.h"

#include "config/yaml/yaml_scalars.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

struct Parsed {
  std::shared_ptr<ConfigText> source;
  JsonValue value;
  std::string mistakes;
};

Parsed parsed(const std::string& text) {
  Parsed parsed;
  parsed.source = std::make_shared<ConfigText>(ConfigText{"x.yml", text, {}});
  Diagnostics diagnostics(parsed.source);
  parsed.value = parse_located_yaml(parsed.source->text, diagnostics);
  parsed.mistakes = diagnostics.format();
  return parsed;
}

std::string as_json(const std::string& text) {
  const Parsed made = parsed(text);
  return made.mistakes.empty() ? compact_json(made.value) : made.mistakes.substr(0, made.mistakes.find('\n'));
}

TEST(LocatedYaml, reads_what_json_can_say) {
  EXPECT_EQ(as_json("a: 1\nb: [x, 'y', \"z\\n\"]\nc:\n  - d: {e: 2.5}\n  -\n"),
            R"({"a":1,"b":["x","y","z\n"],"c":[{"d":{"e":2.5}},null]})");
  EXPECT_EQ(as_json("a: >\n  one\n  two\nb: |\n  one\n  two\n"), R"({"a":"one two\n","b":"one\ntwo\n"})");
  EXPECT_EQ(as_json("\xEF\xBB\xBF# comment\na: \"\xC3\xA4\"\n"), "{\"a\":\"\xC3\xA4\"}");
  EXPECT_EQ(as_json("{\"1\": 1, 2: 2, yes: 3}"), R"({"1":1,"2":2,"yes":3})");
  EXPECT_EQ(as_json("a: !!str 5"), R"({"a":"5"})");
}

TEST(LocatedYaml, scalars_are_what_yaml_1_1_says) {
  const auto kind = [](const std::string& text) { return plain_scalar(text).kind; };
  for (const char* text : {"true", "Yes", "ON", "no", "FALSE", "off"})
    EXPECT_EQ(kind(text), JsonKind::kBool) << text;
  for (const char* text : {"", "~", "null", "Null"}) EXPECT_EQ(kind(text), JsonKind::kNull) << text;
  for (const char* text : {"0", "-17", "+3", "1_000", "0x1F", "017"})
    EXPECT_EQ(kind(text), JsonKind::kInteger) << text;
  for (const char* text : {"1.", ".5", "-1e3", "2.5E-7", ".inf", "-.INF", ".nan", "1_0.5"})
    EXPECT_EQ(kind(text), JsonKind::kReal) << text;
  for (const char* text :
       {"yEs", "tRUE", "-", "+", ".", "1up", "0x", "0xZ", "1:30", "e5", "inf", "nan", "1e", "--1", "089"})
    EXPECT_EQ(kind(text), JsonKind::kString) << text;
  EXPECT_EQ(plain_scalar("-1_000").number, -1000);
  EXPECT_EQ(plain_scalar("0x1F").number, 31);
  EXPECT_EQ(plain_scalar("017").number, 15);
  EXPECT_EQ(plain_scalar("-2.5e3").number, -2500);
  EXPECT_EQ(plain_scalar("99999999999999999999").number, 1e20);
  EXPECT_EQ(plain_scalar("mc20a").text, "mc20a");
  EXPECT_TRUE(std::isinf(plain_scalar("-.inf").number));
}

TEST(LocatedYaml, values_know_their_bytes) {
  const Parsed made = parsed(
      "\xEF\xBB\xBF"
      "ä: 1\nkey: [ü, 'second']\n");
  const JsonValue* list = made.value.find("key");
  ASSERT_TRUE(list && list->items.size() == 2);
  const auto text_at = [&](Location place) {
    return made.source->text.substr(place.begin, place.end - place.begin);
  };
  EXPECT_EQ(text_at(made.value.keys[1].location), "key");
  EXPECT_EQ(text_at(list->items[0].location), "ü");
  EXPECT_EQ(text_at(list->items[1].location), "'second'");
  EXPECT_EQ(text_at(list->location), "[ü, 'second'");
}

TEST(LocatedYaml, aliases_are_copies) {
  EXPECT_EQ(as_json("a: &x [1, {b: 2}]\nc: *x\nd: {e: *x}\n"),
            R"({"a":[1,{"b":2}],"c":[1,{"b":2}],"d":{"e":[1,{"b":2}]}})");
  EXPECT_EQ(as_json("a: &x 1\nb: &x 2\nc: *x\n"), R"({"a":1,"b":2,"c":2})");
  EXPECT_EQ(as_json("&k a: 1\nb: *k\n"), R"({"a":1,"b":"a"})");
}

TEST(LocatedYaml, own_keys_go_before_merged_ones) {
  EXPECT_EQ(as_json("- &x {a: 1, b: 2}\n- {<<: *x, b: 3}\n- {b: 3, <<: *x}\n"),
            R"([{"a":1,"b":2},{"b":3,"a":1},{"b":3,"a":1}])");
  EXPECT_EQ(as_json("- &x {a: 1}\n- &y {a: 2, c: 3}\n- <<: [*x, *y]\n"),
            R"([{"a":1},{"a":2,"c":3},{"a":1,"c":3}])");
  EXPECT_EQ(as_json("- \"<<\": 1\n"), R"([{"<<":1}])");
  EXPECT_EQ(as_json("a: {<<: 5}\n"), "x.yml:1:9: error: \"<<\" takes a mapping, or a list of mappings");
}

TEST(LocatedYaml, says_where_it_is_none) {
  EXPECT_EQ(as_json("a: 1\n\tb: 2\n").substr(0, 24), "x.yml:2:1: error: no YAM");
  EXPECT_EQ(as_json("a: 1\nb: 2\na: 3\n"), "x.yml:3:1: error: the key \"a\" appears twice");
  EXPECT_EQ(as_json("a: [1\nb: 2\n").substr(0, 9), "x.yml:2:2");
  EXPECT_EQ(as_json("ä: \x01\n").substr(0, 24), "x.yml:1:4: error: no YAM");
  EXPECT_EQ(as_json("a: 1\nb: \xFF\n"), "x.yml:2:1: error: this is not UTF-8");
  EXPECT_EQ(as_json("? [a]\n: 1\n"), "x.yml:1:3: error: a key must be a string");
  EXPECT_EQ(as_json("a: *b\n"), "x.yml:1:4: error: unknown anchor \"b\"");
  EXPECT_EQ(as_json("a: &b [*b]\n"), "x.yml:1:8: error: the alias *b stands inside of what it names");
  EXPECT_EQ(as_json("a: !mine 1\n"), "x.yml:1:4: error: the tag \"!mine\" is not understood");
  EXPECT_EQ(as_json("a: 1\n---\nb: 1\n"), "x.yml:2:1: error: a second document begins here");
  EXPECT_EQ(as_json("# nothing\n").substr(10), " error: there is nothing in it");
}

TEST(LocatedYaml, bombs_do_not_go_off) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int copy = 0; copy < 9; ++copy) bomb += "*a" + std::to_string(i - 1) + ", ";
    bomb += "]\n";
  }
  EXPECT_NE(as_json(bomb).find("more than 200000 values"), std::string::npos);
  std::string merging = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 80; ++i)
    merging +=
        "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {y: *a" + std::to_string(i - 1) + "}\n";
  EXPECT_NE(as_json(merging).find("nested more than 64 levels deep"), std::string::npos);
  for (const char* opening : {"[", "{a: ", "- ", "? "}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += opening;
    EXPECT_FALSE(parsed(deep).mistakes.empty()) << opening;
  }
}

}  // namespace
}  // namespace skimline::skims
