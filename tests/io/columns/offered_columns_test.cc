// SPDX-License-Identifier: BSD-3-Clause
#include "columns/offered_columns.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr Type kInteger{ScalarType::kInt32, 0};

FoundColumn in_all_files(const std::string& name) { return {{name, kInteger, ""}, "std::int32_t", "a.root"}; }

// Two of three files lack it.
FoundColumn in_one_file(const std::string& name) {
  FoundColumn found = in_all_files(name);
  found.num_without = 2;
  found.path_without = "b.root";
  return found;
}

InputOptions with_default(const std::string& name, DefaultValue value) {
  InputOptions options;
  options.defaults.emplace(name, std::move(value));
  return options;
}

TEST(OfferedColumns, AreThoseOfAllFilesInTheirOrder) {
  const InputOptions options;
  OfferedColumnsBuilder builder(options, 3);
  EXPECT_TRUE(builder.add(in_all_files("y")));
  EXPECT_TRUE(builder.add(in_all_files("x")));
  const OfferedColumns offered = builder.finish();
  EXPECT_EQ(offered.schema.names(), (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(offered.type_names, (std::vector<std::string>{"std::int32_t", "std::int32_t"}));
  EXPECT_TRUE(offered.defaults.empty() && offered.unsupported.empty() && offered.differences.empty());
}

TEST(OfferedColumns, LackWhatSomeFilesLack) {
  const InputOptions options;
  OfferedColumnsBuilder builder(options, 3);
  EXPECT_FALSE(builder.add(in_one_file("x")));
  const OfferedColumns offered = builder.finish();
  EXPECT_EQ(offered.schema.size(), 0u);
  ASSERT_EQ(offered.unsupported.size(), 1u);
  EXPECT_EQ(offered.unsupported[0].reason, "it is missing in b.root and 1 more, and has no default");
  EXPECT_TRUE(offered.unsupported[0].is_different);
}

TEST(OfferedColumns, HaveADefaultWhereFilesLackThem) {
  const InputOptions options = with_default("x", std::int64_t{7});
  OfferedColumnsBuilder builder(options, 3);
  EXPECT_TRUE(builder.add(in_all_files("y")));
  EXPECT_TRUE(builder.add(in_one_file("x")));
  const OfferedColumns offered = builder.finish();
  ASSERT_TRUE(offered.defaults.contains(1));
  EXPECT_EQ(offered.defaults.at(1).type(), kInteger);
  EXPECT_EQ(offered.differences,
            std::vector<std::string>{
                "column \"x\" is missing in 2 of 3 files, first in b.root: it is the default there"});
}

TEST(OfferedColumns, AreNotWhatFilesHaveDifferently) {
  const InputOptions options;
  OfferedColumnsBuilder builder(options, 3);
  FoundColumn found = in_one_file("x");
  found.problem = "it is float in a.root and string in c.root";
  EXPECT_FALSE(builder.add(found));
  EXPECT_EQ(builder.finish().unsupported[0].reason, found.problem);
}

TEST(OfferedColumns, AddDefaultsThatNoFileHas) {
  const InputOptions options = with_default("flag", true);
  OfferedColumnsBuilder builder(options, 3);
  EXPECT_TRUE(builder.add(in_all_files("x")));
  const OfferedColumns offered = builder.finish();
  EXPECT_EQ(offered.nowhere, std::vector<std::string>{"flag"});
  EXPECT_EQ(offered.schema[1].type, (Type{ScalarType::kBool, 0}));
  EXPECT_TRUE(offered.defaults.contains(1));
}

TEST(OfferedColumns, RefuseDefaultsThatDoNotFit) {
  const InputOptions text = with_default("x", std::string("?"));
  OfferedColumnsBuilder of_missing(text, 3), of_present(text, 3), of_unreadable(text, 3);
  of_missing.add(in_one_file("x"));
  EXPECT_THROW(of_missing.finish(), DefaultError);
  of_present.add(in_all_files("x"));
  EXPECT_THROW(of_present.finish(), DefaultError);
  of_unreadable.reject({"x", "TFancy", "it cannot be read"});
  EXPECT_THROW(of_unreadable.finish(), DefaultError);
}

}  // namespace
}  // namespace skimline::io
