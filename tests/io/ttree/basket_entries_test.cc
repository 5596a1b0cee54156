// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/basket_entries.h"

#include "basket_bytes.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

// The entries as lists of bytes.
std::vector<Bytes> entries_of(const BasketEntries& entries) {
  std::vector<Bytes> result;
  for (std::size_t i = 0; i < entries.num_entries; ++i) {
    const std::size_t begin = entries.offsets.empty() ? i * entries.entry_size() : entries.offsets[i];
    const std::size_t end = entries.offsets.empty() ? begin + entries.entry_size() : entries.offsets[i + 1];
    const auto bytes = entries.data.subspan(begin, end - begin);
    result.emplace_back(bytes.begin(), bytes.end());
  }
  return result;
}

std::vector<Bytes> unpacked(const BasketBytes& basket, const EntrySizes& sizes = {}) {
  BufferPool pool(0);
  const Bytes record = basket.record();
  return entries_of(unpack_basket(basket.place(), record, sizes, pool).entries);
}

std::vector<Bytes> unpacked_embedded(const BasketBytes& basket, const EntrySizes& sizes = {}) {
  BufferPool pool(0);
  TreeBasket place = basket.place();
  place.is_embedded = true;
  const Bytes record = basket.embedded();
  return entries_of(unpack_basket(place, record, sizes, pool).entries);
}

BasketBytes lists() {
  BasketBytes basket;
  basket.entries = {from_hex("01020304"), {}, from_hex("05060708 090a0b0c"), from_hex("0d0e0f10"), {}};
  return basket;
}

BasketBytes numbers(std::size_t count = 3) {
  BasketBytes basket;
  for (std::size_t i = 0; i < count; ++i) basket.entries.push_back(Bytes(4, static_cast<std::byte>(i)));
  basket.has_offsets = false;
  basket.entry_size = 4;
  return basket;
}

EntrySizes counts(std::vector<std::uint64_t> counts) {
  EntrySizes sizes;
  sizes.bytes_per_element = 4;
  sizes.counts = [counts] { return counts; };
  return sizes;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "none";
}

TEST(UnpackBasket, FindsEntriesByTheirOffsets) {
  BasketBytes basket = lists();
  for (const int version : {4, 1002, 1004}) {
    basket.key_version = version;
    EXPECT_EQ(unpacked(basket), basket.entries) << version;
  }
}

TEST(UnpackBasket, DoesNotUseTheSlotBehindTheLastOffset) {
  BasketBytes basket = lists();
  basket.junk = 0xDEADBEEF;
  EXPECT_EQ(unpacked(basket), basket.entries);
}

TEST(UnpackBasket, GivesNoOffsetsIfAllEntriesHaveTheSameSize) {
  const BasketBytes basket = numbers();
  const Bytes record = basket.record();
  BufferPool pool(0);
  const UnpackedBasket unpacked = unpack_basket(basket.place(), record, {}, pool);
  EXPECT_TRUE(unpacked.entries.offsets.empty());
  EXPECT_EQ(unpacked.entries.entry_size(), 4u);
  EXPECT_EQ(entries_of(unpacked.entries), basket.entries);
}

TEST(UnpackBasket, DoesNotCopyRawData) {
  const BasketBytes basket = numbers();
  const Bytes record = basket.record();
  BufferPool pool(0);
  const UnpackedBasket unpacked = unpack_basket(basket.place(), record, {}, pool);
  EXPECT_EQ(unpacked.entries.data.data(), record.data() + basket.key_size());
}

TEST(UnpackBasket, DecompressesAllAlgorithmsAndSeveralBlocks) {
  for (const auto algorithm : {CompressionAlgorithm::kZlib, CompressionAlgorithm::kLzma,
                               CompressionAlgorithm::kLz4, CompressionAlgorithm::kZstd}) {
    BasketBytes basket = numbers(5000);
    basket.compression = {algorithm, 1};
    EXPECT_EQ(unpacked(basket), basket.entries);
    basket.block_size = 5000;
    EXPECT_EQ(unpacked(basket), basket.entries);
  }
}

TEST(UnpackBasket, TakesSizesOfEntriesInsteadOfOffsets) {
  BasketBytes basket = lists();
  basket.features = 1;
  basket.has_sizes = true;
  basket.junk = 12345;
  EXPECT_EQ(unpacked(basket), basket.entries);
}

