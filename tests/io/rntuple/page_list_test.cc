// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/page_list.h"

#include "skimline/io/format_error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr std::uint64_t kEntriesOfEach = 10;  // cluster

// What a cluster has of a column; none if it is not listed.
using Stored = std::optional<std::uint32_t>;

FieldDescriptor field_in(std::uint32_t id, std::uint32_t parent,
                         std::optional<std::uint64_t> repetition = {}) {
  FieldDescriptor field;
  field.name = "f" + std::to_string(id);
  field.parent = parent;
  field.repetition = repetition;
  return field;
}

// A descriptor of one column, which is added with `first_element` if that is given.
std::string problem_of(const std::vector<FieldDescriptor>& fields, std::optional<std::uint64_t> first_element,
                       const std::vector<Stored>& clusters) {
  RNTupleDescriptor descriptor;
  descriptor.fields = SharedList(fields);
  ColumnDescriptor column;
  column.field = static_cast<std::uint32_t>(fields.size() - 1);
  column.is_deferred = first_element.has_value();
  column.first_element = first_element.value_or(0);
  descriptor.columns = SharedList(std::vector{column});
  std::uint64_t next = column.first_element;
  for (const Stored& stored : clusters) {
    ClusterDescriptor& cluster = descriptor.clusters.emplace_back();
    cluster.first_entry = kEntriesOfEach * (descriptor.clusters.size() - 1);
    cluster.num_entries = kEntriesOfEach;
    if (!stored) continue;
    ColumnRange& range = cluster.columns.emplace_back();
    range.first_element = next;
    if (*stored > 0) range.pages.push_back({*stored, true, {0, 4}});
    next += *stored;
  }
  try {
    finish_clusters(descriptor);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(PageList, ClustersHaveTheElementsOfTheirEntries) {
  const std::vector<FieldDescriptor> flat{field_in(0, 0)};
  EXPECT_EQ(problem_of(flat, {}, {10, 10}), "");
  EXPECT_EQ(problem_of(flat, {}, {10, 9}),
            "cluster 1: column 0 of field \"f0\" has 9 elements for 10 entries");
  EXPECT_EQ(problem_of(flat, {}, {11, 9}),
            "cluster 0: column 0 of field \"f0\" has 11 elements for 10 entries");
  EXPECT_EQ(problem_of(flat, {}, {0, 10}),
            "cluster 0: column 0 of field \"f0\" has 0 elements for 10 entries");
  EXPECT_EQ(problem_of(flat, {}, {{}, 10}), "cluster 0: column 0 of field \"f0\" is not stored");
  const std::vector<FieldDescriptor> array{field_in(0, 0, 3), field_in(1, 0, 2)};
  EXPECT_EQ(problem_of(array, {}, {60, 60}), "");
  EXPECT_EQ(problem_of(array, {}, {60, 59}),
            "cluster 1: column 0 of field \"f0.f1\" has 59 elements for 10 entries");
}

TEST(PageList, ColumnsThatWereAddedLaterAreStoredFromThenOn) {
  const std::vector<FieldDescriptor> flat{field_in(0, 0)};
  EXPECT_EQ(problem_of(flat, 10, {{}, 10, 10}), "");
  EXPECT_EQ(problem_of(flat, 14, {{}, 6, 10}), "");
  EXPECT_EQ(problem_of(flat, 30, {{}, {}, {}}), "");
  EXPECT_EQ(problem_of(flat, 14, {{}, 7, 10}),
            "cluster 1: column 0 of field \"f0\" has 11 elements for 10 entries");
  EXPECT_EQ(problem_of(flat, 10, {{}, 10, {}}), "cluster 2: column 0 of field \"f0\" is not stored");
  EXPECT_EQ(problem_of(flat, 14, {{}, {}, 16}), "cluster 1: column 0 of field \"f0\" is not stored");
}

TEST(PageList, ElementsOfItemsAreAnyNumber) {
  std::vector<FieldDescriptor> fields{field_in(0, 0), field_in(1, 0)};
  fields[0].role = FieldRole::kCollection;
  EXPECT_EQ(problem_of(fields, {}, {25, 0, {}, 3}), "");
}

// Of a cluster that has so many elements of two members of the items of a collection.
std::string problem_of_members(const std::vector<Stored>& members) {
  RNTupleDescriptor descriptor;
  std::vector<FieldDescriptor> fields{field_in(0, 0), field_in(1, 0), field_in(2, 1), field_in(3, 1)};
  fields[0].role = FieldRole::kCollection;
  fields[1].role = FieldRole::kRecord;
  descriptor.fields = SharedList(fields);
  std::vector<ColumnDescriptor> columns(members.size());
  ClusterDescriptor& cluster = descriptor.clusters.emplace_back();
  for (std::uint32_t member = 0; member < members.size(); ++member) {
    columns[member].field = 2 + member;
    ColumnRange& range = cluster.columns.emplace_back();
    range.is_suppressed = !members[member];
    if (members[member].value_or(0) > 0) range.pages.push_back({*members[member], true, {0, 4}});
  }
  descriptor.columns = SharedList(columns);
  try {
    finish_clusters(descriptor);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(PageList, MembersOfItemsAreEquallyMany) {
  EXPECT_EQ(problem_of_members({3, 3}), "");
  EXPECT_EQ(problem_of_members({{}, {}}), "");
  EXPECT_EQ(problem_of_members({3, 4}),
            "cluster 0: column 1 of field \"f0.f1.f3\" has 4 elements for 3 items");
  EXPECT_EQ(problem_of_members({3, {}}),
            "cluster 0: column 1 of field \"f0.f1.f3\" has 0 elements for 3 items");
  EXPECT_EQ(problem_of_members({{}, 3}),
            "cluster 0: column 1 of field \"f0.f1.f3\" has 3 elements for 0 items");
}

}  // namespace
}  // namespace skimline::io
