// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/carried_basket.h"

#include "root/record_key.h"
#include "root/stored_key.h"
#include "storage/xxh3.h"
#include "ttree/basket_entries.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace skimline::io {
namespace {

constexpr std::uint16_t kCarriedVersion = 3;
constexpr std::size_t kCarriedTail = 19;  // what a basket's key has behind that of other records
constexpr std::uint8_t kOffsetsFeature = 1;
constexpr std::uint8_t kOffsetsGenerated = 80;
// Positions in the key.
constexpr std::size_t kSizeAt = 0, kDateAt = 10, kKeySizeAt = 14, kCycleAt = 16, kPlaceAt = 18;

template <typename T>
void put_big(std::byte* to, T number) {
  for (std::size_t i = sizeof(T); i-- > 0;) *to++ = static_cast<std::byte>(number >> (8 * i));
}

CarriedBasket record_of(std::span<const std::byte> bytes, const BasketHeader& header, BufferPool& pool) {
  CarriedBasket carried;
  carried.size = bytes.size();
  carried.memory = pool.take(bytes.size());
  std::memcpy(carried.memory.get(), bytes.data(), bytes.size());
  carried.unpacked_size = std::size_t{header.key_size} + header.object_size;
  carried.has_long_key = header.has_long_key();
  return carried;
}

// What no basket has: neither its number nor its place. References are only where objects are.
void set_fixed(CarriedBasket& carried, const BasketOfBranch& basket, const BasketHeader& header) {
  std::byte* key = carried.memory.get();
  put_big(key + kDateAt, kFixedDate);
  put_big(key + kCycleAt, std::uint16_t{0});
  if (carried.has_long_key) {
    put_big(key + kPlaceAt, std::uint64_t{0});
    const std::uint64_t offset = basket.processes.of(header.process_offset);
    put_big(key + kPlaceAt + sizeof(std::uint64_t), kTopDirectory | offset << kDirectoryBits);
  } else {
    if (basket.branch.class_name != "TBranch" && basket.processes.of(0) != 0)
      throw FormatError("its key has no room for the number of the process that its references are of");
    put_big(key + kPlaceAt, std::uint32_t{0});
    put_big(key + kPlaceAt + sizeof(std::uint32_t), static_cast<std::uint32_t>(kTopDirectory));
  }
  carried.hash = xxh3_64({carried.memory.get(), carried.size});
}

// The number of offsets, then where each entry begins, counted from the key; the last one is not used.
void append_offsets(std::span<const std::uint32_t> offsets, std::size_t key_size,
                    std::vector<std::byte>& to) {
  const std::size_t begin = to.size();
  to.resize(begin + (offsets.size() + 1) * sizeof(std::uint32_t));
  std::byte* next = to.data() + begin;
  put_big(next, static_cast<std::uint32_t>(offsets.size()));
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    put_big(next += sizeof(std::uint32_t), static_cast<std::uint32_t>(offsets[i] + key_size));
}

// The same as sizes: 0, then that of each entry before; the last one is not used.
void append_sizes(std::span<const std::uint32_t> offsets, std::vector<std::byte>& to) {
  const std::size_t begin = to.size();
  to.resize(begin + (offsets.size() + 1) * sizeof(std::uint32_t));
  std::byte* next = to.data() + begin;
  put_big(next, static_cast<std::uint32_t>(offsets.size()));
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    put_big(next += sizeof(std::uint32_t), i == 0 ? 0 : offsets[i] - offsets[i - 1]);
}

// A basket that was in the object of the tree, in a record. ROOT takes the features of a basket that has some
// for those of the next one that has none: a branch has them in all baskets.
CarriedBasket stored_anew(const BasketOfBranch& basket, const BasketHeader& old, const BasketEntries& entries,
                          CompressionSetting compression, BufferPool& pool) {
  const bool is_generated = old.has_generated_offsets();
  const bool has_offsets = !is_generated && !entries.offsets.empty();
  const bool has_features = old.features != 0;
  RecordKey key{"TBasket", basket.branch_name, basket.tree};
  key.is_long = true;
  const std::size_t header_size = key.size() + kCarriedTail + (has_features ? 1 : 0);
  if (header_size > std::numeric_limits<std::uint16_t>::max())
    throw FormatError("a branch whose name is too long for a key");
  std::vector<std::byte> payload(entries.data.begin(), entries.data.end());
  if (has_offsets && has_features)
    append_sizes(entries.offsets, payload);
  else if (has_offsets)
    append_offsets(entries.offsets, header_size, payload);
  key.object_size = payload.size();
  ByteWriter front;
  key.write(front);
  front.big<std::uint16_t>(kCarriedVersion);
  front.big<std::uint32_t>(static_cast<std::uint32_t>(header_size + payload.size()));
  const std::uint32_t size = has_offsets ? old.num_entries + 1 : old.entry_size;
  front.big<std::uint32_t>(has_features ? -size : size);
  if (has_features) front.big<std::uint8_t>(kOffsetsFeature);
  front.big<std::uint32_t>(old.num_entries);
  front.big<std::uint32_t>(static_cast<std::uint32_t>(header_size + entries.data.size()));
  front.big<std::uint8_t>(is_generated ? kOffsetsGenerated : 0);
  std::vector<std::byte> record = std::move(front).take();
  compress_block(payload, compression, record);
  put_big(record.data() + kSizeAt, static_cast<std::uint32_t>(record.size()));
  put_big(record.data() + kKeySizeAt, static_cast<std::uint16_t>(header_size));
  CarriedBasket carried = record_of(record, old, pool);
  carried.unpacked_size = header_size + payload.size();
  carried.has_long_key = true;
  return carried;
}

// The same payload, compressed otherwise.
CarriedBasket compressed_anew(std::span<const std::byte> record, const BasketHeader& header,
                              CompressionSetting compression, BufferPool& pool) {
  const std::span<const std::byte> stored = record.subspan(header.key_size);
  std::vector<std::byte> object(header.object_size);
  decompress_block(stored, object);
  std::vector<std::byte> made(record.begin(), record.begin() + header.key_size);
  compress_block(object, compression, made);
  put_big(made.data() + kSizeAt, static_cast<std::uint32_t>(made.size()));
  return record_of(made, header, pool);
}

// As ROOT numbers it; trees say 1 to 9 for zlib, and whatever they want.
CompressionSetting setting_of(int root_number) {
  CompressionSetting setting;
  const int algorithm = root_number / 100, level = root_number % 100;
  switch (root_number < 100 ? 1 : algorithm) {
    case 1:
      setting.algorithm = CompressionAlgorithm::kZlib;
      break;
    case 2:
      setting.algorithm = CompressionAlgorithm::kLzma;
      break;
    case 4:
      setting.algorithm = CompressionAlgorithm::kLz4;
      break;
    default:
      setting.algorithm = CompressionAlgorithm::kZstd;
  }
  if (level <= 0) return {CompressionAlgorithm::kNone, 0};
  setting.level = std::min(level, 9);
  return setting;
}

// The first entries of a basket.
CarriedBasket cut_basket(const BasketOfBranch& basket, std::span<const std::byte> record, BasketHeader header,
                         BufferPool& pool) {
  TreeBasket whole = basket.basket;
  whole.num_entries = header.num_entries;
  const UnpackedBasket unpacked = unpack_basket(whole, record, {0, true, {}}, pool);
  BasketEntries entries = unpacked.entries;
  if (entries.offsets.empty() && header.has_generated_offsets())
    throw FormatError("a basket that cannot be cut: its entries are told apart by a counter");
  const auto kept = static_cast<std::uint32_t>(basket.basket.num_entries);
  const std::size_t size =
      entries.offsets.empty() ? kept * entries.entry_size() : std::size_t{entries.offsets[kept]};
  entries.data = entries.data.first(size);
  if (!entries.offsets.empty()) entries.offsets = entries.offsets.first(std::size_t{kept} + 1);
  header.num_entries = entries.num_entries = kept;
  CarriedBasket carried = stored_anew(basket, header, entries, setting_of(basket.compression), pool);
  carried.is_verified = unpacked.is_verified;
  carried.is_rewritten = true;
  set_fixed(carried, basket, header);
  return carried;
}

bool is_compressed_otherwise(const BasketOfBranch& basket, const CarryOptions& options) {
  return options.compression && basket.compression != options.compression->root_number();
}

}  // namespace