TEST(UnpackBasket, DerivesOffsetsFromTheCounter) {
  BasketBytes basket = lists();
  basket.features = 1;
  basket.flag = 80;
  basket.has_offsets = false;
  EXPECT_EQ(unpacked(basket, counts({1, 0, 2, 1, 0})), basket.entries);
  EXPECT_THROW(unpacked(basket, counts({1, 0, 2, 0, 0})), FormatError);
  EXPECT_THROW(unpacked(basket, counts({1, 0, 2, 2, 0})), FormatError);
  EXPECT_THROW(unpacked(basket, counts({1, 0, 1ULL << 62, 2, 0})), FormatError);
  EXPECT_THROW(unpacked(basket, counts({1, 0, 2, 1})), FormatError);
  EXPECT_THROW(unpacked(basket), FormatError);
}

TEST(UnpackBasket, AsksForCountsOnlyIfItMust) {
  EntrySizes sizes = counts({});
  sizes.counts = []() -> std::vector<std::uint64_t> { throw std::runtime_error("asked"); };
  EXPECT_EQ(unpacked(lists(), sizes), lists().entries);
  EXPECT_EQ(unpacked(numbers(), sizes), numbers().entries);
}

TEST(UnpackBasket, ReadsBasketsInsideTheirBranch) {
  for (const int flag : {1, 11, 31, 51}) {
    BasketBytes basket = lists();
    basket.flag = flag;
    EXPECT_EQ(unpacked_embedded(basket), basket.entries) << flag;
    basket.version = 1;
    EXPECT_EQ(unpacked_embedded(basket), basket.entries) << flag;
  }
  BasketBytes basket = numbers();
  basket.flag = 12;
  EXPECT_EQ(unpacked_embedded(basket), basket.entries);
  basket = lists();
  basket.flag = 91;
  basket.features = 1;
  EXPECT_EQ(unpacked_embedded(basket, counts({1, 0, 2, 1, 0})), basket.entries);
}

TEST(UnpackBasket, MayHaveNoEntries) {
  BasketBytes basket = numbers(0);
  EXPECT_TRUE(unpacked(basket).empty());
  basket.flag = 12;
  EXPECT_TRUE(unpacked_embedded(basket).empty());
}

TEST(UnpackBasket, SaysWhatIsWrong) {
  BufferPool pool(0);
  const BasketBytes basket = lists();
  const Bytes record = basket.record();
  TreeBasket place = basket.place();
  place.num_entries = 4;
  EXPECT_EQ(error_of([&] { unpack_basket(place, record, {}, pool); }),
            "a basket of 5 entries where one of 4 should be");
  BasketBytes odd = numbers();
  odd.entry_size = 5;
  EXPECT_EQ(error_of([&] { unpacked(odd); }), "a basket without the offsets of its entries");
  odd = lists();
  odd.features = 2;
  EXPECT_EQ(error_of([&] { unpacked(odd); }), "a basket with unknown features");
  place = numbers().place();
  place.is_embedded = true;
  const Bytes without_data = numbers().embedded();
  EXPECT_EQ(error_of([&] { unpack_basket(place, without_data, {}, pool); }), "a basket without its data");
}

void expect_inside(const BasketEntries& entries) {
  if (entries.offsets.empty()) {
    EXPECT_EQ(entries.entry_size() * entries.num_entries, entries.data.size());
    return;
  }
  ASSERT_EQ(entries.offsets.size(), entries.num_entries + 1);
  EXPECT_EQ(entries.offsets.front(), 0u);
  EXPECT_EQ(entries.offsets.back(), entries.data.size());
  EXPECT_TRUE(std::is_sorted(entries.offsets.begin(), entries.offsets.end()));
}

TEST(UnpackBasket, SurvivesAnyBytes) {
  std::mt19937 random(1);
  BufferPool pool(0);
  std::vector<BasketBytes> baskets = {lists(), numbers(), lists(), lists(), lists()};
  baskets[2].compression = {CompressionAlgorithm::kZstd, 1};
  baskets[2].entries.resize(40, Bytes(20, std::byte{7}));
  baskets[3].features = 1;
  baskets[3].has_sizes = true;
  baskets[4].flag = 11;
  for (int round = 0; round < 20000; ++round) {
    const BasketBytes& basket = baskets[static_cast<std::size_t>(round) % baskets.size()];
    TreeBasket place = basket.place();
    place.is_embedded = basket.flag != 0;
    Bytes record = place.is_embedded ? basket.embedded() : basket.record();
    for (unsigned i = 0; i <= random() % 3; ++i)
      record[random() % record.size()] = static_cast<std::byte>(random() % 2 == 0 ? random() : 0xFF);
    if (random() % 4 == 0) record.resize(random() % record.size());
    try {
      expect_inside(unpack_basket(place, record, counts({1, 0, 2, 1, 0}), pool).entries);
    } catch (const FormatError&) {
    }
  }
}

}  // namespace
}  // namespace skimline::io
