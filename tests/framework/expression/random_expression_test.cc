// SPDX-License-Identifier: BSD-3-Clause
// Random text in place of expressions: it is accepted or refused with an ExpressionError that points into the
// text.
#include "fuzz_time.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"

#include <random>

#include <gtest/gtest.h>

namespace skimline {
namespace {

Schema small_schema() {
  Schema schema;
  schema.add({"n", flat(ScalarType::kUInt32), ""});
  schema.add({"x", flat(ScalarType::kFloat), ""});
  schema.add({"pt", jagged(ScalarType::kFloat), ""});
  schema.add({"tight", jagged(ScalarType::kBool), ""});
  return schema;
}

constexpr const char* kWords[] = {
    "n",   "x",  "pt", "tight", "pt.size()", "Sum",  "Max",   "sqrt", "DeltaR", "InvariantMass",
    "(",   ")",  "[",  "]",     ",",         "?",    ":",     "+",    "-",      "*",
    "/",   "%",  "&&", "||",    "!",         "~",    "<",     "==",   "<<",     ".",
    "0",   "1",  "-1", "2.5",   "1u",        "true", "1e308", "0xff", "@",      "",
    "x.y", "n n"};

TEST(RandomExpressions, AreAcceptedOrRefusedInPlace) {
  std::mt19937 random(4);
  const PlanBuilder builder(small_schema());
  const testing::FuzzTime time;
  int num_accepted = 0, num_refused = 0;
  for (int round = 0; round < 20'000 || time.is_left(); ++round) {
    std::string text;
    for (unsigned word = 0; word <= random() % 9; ++word)
      text += std::string(kWords[random() % std::size(kWords)]) + " ";
    if (random() % 20 == 0) text[random() % text.size()] = static_cast<char>(random());
    try {
      builder.type_of_expression(text);
      ++num_accepted;
    } catch (const ExpressionError& error) {
      ASSERT_LE(error.offset() + error.length(), text.size()) << text;
      ASSERT_FALSE(error.problem().empty()) << text;
      ++num_refused;
    }
  }
  EXPECT_GT(num_accepted, 100);
  EXPECT_GT(num_refused, 100);
}

}  // namespace
}  // namespace skimline
