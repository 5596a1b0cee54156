// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/root_file.h"

#include "storage/byte_reader.h"
#include "test_data.h"

#include "skimline/framework/error.h"

#include <cstring>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

std::string message_of(const std::string& path) {
  try {
    const RootFile file(path);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(RootFile, says_what_is_wrong_with_what_is_no_root_file) {
  const TemporaryFile empty({});
  const TemporaryFile text({'h', 'e', 'l', 'l', 'o'});
  const TemporaryFile magic({'r', 'o', 'o', 't'});
  EXPECT_EQ(message_of("/no/such/file.root"), "/no/such/file.root: cannot be opened: no such file");
  EXPECT_NE(message_of("/tmp").find("is a directory"), std::string::npos);
  EXPECT_NE(message_of(empty.path()).find("is empty"), std::string::npos);
  EXPECT_NE(message_of(text.path()).find("is not a ROOT file"), std::string::npos);
  EXPECT_NE(message_of(magic.path()).find("end too early"), std::string::npos);
}

// A file header, and a directory whose key list of 10 bytes begins at byte 130.
std::vector<char> file_with_short_key_list() {
  std::vector<char> content(140, 0);
  std::memcpy(content.data(), "root", 4);
  content[11] = 100;  // where the directory begins
  content[101] = 5;   // its version
  content[113] = 10;  // size of the key list
  content[129] = static_cast<char>(130);
  return content;
}

TEST(RootFile, says_where_directories_and_key_lists_end_too_early) {
  std::vector<char> content = file_with_short_key_list();
  const TemporaryFile list(content);
  EXPECT_EQ(message_of(list.path()), list.path() + ": key list at byte 130: data end too early");
  content.resize(110);
  const TemporaryFile directory(content);
  EXPECT_EQ(message_of(directory.path()), directory.path() + ": directory at byte 100: data end too early");
}

TEST(RootFile, lists_keys_and_reads_objects) {
  const std::string path = test_data("rntviewer-testfile-multiple-rntuples-v1-0-0-0.root");
  SKIMLINE_NEED_TEST_DATA(path);
  const RootFile file(path);
  ASSERT_FALSE(file.keys().empty());
  for (const RootKey& key : file.keys()) {
    EXPECT_EQ(key.class_name, "ROOT::RNTuple");
    EXPECT_EQ(file.find(key.path)->offset, key.offset);
    EXPECT_EQ(file.read_object(key).size(), 78u);
  }
  EXPECT_EQ(file.find("nothing"), nullptr);
}

TEST(RootFile, truncated_files_are_named_as_such) {
  const std::string path = test_data("test_int_float_rntuple_v1-0-0-0.root");
  SKIMLINE_NEED_TEST_DATA(path);
  std::vector<char> content = read_all(path);
  content.pop_back();
  const TemporaryFile file(content);
  EXPECT_NE(message_of(file.path()).find("is truncated"), std::string::npos);
}

TEST(RootFile, byte_reader_never_reads_past_the_end) {
  const std::byte bytes[] = {std::byte{1}, std::byte{2}, std::byte{3}};
  EXPECT_EQ(ByteReader(bytes).little<std::uint16_t>(), 0x0201);
  EXPECT_EQ(ByteReader(bytes).big<std::uint16_t>(), 0x0102);
  EXPECT_THROW(ByteReader(bytes).big<std::uint32_t>(), FormatError);
  EXPECT_EQ(ByteReader(bytes).root_string(), "\x02");
  EXPECT_THROW(ByteReader(bytes).envelope_string(), FormatError);
  EXPECT_THROW(ByteReader(bytes).take(~std::uint64_t{0}), FormatError);
}

}  // namespace
}  // namespace skimline::io