void CarriedBasket::set_place(std::uint64_t offset, std::size_t number) {
  std::byte* key = memory.get();
  put_big(key + kCycleAt, static_cast<std::uint16_t>(number));
  if (has_long_key) return put_big(key + kPlaceAt, offset);
  if (offset > kSmallFileLimit)
    throw FormatError("its key has no room for a place behind 2 GB, where it would lie");
  put_big(key + kPlaceAt, static_cast<std::uint32_t>(offset));
}

CarriedBasket carry(const BasketOfBranch& basket, std::span<const std::byte> record,
                    const CarryOptions& options, BufferPool& pool) {
  const BasketHeader header = read_basket_header(record);
  if (options.cuts && header.num_entries > basket.basket.num_entries)
    return cut_basket(basket, record, header, pool);
  const bool is_anew = is_compressed_otherwise(basket, options);
  const EntrySizes any_sizes{0, true, {}};
  CarriedBasket carried;
  bool is_verified = false;
  if (basket.basket.is_embedded) {
    const UnpackedBasket unpacked = unpack_basket(basket.basket, record, any_sizes, pool);
    const int number = is_anew ? options.compression->root_number() : basket.compression;
    carried = stored_anew(basket, header, unpacked.entries, setting_of(number), pool);
  } else {
    if (header.record_size != record.size() || header.num_entries != basket.basket.num_entries)
      throw FormatError("a basket of another size or number of entries than the tree says");
    if (options.verifies || is_anew)
      is_verified = unpack_basket(basket.basket, record, any_sizes, pool).is_verified;
    carried = is_anew ? compressed_anew(record, header, *options.compression, pool)
                      : record_of(record, header, pool);
  }
  carried.is_verified = is_verified;
  carried.is_rewritten = is_anew || basket.basket.is_embedded;
  set_fixed(carried, basket, header);
  return carried;
}

}  // namespace skimline::io
