// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/basket_record.h"

#include "root/record_key.h"
#include "storage/xxh3.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstring>

namespace skimline::io {
namespace {

constexpr std::uint64_t kMaxEntryBytes = 1'000'000'000;  // buffers of ROOT hold less than 1 GiB
constexpr std::size_t kTailSize = 19;  // what a basket's key has behind that of other records
constexpr std::uint16_t kBasketVersion = 3;
// Of the key.
constexpr std::size_t kSizePosition = 0;
constexpr std::size_t kHeaderSizePosition = 14;
constexpr std::size_t kCyclePosition = 16;
constexpr std::size_t kOffsetPosition = 18;

template <typename T>
void set_big(std::byte* to, T number) {
  for (std::size_t i = sizeof(T); i-- > 0;) *to++ = static_cast<std::byte>(number >> (8 * i));
}

// Calls `visit(entries, first, last)` for those of `range` in each run.
template <typename Visit>
void for_each_run(std::span<const HeldEntries> cluster, EntryRange range, Visit visit) {
  std::uint64_t begin = 0;  // of the run, in the cluster
  for (const HeldEntries& run : cluster) {
    const std::uint64_t count = run.last - run.first;
    const std::uint64_t first = std::max(begin, range.first), last = std::min(begin + count, range.end());
    if (first < last) visit(*run.entries, run.first + first - begin, run.first + last - begin);
    begin += count;
  }
}

std::vector<EntryRange> cut_evenly(std::span<const HeldEntries> cluster, std::uint64_t basket_entries) {
  std::uint64_t num_entries = 0;
  for (const HeldEntries& run : cluster) num_entries += run.last - run.first;
  std::vector<EntryRange> baskets;
  for (std::uint64_t first = 0; first < num_entries; first += basket_entries)
    baskets.push_back({first, std::min(basket_entries, num_entries - first)});
  return baskets;
}

// With the sizes in the key, which follow from the record.
BasketRecord finished(std::vector<std::byte>& record, std::size_t header, BufferPool& pool) {
  set_big(record.data() + kSizePosition, static_cast<std::uint32_t>(record.size()));
  set_big(record.data() + kHeaderSizePosition, static_cast<std::uint16_t>(header));
  BasketRecord basket;
  basket.size = record.size();
  basket.hash = xxh3_64(record);
  basket.memory = pool.take(record.size());
  std::memcpy(basket.memory.get(), record.data(), record.size());
  return basket;
}

}  // namespace

void BasketRecord::set_place(std::uint64_t offset, std::size_t number) {
  set_big(memory.get() + kCyclePosition, static_cast<std::uint16_t>(number));
  set_big(memory.get() + kOffsetPosition, offset);
}

std::size_t BasketSealer::key_size() const {
  RecordKey key{"TBasket", names_.branch, names_.tree};
  key.is_long = true;
  return key.size() + kTailSize;
}

std::vector<EntryRange> BasketSealer::cut(std::span<const HeldEntries> cluster,
                                          std::uint64_t basket_bytes) const {
  const std::uint64_t limit = std::min(basket_bytes, kMaxEntryBytes);
  if (!branch_.has_offsets())
    return cut_evenly(cluster, std::max<std::uint64_t>(1, limit / branch_.item_size()));
  std::vector<EntryRange> baskets;
  EntryRange open;
  std::uint64_t bytes = 0;
  for (const HeldEntries& run : cluster) {
    std::uint64_t begin = run.entries->begin_of(number_, run.first);
    for (std::uint64_t entry = run.first; entry < run.last; ++entry) {
      const std::uint64_t end = run.entries->begin_of(number_, entry + 1);
      const std::uint64_t size = end - begin + sizeof(std::uint32_t);
      if (size > kMaxEntryBytes)
        throw Error("an entry has " + std::to_string(size) + " bytes of \"" + branch_.name +
                    "\": a TTree can hold " + std::to_string(kMaxEntryBytes));
      if (open.count > 0 && bytes + size > limit) {
        baskets.push_back(open);
        open = {open.end(), 0};
        bytes = 0;
      }
      ++open.count;
      bytes += size;
      begin = end;
    }
  }
  if (open.count > 0) baskets.push_back(open);
  return baskets;
}

// The number of offsets, then where each entry begins, counted from the key. ROOT does not use the last one.
void BasketSealer::append_offsets(std::span<const HeldEntries> cluster, EntryRange range, std::uint64_t begin,
                                  std::vector<std::byte>& payload) const {
  const std::size_t data_size = payload.size();
  payload.resize(data_size + (range.count + 2) * sizeof(std::uint32_t));
  std::byte* to = payload.data() + data_size;
  const auto put = [&](std::uint64_t number) {
    const std::uint32_t bits = __builtin_bswap32(static_cast<std::uint32_t>(number));
    std::memcpy(to, &bits, sizeof bits);
    to += sizeof bits;
  };
  put(range.count + 1);
  for_each_run(cluster, range, [&](const TreeEntries& entries, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t before = entries.begin_of(number_, first);
    for (std::uint64_t entry = first; entry < last; ++entry)
      put(begin + entries.begin_of(number_, entry) - before);
    begin += entries.begin_of(number_, last) - before;
  });
  put(0);
}

// The key, and what a basket's has behind that of other records.
std::vector<std::byte> BasketSealer::front(std::uint64_t num_entries, std::size_t payload_size,
                                           std::size_t data_size) const {
  const std::size_t header = key_size();
  RecordKey key{"TBasket", names_.branch, names_.tree};
  key.is_long = true;
  key.object_size = payload_size;
  ByteWriter front;
  key.write(front);
  front.big<std::uint16_t>(kBasketVersion);
  front.big<std::uint32_t>(static_cast<std::uint32_t>(header + payload_size));  // of the buffer
  // Of each entry, or the capacity of the array of offsets.
  front.big<std::uint32_t>(
      static_cast<std::uint32_t>(branch_.has_offsets() ? num_entries + 1 : branch_.item_size()));
  front.big<std::uint32_t>(static_cast<std::uint32_t>(num_entries));
  front.big<std::uint32_t>(static_cast<std::uint32_t>(header + data_size));
  front.big<std::uint8_t>(0);
  return {front.bytes().begin(), front.bytes().end()};
}

BasketRecord BasketSealer::seal(std::span<const HeldEntries> cluster, EntryRange range,
                                BufferPool& pool) const {
  thread_local std::vector<std::byte> record, payload;
  payload.clear();
  const std::size_t header = key_size();
  for_each_run(cluster, range, [&](const TreeEntries& entries, std::uint64_t first, std::uint64_t last) {
    const std::byte* data = entries.data(number_);
    payload.insert(payload.end(), data + entries.begin_of(number_, first),
                   data + entries.begin_of(number_, last));
  });
  const std::size_t data_size = payload.size();
  if (branch_.has_offsets()) append_offsets(cluster, range, header, payload);

  const std::vector<std::byte> head = front(range.count, payload.size(), data_size);
  record.assign(head.begin(), head.end());
  compress_block(payload, compression_, record);
  BasketRecord basket = finished(record, header, pool);
  basket.entries = range;
  basket.unpacked_size = header + payload.size();
  return basket;
}

BasketRecord BasketSealer::adopt(const BasketSealer& other, std::span<const std::byte> record,
                                 std::uint64_t num_entries, BufferPool& pool) const {
  const std::size_t header = key_size(), payload_size = num_entries * branch_.item_size();
  std::vector<std::byte> own = front(num_entries, payload_size, payload_size);
  const std::span<const std::byte> block = record.subspan(other.key_size());
  own.insert(own.end(), block.begin(), block.end());
  BasketRecord basket = finished(own, header, pool);
  basket.entries.count = num_entries;
  basket.unpacked_size = header + payload_size;
  return basket;
}

}  // namespace skimline::io
