// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/page_infos.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

PageInfo page_at(std::uint64_t offset) { return {1, true, {offset, 8}}; }

std::vector<std::uint64_t> offsets_of(const PageInfos& pages) {
  std::vector<std::uint64_t> offsets;
  for (const PageInfo& page : pages) offsets.push_back(page.locator.offset);
  return offsets;
}

TEST(PageInfos, HoldNoPageOneAndMore) {
  for (const std::size_t reserved : {0, 1, 3}) {
    PageInfos pages;
    pages.reserve(reserved);
    EXPECT_TRUE(pages.empty());
    std::vector<std::uint64_t> expected;
    for (std::uint64_t offset = 1; offset < 6; ++offset) {
      pages.push_back(page_at(offset));
      expected.push_back(offset);
      EXPECT_EQ(offsets_of(pages), expected);
      EXPECT_EQ(pages.size(), expected.size());
      EXPECT_EQ(pages.back().locator.offset, offset);
      EXPECT_EQ(pages[0].locator.offset, 1u);
    }
  }
}

TEST(PageInfos, AreCopiedWithTheirPages) {
  for (const std::uint64_t size : {0, 1, 2}) {
    PageInfos pages;
    for (std::uint64_t offset = 0; offset < size; ++offset) pages.push_back(page_at(offset));
    PageInfos copy, assigned;
    assigned.push_back(page_at(9));
    copy = pages;
    assigned = PageInfos(pages);
    EXPECT_EQ(offsets_of(copy), offsets_of(pages));
    EXPECT_EQ(offsets_of(assigned), offsets_of(pages));
    for (PageInfo& page : copy) page.locator.offset += 100;
    EXPECT_EQ(offsets_of(assigned), offsets_of(pages));
  }
}

}  // namespace
}  // namespace skimline::io
