// SPDX-License-Identifier: BSD-3-Clause
// The expected hashes are those of payloads that ROOT 6.40 wrote, uncompressed.
#include "root/streamer_info.h"

#include "skimline/framework/error.h"

#include <string_view>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

using Names = std::vector<std::string>;

// For a record with a short key.
std::vector<std::byte> list_of(const Names& class_names) { return streamer_info_list(class_names, 64); }

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(StreamerInfo, EqualsThatOfRootForAnNtuple) {
  const auto list = list_of({"ROOT::RNTuple"});
  EXPECT_EQ(list.size(), 1254U);
  EXPECT_EQ(XXH3_64bits(list.data(), list.size()), 0xa620d7ac4bb72819U);
}

TEST(StreamerInfo, EqualsThatOfRootForAHistogram) {
  const auto list = list_of({"TH1D"});
  EXPECT_EQ(list.size(), 9333U);
  EXPECT_EQ(XXH3_64bits(list.data(), list.size()), 0x9ece279f6086ed03U);
}

TEST(StreamerInfo, ListsEachClassOnceForBoth) {
  const auto both = list_of({"TH1D", "ROOT::RNTuple", "TH1D"});
  EXPECT_EQ(text_of(both), text_of(list_of({"ROOT::RNTuple", "TH1D"})));
  EXPECT_NE(text_of(both).find("fSeekFooter"), std::string_view::npos);
  EXPECT_NE(text_of(both).find("fSumw2"), std::string_view::npos);
  EXPECT_EQ(std::to_integer<int>(both[20]), 15);  // number of classes
}

TEST(StreamerInfo, IsAnEmptyListForNoClass) { EXPECT_EQ(list_of({}).size(), 21U); }

TEST(StreamerInfo, RefusesClassesItDoesNotKnow) {
  for (const char* name : {"", "TH4D", "th1d", "TH1D ", "TArrayD"})
    EXPECT_THROW(list_of({std::string(name)}), InternalError) << name;
}

}  // namespace
}  // namespace skimline::io
