// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/several_problems.h"

#include "skimline/framework/error.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

TEST(SeveralProblems, HaveALineEach) {
  const SeveralProblems<SchemaError> error("the fields differ:", {"a", "b"}, "leave them out");
  EXPECT_STREQ(error.what(), "the fields differ:\n  a\n  b\nleave them out");
  EXPECT_STREQ(SeveralProblems<Error>("two:", {"a", "b"}).what(), "two:\n  a\n  b");
}

TEST(SeveralProblems, AreWhatTheyWereBefore) {
  EXPECT_THROW(throw SeveralProblems<SchemaError>("", {}), SchemaError);
  try {
    throw SeveralProblems<ConfigError>("", {"a"});
  } catch (const Error& error) {
    EXPECT_NE(dynamic_cast<const HasOwnLines*>(&error), nullptr);
  }
}

TEST(SeveralProblems, KeepTheirLinesBehindOtherWords) {
  const SeveralProblems<SchemaError> error("the fields differ:", {"a", "b"});
  const SeveralProblems<SchemaError> named("in \"x\ny\": ", error);
  EXPECT_STREQ(named.what(), "in \"x\xE2\x90\x8Ay\": the fields differ:\n  a\n  b");
}

TEST(SeveralProblems, BeginNoLineOfTheirOwn) {
  const SeveralProblems<Error> error("no \"x\ny\":", {"a\nskimline: error: forged"}, "b\nc");
  EXPECT_STREQ(error.what(),
               "no \"x\xE2\x90\x8Ay\":\n  a\xE2\x90\x8Askimline: error: forged\nb\xE2\x90\x8A"
               "c");
}

}  // namespace
}  // namespace skimline
