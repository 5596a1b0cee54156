// SPDX-License-Identifier: BSD-3-Clause
// Baskets that several slices share: read once, decoded once, forgotten in time.
#include "ttree/shared_basket.h"

#include "ttree/tree_baskets.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr int kThreads = 8;

// Counts its calls and gives the number of entries as the only value; throws if it is told to.
class CountingDecoder : public BasketDecoder {
 public:
  explicit CountingDecoder(bool fails = false) : fails_(fails) {}
  DecodedBasket decode(const BasketEntries& entries, BufferPool& pool) const override {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (fails_) throw FormatError("an entry that ends before it begins");
    DecodedBasket decoded;
    decoded.values = pool.take(sizeof(std::uint32_t));
    *reinterpret_cast<std::uint32_t*>(decoded.values.get()) = entries.num_entries;
    decoded.view = {flat(ScalarType::kUInt32), 1, decoded.values.get()};
    return decoded;
  }
  mutable std::atomic<int> calls{0};

 private:
  bool fails_;
};

UnpackedBasket unpack_size(std::span<const std::byte> record) {
  UnpackedBasket unpacked;
  unpacked.entries.num_entries = static_cast<std::uint32_t>(record.size());
  return unpacked;
}

template <typename Work>
void on_threads(Work work) {
  std::barrier start(kThreads);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
}

// What a reader does with a basket that it needs.
std::uint32_t value_of(SharedBasket& basket, std::size_t column, const BasketDecoder& decoder,
                       BufferPool& pool, std::atomic<int>& unpacked) {
  basket.wait_until_fetched();
  if (basket.try_start_decoding(column))
    basket.decode(column, decoder, pool, [&](std::span<const std::byte> record) {
      ++unpacked;
      return unpack_size(record);
    });
  basket.wait_until_decoded(column);
  return *basket.values(column).data<std::uint32_t>();
}

TEST(SharedBasket, EachColumnIsDecodedOnceForAllThreads) {
  BufferPool pool(0);
  for (int round = 0; round < 20; ++round) {
    SharedBasket basket(2);
    const CountingDecoder decoders[2];
    const std::vector<std::byte> record(17);
    std::atomic<int> unpacked{0}, right{0};
    on_threads([&](int thread) {
      if (thread == 0) basket.provide(nullptr, record);
      const std::size_t column = static_cast<std::size_t>(thread % 2);
      if (value_of(basket, column, decoders[column], pool, unpacked) == 17) ++right;
    });
    EXPECT_EQ(right, kThreads);
    EXPECT_EQ(unpacked, 1);
    EXPECT_EQ(decoders[0].calls, 1);
    EXPECT_EQ(decoders[1].calls, 1);
  }
}

TEST(SharedBasket, FailureToFetchReachesAllThatWait) {
  SharedBasket basket(1);
  std::atomic<int> failed{0};
  on_threads([&](int thread) {
    if (thread == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      basket.fail(std::make_exception_ptr(FileError("a.root", "read past the end")));
    }
    try {
      basket.wait_until_decoded(0);
    } catch (const FileError&) {
      ++failed;
    }
  });
  EXPECT_EQ(failed, kThreads);
  EXPECT_FALSE(basket.is_pending());
  EXPECT_FALSE(basket.try_start_decoding(0));
}

TEST(SharedBasket, FailureToDecodeReachesAllThatWait) {
  BufferPool pool(0);
  SharedBasket basket(2);
  const CountingDecoder broken(true), sound;
  const std::vector<std::byte> record(5);
  basket.provide(nullptr, record);
  std::atomic<int> failed{0}, unpacked{0};
  on_threads([&](int) {
    try {
      value_of(basket, 0, broken, pool, unpacked);
    } catch (const FormatError&) {
      ++failed;
    }
  });
  EXPECT_EQ(failed, kThreads);
  EXPECT_EQ(broken.calls, 1);
  EXPECT_EQ(value_of(basket, 1, sound, pool, unpacked), 5u);
}

TEST(SharedBasket, RecordIsNotKeptOnceItIsDecoded) {
  BufferPool pool(0);
  SharedBasket basket(1);
  const CountingDecoder decoder;
  const auto memory = std::make_shared<const BufferPool::Buffer>(pool.take(8));
  basket.provide(memory, {memory->get(), 8});
  EXPECT_EQ(memory.use_count(), 2);
  std::atomic<int> unpacked{0};
  EXPECT_EQ(value_of(basket, 0, decoder, pool, unpacked), 8u);
  EXPECT_EQ(memory.use_count(), 1);
}

