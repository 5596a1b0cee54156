// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/command_words.h"

#include "skimline/framework/error.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, are_those_of_a_shell) {
  EXPECT_EQ(words_of_command(""), Words{});
  EXPECT_EQ(words_of_command("  a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(words_of_command(R"(-c 'x > 1 && y' "a \"b\" $c")"), (Words{"-c", "x > 1 && y", R"(a "b" $c)"}));
  EXPECT_EQ(words_of_command(R"(a\ b c'd'"e" '' '\')"), (Words{"a b", "cde", "", "\\"}));
  EXPECT_EQ(words_of_command("a \\\n  b"), (Words{"a", "", "b"}));
}

TEST(CommandWords, refuse_quotes_without_an_end) {
  EXPECT_THROW(words_of_command("a 'b"), ConfigError);
  EXPECT_THROW(words_of_command("\"a\\\""), ConfigError);
}

}  // namespace
}  // namespace skimline::skims
