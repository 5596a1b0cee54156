// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/matched_fields.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

FieldColumns columns_called(const std::vector<std::string>& names, ScalarType scalar = ScalarType::kFloat) {
  FieldColumns fields;
  for (const std::string& name : names) {
    FieldColumn& column = fields.columns.emplace_back();
    column.name = name;
    column.type = {scalar, 0};
    column.values = 0;
  }
  return fields;
}

const MatchedColumn& called(const MatchedFields& matched, const std::string& name) {
  for (const MatchedColumn& each : matched.columns)
    if (each.column->name == name) return each;
  throw std::out_of_range(name);
}

// Whether they share their columns or have columns of their own.
TEST(MatchedFields, CountFilesWhoseColumnsAreTheSameObject) {
  const std::vector<std::string> paths{"a", "b", "c", "d", "e"};
  const FieldColumns both = columns_called({"x", "y"}), other = columns_called({"x", "z"});
  const FieldColumns both_again = both, other_again = other;
  for (const bool shares : {true, false}) {
    const MatchedFields matched = match_fields({{paths[0], both},
                                                {paths[1], both},
                                                {paths[2], other},
                                                {paths[3], shares ? both : both_again},
                                                {paths[4], shares ? other : other_again}});
    ASSERT_EQ(matched.columns.size(), 3u);
    EXPECT_EQ(called(matched, "x").num_files, 5u);
    EXPECT_EQ(called(matched, "x").without, std::nullopt);
    EXPECT_EQ(called(matched, "y").num_files, 3u);
    EXPECT_EQ(called(matched, "y").without, 2u);
    EXPECT_EQ(called(matched, "z").num_files, 2u);
    EXPECT_EQ(called(matched, "z").file, 2u);
    EXPECT_EQ(called(matched, "z").without, 0u);
  }
}

TEST(MatchedFields, NameTheFirstFileOfAnotherType) {
  const std::vector<std::string> paths{"a", "b", "c", "d"};
  const FieldColumns reals = columns_called({"x"}), integers = columns_called({"x"}, ScalarType::kInt32);
  const MatchedFields matched =
      match_fields({{paths[0], reals}, {paths[1], reals}, {paths[2], integers}, {paths[3], integers}});
  EXPECT_EQ(called(matched, "x").num_files, 4u);
  EXPECT_EQ(called(matched, "x").problem, "it is float in a and std::int32_t in c");
}

TEST(MatchedFields, SayWhichFilesLackWhatCannotBeRead) {
  const std::vector<std::string> paths{"a", "b", "c", "d"};
  FieldColumns with = columns_called({"x"});
  const FieldColumns without = with;
  with.unsupported.push_back({"s", "Strange", "it cannot be read"});
  const MatchedFields matched =
      match_fields({{paths[0], with}, {paths[1], with}, {paths[2], without}, {paths[3], without}});
  ASSERT_EQ(matched.unsupported.size(), 1u);
  EXPECT_TRUE(matched.unsupported[0].is_different);
  EXPECT_EQ(matched.unsupported[0].reason, "it is missing in c and 1 more");
}

}  // namespace
}  // namespace skimline::io
