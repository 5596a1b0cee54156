// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_pages.h"

#include <cstddef>
#include <memory>
#include <span>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr std::size_t kSize = 100;

// A page of which the stored bytes are there and the decoding has begun.
struct FetchedPage {
  BufferPool pool{0};
  PageUse use;
  Page page{use};
  std::weak_ptr<const BufferPool::Buffer> stored;

  FetchedPage() {
    const auto memory = std::make_shared<const BufferPool::Buffer>(pool.take(kSize));
    stored = memory;
    page.provide(memory, std::span<const std::byte>(memory->get(), kSize));
    EXPECT_TRUE(page.try_start_decoding());
  }
};

TEST(Page, KeepsStoredBytesUntilTheyAreDropped) {
  FetchedPage fetched;
  fetched.page.set(fetched.pool.take(kSize), true);
  const std::byte* const elements = fetched.page.elements();
  EXPECT_FALSE(fetched.stored.expired());
  fetched.page.drop_stored();
  fetched.page.drop_stored();
  EXPECT_TRUE(fetched.stored.expired());
  EXPECT_EQ(fetched.page.elements(), elements);
}

TEST(Page, DropsNoStoredBytesThatAreItsElements) {
  FetchedPage fetched;
  fetched.page.set_as_stored();
  fetched.page.drop_stored();
  ASSERT_FALSE(fetched.stored.expired());
  EXPECT_EQ(fetched.page.elements(), fetched.stored.lock()->get());
}

}  // namespace
}  // namespace skimline::io
