// SPDX-License-Identifier: BSD-3-Clause
// Equal schemas share what was found of them, others do not.
#include "rntuple/known_columns.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

// A schema of flat columns of floats.
RNTupleDescriptor flat(const std::vector<std::string>& names) {
  RNTupleDescriptor descriptor;
  for (const std::string& name : names) {
    const auto id = static_cast<std::uint32_t>(descriptor.fields.size());
    FieldDescriptor& field = descriptor.fields.emplace_back();
    field.parent = id;
    field.name = name;
    field.type_name = "float";
    descriptor.columns.emplace_back().field = id;
  }
  return descriptor;
}

std::vector<std::string> names_of(const FieldColumns& found) {
  std::vector<std::string> names;
  for (const FieldColumn& column : found.columns) names.push_back(column.name);
  return names;
}

TEST(KnownColumns, EqualSchemasAreFoundOnce) {
  const auto first = known_columns(flat({"x", "y"}));
  EXPECT_EQ(names_of(first->found), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(known_columns(flat({"x", "y"})), first);
}

TEST(KnownColumns, OthersAreNot) {
  const auto first = known_columns(flat({"x", "y"}));
  EXPECT_EQ(names_of(known_columns(flat({"x", "z"}))->found), (std::vector<std::string>{"x", "z"}));
  RNTupleDescriptor other_type = flat({"x", "y"});
  other_type.fields.own()[1].type_name = "double";
  other_type.columns.own()[1].type = ColumnType::kReal64;
  other_type.columns.own()[1].bits_on_storage = 64;
  const auto doubles = known_columns(other_type);
  EXPECT_NE(doubles, first);
  EXPECT_EQ(doubles->found.columns[1].type.scalar, ScalarType::kDouble);
  EXPECT_EQ(first->found.columns[1].type.scalar, ScalarType::kFloat);
  RNTupleDescriptor with_attributes = flat({"x", "y"});
  with_attributes.attribute_sets.push_back("about");
  EXPECT_NE(known_columns(with_attributes), first);
}

TEST(KnownColumns, AreForgottenWithTheLastFile) {
  std::weak_ptr<const KnownColumns> gone = known_columns(flat({"forgotten"}));
  EXPECT_TRUE(gone.expired());
  EXPECT_EQ(names_of(known_columns(flat({"forgotten"}))->found), (std::vector<std::string>{"forgotten"}));
}

// Each differs from all others, and is found all the same.
TEST(KnownColumns, ManySchemasAreNotKept) {
  std::vector<std::shared_ptr<const KnownColumns>> held;
  for (int i = 0; i < 100; ++i) held.push_back(known_columns(flat({"x" + std::to_string(i)})));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(names_of(held[static_cast<std::size_t>(i)]->found),
              std::vector<std::string>{"x" + std::to_string(i)});
}

}  // namespace
}  // namespace skimline::io
