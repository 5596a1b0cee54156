// SPDX-License-Identifier: BSD-3-Clause
// Equal headers are read once, and nothing that a file adds to its own is in those of others.
#include "rntuple/known_headers.h"

#include "test_data.h"

#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes;
  for (const char letter : text) bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

std::shared_ptr<const KnownHeader> shared(const std::string& text, std::uint64_t raw_size) {
  return share_header({bytes_of(text), raw_size, 1, {}});
}

TEST(KnownHeaders, AreFoundByAllTheirBytesAndTheirSize) {
  const auto first = shared("header", 10), other = shared("headed", 10);
  EXPECT_NE(first, other);
  EXPECT_EQ(find_header(bytes_of("header"), 10), first);
  EXPECT_EQ(find_header(bytes_of("headed"), 10), other);
  EXPECT_EQ(find_header(bytes_of("header"), 11), nullptr);
  EXPECT_EQ(find_header(bytes_of("heade"), 10), nullptr);
  EXPECT_EQ(find_header({}, 10), nullptr);
}

TEST(KnownHeaders, WhoComesSecondGetsThatOfTheFirst) {
  const auto first = shared("header", 10);
  EXPECT_EQ(shared("header", 10), first);
}

TEST(KnownHeaders, AreForgottenWithTheLastHolder) {
  std::weak_ptr<const KnownHeader> gone = shared("forgotten", 10);
  EXPECT_TRUE(gone.expired());
  EXPECT_EQ(find_header(bytes_of("forgotten"), 10), nullptr);
}

TEST(KnownHeaders, AreThoseOfFilesThatAreReadAgain) {
  for (const char* name :
       {"test_extension_columns_rntuple_v1-0-0-0.root", "test_nested_structs_rntuple_v1-0-0-0.root"}) {
    const std::string path = test_data(name);
    SKIMLINE_NEED_TEST_DATA(path);
    const RNTupleDescriptor first = read_descriptor(RootFile(path), "");
    const RNTupleDescriptor second = read_descriptor(RootFile(path), "");
    EXPECT_EQ(second.header, first.header) << name;
    EXPECT_EQ(second.name, first.name) << name;
    EXPECT_TRUE(second.fields == first.fields) << name;
    EXPECT_TRUE(second.columns == first.columns) << name;
    EXPECT_TRUE(second.aliases == first.aliases) << name;
    EXPECT_EQ(second.num_entries(), first.num_entries()) << name;
  }
}

}  // namespace
}  // namespace skimline::io