// One branch with baskets that end at these entries.
TreeDescriptor tree_with(const std::vector<std::vector<std::uint64_t>>& ends) {
  TreeDescriptor tree;
  for (const auto& of_branch : ends) {
    BranchData branch;
    std::uint64_t first = 0;
    for (const std::uint64_t end : of_branch) {
      branch.baskets.push_back({first, end - first, 0, 10, false});
      first = end;
    }
    branch.num_entries = first;
    tree.branch_data.push_back(std::move(branch));
  }
  return tree;
}

TEST(TreeBaskets, BasketsOfEntriesAreThoseThatOverlap) {
  const TreeDescriptor tree = tree_with({{10, 11, 30}});
  const auto span = [&](std::uint64_t first, std::uint64_t count) {
    const BasketRange found = baskets_of(tree.branch_data[0], {first, count});
    return std::pair(found.begin, found.end);
  };
  using Span = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(span(0, 30), Span(0, 3));
  EXPECT_EQ(span(0, 10), Span(0, 1));
  EXPECT_EQ(span(9, 2), Span(0, 2));
  EXPECT_EQ(span(10, 1), Span(1, 2));
  EXPECT_EQ(span(11, 1), Span(2, 3));
  EXPECT_EQ(span(29, 1), Span(2, 3));
  EXPECT_EQ(span(5, 0), Span(0, 0));
}

class SharedTree : public ::testing::Test {
 protected:
  SharedTree() { baskets_.set_slices({{0, 10}, {10, 10}, {20, 10}}); }

  // How many baskets nobody had asked for.
  std::size_t acquire(std::size_t slice, std::uint32_t branch) {
    std::vector<BasketClaim> claims;
    held_[slice].push_back(baskets_.acquire(branch, {10 * slice, 10}, claims));
    for (const BasketClaim& claim : claims) watched_.push_back(claim.target);
    return claims.size();
  }
  void close(std::size_t slice) {
    held_[slice].clear();
    baskets_.close(slice);
  }
  std::size_t num_alive() const {
    return static_cast<std::size_t>(std::count_if(watched_.begin(), watched_.end(),
                                                  [](const auto& basket) { return !basket.expired(); }));
  }

  const TreeDescriptor tree_ = tree_with({{15, 30}, {30}, {5, 10, 20, 30}});
  const std::vector<std::size_t> columns_of_{1, 1, 1};
  TreeBaskets baskets_{tree_, columns_of_};
  std::vector<std::vector<std::shared_ptr<SharedBasket>>> held_[3];
  std::vector<std::weak_ptr<SharedBasket>> watched_;
};

TEST_F(SharedTree, SlicesShareBaskets) {
  EXPECT_EQ(acquire(0, 0), 1u);
  EXPECT_EQ(acquire(1, 0), 1u);
  EXPECT_EQ(acquire(2, 0), 0u);
  EXPECT_EQ(held_[0][0][0], held_[1][0][0]);
  EXPECT_EQ(held_[1][0][1], held_[2][0][0]);
  EXPECT_EQ(acquire(0, 2), 2u);
  EXPECT_EQ(acquire(1, 2), 1u);
}

TEST_F(SharedTree, BasketsAreForgottenOnceNoSliceNeedsThem) {
  for (std::uint32_t branch = 0; branch < 3; ++branch) acquire(0, branch);
  EXPECT_EQ(num_alive(), 4u);
  close(0);
  EXPECT_EQ(num_alive(), 2u);  // those with entries of later slices
  acquire(1, 0);
  EXPECT_EQ(num_alive(), 3u);
  close(1);
  EXPECT_EQ(num_alive(), 2u);
  close(2);
  EXPECT_EQ(num_alive(), 0u);
}

TEST_F(SharedTree, SlicesMayBeClosedInAnyOrder) {
  acquire(0, 0);
  acquire(1, 0);
  acquire(2, 2);
  close(2);
  EXPECT_EQ(num_alive(), 2u);  // no slice before has entries of basket 3 of the last branch
  close(0);
  EXPECT_EQ(num_alive(), 2u);
  close(1);
  EXPECT_EQ(num_alive(), 0u);
}

TEST_F(SharedTree, SlicesThatLoadNothingCountAsClosed) {
  acquire(1, 0);
  close(1);
  close(0);
  EXPECT_EQ(num_alive(), 1u);
  close(2);
  EXPECT_EQ(num_alive(), 0u);
}

TEST_F(SharedTree, CountsBasketsThatWereNotDecoded) {
  baskets_.use({2, 1}, false);
  EXPECT_EQ(baskets_.unused(2, {0, 30}).count, 3u);
  EXPECT_EQ(baskets_.unused(2, {0, 30}).bytes, 30u);
  EXPECT_EQ(baskets_.unused(2, {5, 5}).count, 0u);
  EXPECT_EQ(baskets_.unused(0, {15, 1}).count, 1u);
}

}  // namespace
}  // namespace skimline::io
