// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/schema_union.h"

#include "skimline/framework/error.h"

#include <gtest/gtest.h>

using namespace skimline;
using namespace skimline::io;

namespace {

using Numbers = std::vector<std::uint32_t>;

// Plain fields with a column each.
struct PlainField {
  std::string name, type;
  ColumnType column;
};

const PlainField kX{"x", "float", ColumnType::kSplitReal32};
const PlainField kN{"n", "std::int32_t", ColumnType::kSplitInt32};
const PlainField kUnsplitX{"x", "float", ColumnType::kReal32};
const PlainField kDoubleX{"x", "double", ColumnType::kSplitReal64};

RNTupleDescriptor schema_of(const std::vector<PlainField>& fields) {
  RNTupleDescriptor schema;
  schema.name = "Events";
  for (const PlainField& plain : fields) {
    const auto id = static_cast<std::uint32_t>(schema.fields.size());
    FieldDescriptor field;
    field.parent = id;
    field.name = plain.name;
    field.type_name = plain.type;
    schema.fields.push_back(field);
    ColumnDescriptor column;
    column.type = plain.column;
    column.bits_on_storage = fixed_bits(plain.column).value();
    column.field = id;
    schema.columns.push_back(column);
  }
  return schema;
}

std::string refusal(const SchemaUnion& schemas, MissingFields missing = MissingFields::kRefuse) {
  try {
    schemas.unite(missing);
    return {};
  } catch (const SchemaError& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST(SchemaUnion, EqualSchemasAreOne) {
  SchemaUnion schemas;
  EXPECT_EQ(schemas.add(schema_of({kX, kN}), "1.root"), 0u);
  EXPECT_EQ(schemas.add(schema_of({kN, kX}), "2.root"), 1u);
  EXPECT_EQ(schemas.add(schema_of({kX, kN}), "3.root"), 0u);
}

TEST(SchemaUnion, FieldsInAnotherOrderKeepTheirColumns) {
  SchemaUnion schemas;
  schemas.add(schema_of({kX, kN}), "1.root");
  schemas.add(schema_of({kN, kX}), "2.root");
  const UnitedSchema united = schemas.unite(MissingFields::kRefuse);
  EXPECT_EQ(united.schema.field_paths(), (std::vector<std::string>{"x", "n"}));
  EXPECT_EQ(united.columns, (std::vector<Numbers>{{0, 1}, {1, 0}}));
}

RNTupleDescriptor schema_of_reduced(ColumnType type, std::uint16_t bits, double min, double max) {
  RNTupleDescriptor schema = schema_of({kX});
  ColumnDescriptor& column = schema.columns.own().front();
  column.type = type;
  column.bits_on_storage = bits;
  column.value_min = min;
  column.value_max = max;
  return schema;
}

// ROOT takes the bits and the range of the first representation for all.
TEST(SchemaUnion, ReducedRealsHaveOneNumberOfBitsAndRangeWhichIsTheFirst) {
  const RNTupleDescriptor truncated = schema_of_reduced(ColumnType::kReal32Trunc, 12, 0, 0);
  const RNTupleDescriptor quantised = schema_of_reduced(ColumnType::kReal32Quant, 12, 0, 10);
  const RNTupleDescriptor others[] = {schema_of_reduced(ColumnType::kReal32Trunc, 17, 0, 0),
                                      schema_of_reduced(ColumnType::kReal32Quant, 12, -10, 10)};
  for (const RNTupleDescriptor& other : others) {
    SchemaUnion schemas;
    schemas.add(schema_of({kX}), "1.root");
    schemas.add(truncated, "2.root");
    schemas.add(other, "3.root");
    EXPECT_TRUE(contains(refusal(schemas), "\"x\" is stored in 12 bits in 2.root and in"));
    EXPECT_TRUE(schemas.unite(MissingFields::kDrop).schema.fields.empty());
  }
  SchemaUnion ranges;
  ranges.add(quantised, "1.root");
  ranges.add(others[1], "2.root");
  EXPECT_TRUE(contains(refusal(ranges), "12 bits of the range -10 to 10 in 2.root"));

  SchemaUnion schemas;
  schemas.add(schema_of({kX}), "1.root");
  schemas.add(quantised, "2.root");
  const UnitedSchema united = schemas.unite(MissingFields::kRefuse);
  ASSERT_EQ(united.schema.columns.size(), 2u);
  EXPECT_EQ(united.schema.columns[0].type, ColumnType::kReal32Quant);
  EXPECT_EQ(united.columns, (std::vector<Numbers>{{1}, {0}}));
}

TEST(SchemaUnion, OtherEncodingsAreFurtherRepresentations) {
  SchemaUnion schemas;
  schemas.add(schema_of({kX}), "1.root");
  schemas.add(schema_of({kUnsplitX}), "2.root");
  const UnitedSchema united = schemas.unite(MissingFields::kRefuse);
  ASSERT_EQ(united.schema.columns.size(), 2u);
  EXPECT_EQ(united.schema.columns[0].representation, 0);
  EXPECT_EQ(united.schema.columns[1].representation, 1);
  EXPECT_EQ(united.columns, (std::vector<Numbers>{{0}, {1}}));
}

TEST(SchemaUnion, AllDifferencesAreListedWithFiles) {
  SchemaUnion schemas;
  schemas.add(schema_of({kX, kN}), "1.root");
  schemas.add(schema_of({kDoubleX}), "2.root");
  const std::string message = refusal(schemas);
  for (const char* part : {"\"x\"", "float", "double", "\"n\"", "1.root", "2.root"})
    EXPECT_TRUE(contains(message, part)) << message << "\nlacks " << part;
}

TEST(SchemaUnion, FieldsAreDroppedOrGetDefaultsOnRequest) {
  SchemaUnion schemas;
  schemas.add(schema_of({kX, kN}), "1.root");
  schemas.add(schema_of({kX}), "2.root");
  const UnitedSchema dropped = schemas.unite(MissingFields::kDrop);
  EXPECT_EQ(dropped.schema.field_paths(), std::vector<std::string>{"x"});
  EXPECT_EQ(dropped.columns, (std::vector<Numbers>{{0, kLeftOutColumn}, {0}}));
  EXPECT_EQ(dropped.left_out.size(), 1u);
  const UnitedSchema filled = schemas.unite(MissingFields::kDefault);
  EXPECT_EQ(filled.schema.field_paths(), (std::vector<std::string>{"x", "n"}));
  EXPECT_EQ(filled.columns, (std::vector<Numbers>{{0, 1}, {0}}));
}

// A record with these members behind it.
RNTupleDescriptor record_of(const std::string& type, const std::vector<PlainField>& members) {
  std::vector<PlainField> fields{{"r", type, ColumnType::kReal32}};
  fields.insert(fields.end(), members.begin(), members.end());
  RNTupleDescriptor schema = schema_of(fields);
  schema.columns.own().erase(schema.columns.own().begin());
  for (FieldDescriptor& field : schema.fields.own()) field.parent = 0;
  schema.fields.own()[0].role = FieldRole::kRecord;
  return schema;
}

// What reads a class wants all of its members.
TEST(SchemaUnion, ObjectsOfClassesAreLeftOutAsAWhole) {
  for (const std::string type : {"", "Hit"}) {
    SchemaUnion schemas;
    schemas.add(record_of(type, {kX, kN}), "1.root");
    schemas.add(record_of(type, {kX}), "2.root");
    const UnitedSchema dropped = schemas.unite(MissingFields::kDrop);
    EXPECT_EQ(dropped.schema.fields.size(), type.empty() ? 2u : 0u);
    EXPECT_EQ(dropped.left_out, std::vector<std::string>{"\"r.n\" is missing in 2.root"});
    EXPECT_EQ(refusal(schemas, MissingFields::kDefault).empty(), type.empty());
  }
}

TEST(SchemaUnion, OtherTypesAreNoDefaults) {
  SchemaUnion schemas;
  schemas.add(schema_of({kX}), "1.root");
  schemas.add(schema_of({kDoubleX}), "2.root");
  EXPECT_NE(refusal(schemas, MissingFields::kDefault), "");
  EXPECT_EQ(refusal(schemas, MissingFields::kDrop).find("float"), std::string::npos);
}
