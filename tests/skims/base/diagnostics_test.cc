// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/diagnostics.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

struct RandomPart {
  std::string path;
  std::string text;
};

// Lines and characters of all lengths.
RandomPart random_part(std::size_t number, std::mt19937& random) {
  const std::vector<std::string> pieces{
      "a", "é", "质", "🙂", "\n", "\r\n", "\t", "", std::string(700, 'x')};
  RandomPart part{std::to_string(number) + ".json", {}};
  for (std::size_t count = random() % 200; count > 0; --count) part.text += pieces[random() % pieces.size()];
  return part;
}

std::string naive_place(const RandomPart& part, std::size_t offset) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i < offset; ++i) {
    const bool begins_character = (static_cast<unsigned char>(part.text[i]) & 0xC0) != 0x80;
    if (part.text[i] == '\n')
      ++line, column = 1;
    else if (begins_character)
      ++column;
  }
  return part.path + ":" + std::to_string(line) + ":" + std::to_string(column);
}

TEST(Diagnostics, PlacesAreThoseOfCountingFromTheBegin) {
  std::mt19937 random(1);
  for (int i = 0; i < 8; ++i) {
    ConfigText source{"0.json", {}, {}};
    std::vector<RandomPart> parts;
    for (std::size_t number = 0; number < 1 + random() % 4; ++number) {
      parts.push_back(random_part(number, random));
      append_part(source, {.path = parts.back().path}, parts.back().text);
    }
    for (std::size_t number = 0; number < parts.size(); ++number)
      for (std::size_t offset = 0; offset <= parts[number].text.size(); offset += 1 + random() % 50) {
        const std::size_t at = source.parts[number].begin + offset;
        EXPECT_EQ(place_text(source, {at, at}), naive_place(parts[number], offset));
      }
  }
}

TEST(Diagnostics, TimeDoesNotGrowWithTheLine) {
  const std::string text(4'000'000, ' ');
  const ConfigText source = text_of_one_part("a.json", text);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t at = 0; at < text.size(); at += 200) marked_message(source, {at, at + 1}, "warning", "w");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Diagnostics, LongQuotesAreCut) {
  const ConfigText source = text_of_one_part("a.json", "1");
  const auto message = [&](const std::string& quoted) {
    return marked_message(source, {0, 1}, "error",
                          "\"mode\" cannot be \"" + quoted + "\"; there are \"fail\"");
  };
  const std::string end = "\n  1\n  ^";
  EXPECT_EQ(message(std::string(400, 'x')), "a.json:1:1: error: \"mode\" cannot be \"" +
                                                std::string(400, 'x') + "\"; there are \"fail\"" + end);
  EXPECT_EQ(message(std::string(100'000, 'x')), "a.json:1:1: error: \"mode\" cannot be \"" +
                                                    std::string(200, 'x') + " ... (99700 bytes) ... " +
                                                    std::string(100, 'x') + "\"; there are \"fail\"" + end);
  std::string wide;
  while (wide.size() < 100'000) wide += "质";
  EXPECT_EQ(message(wide).find("\xEF\xBF\xBD"), std::string::npos) << "a character was cut in two";
  EXPECT_LT(message(std::string(100'000, '"')).size(), 10'000U);
  EXPECT_LT(message("a\"" + std::string(100'000, 'x')).size(), 10'000U);
}

TEST(Diagnostics, MistakesInWhatIsSettledAreLeftOut) {
  Diagnostics diagnostics(nullptr);
  const std::vector<Location> settled{{30, 40}, {10, 20}, {12, 14}, {25, 50}, {32, 33}};
  for (const Location each : settled) diagnostics.settle(each);
  for (std::size_t begin = 0; begin < 60; ++begin)
    for (std::size_t end = begin; end < 60; ++end) {
      const std::size_t before = diagnostics.size();
      diagnostics.add({begin, end}, "mistake");
      const bool is_inside = std::any_of(settled.begin(), settled.end(), [&](Location each) {
        return each.begin <= begin && end <= each.end;
      });
      EXPECT_EQ(diagnostics.size() == before, is_inside) << begin << " " << end;
    }
}

}  // namespace
}  // namespace skimline::skims
