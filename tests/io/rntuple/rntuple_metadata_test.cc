// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_metadata.h"

#include "test_data.h"

#include "skimline/framework/error.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

std::string message_of(const RootFile& file, const std::string& name) {
  try {
    read_descriptor(file, name);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(RNTupleMetadata, several_cluster_groups_make_one_sequence_of_clusters) {
  const std::string path = test_data("test_multiple_cluster_groups_rntuple_v1-0-0-0.root");
  SKIMLINE_NEED_TEST_DATA(path);
  const RootFile file(path);
  const RNTupleDescriptor descriptor = read_descriptor(file, "");
  EXPECT_GT(descriptor.num_cluster_groups, 1u);
  std::uint64_t next = 0;
  for (const ClusterDescriptor& cluster : descriptor.clusters) {
    EXPECT_EQ(cluster.first_entry, next);
    next += cluster.num_entries;
  }
  EXPECT_EQ(descriptor.num_entries(), next);
}

TEST(RNTupleMetadata, columns_added_later_are_deferred) {
  const std::string path = test_data("test_extension_columns_rntuple_v1-0-0-0.root");
  SKIMLINE_NEED_TEST_DATA(path);
  const RootFile file(path);
  const RNTupleDescriptor descriptor = read_descriptor(file, "");
  bool found = false;
  for (const ColumnDescriptor& column : descriptor.columns)
    found |= column.is_deferred && column.first_element > 0;
  EXPECT_TRUE(found);
}

TEST(RNTupleMetadata, a_wrong_name_is_answered_with_what_is_there) {
  const std::string path = test_data("rntviewer-testfile-multiple-rntuples-v1-0-0-0.root");
  SKIMLINE_NEED_TEST_DATA(path);
  const RootFile file(path);
  const std::vector<std::string> names = ntuple_names(file);
  ASSERT_GT(names.size(), 1u);
  EXPECT_NE(message_of(file, "").find("one must be named"), std::string::npos);
  for (const std::string& name : names) {
    EXPECT_EQ(message_of(file, name), "");
    EXPECT_NE(message_of(file, "unheard-of").find('"' + name + '"'), std::string::npos);
  }
}

TEST(RNTupleMetadata, files_without_an_rntuple_say_so) {
  const std::string path = test_data("uproot-Zmumu.root");
  SKIMLINE_NEED_TEST_DATA(path);
  EXPECT_NE(message_of(RootFile(path), "").find("contains no RNTuple"), std::string::npos);
}

}  // namespace
}  // namespace skimline::io
