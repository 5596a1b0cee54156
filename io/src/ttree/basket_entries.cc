// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/basket_entries.h"

#include "compression/stored_numbers.h"
#include "root/stored_key.h"
#include "storage/byte_reader.h"

#include "skimline/io/compression.h"

#include <cstring>
#include <string>

namespace skimline::io {
namespace {

constexpr std::uint8_t kGenerateOffsets = 1;  // bit of the features
constexpr std::uint8_t kGeneratedFlag = 80;
// Entries have been moved, as those of circular trees are where the first ones are dropped.
constexpr int kMovedFlag = 40;
constexpr std::uint32_t kOffsetMask = 0x00FFFFFF;

using Header = BasketHeader;

std::uint32_t non_negative(ByteReader& reader, const char* what) {
  const auto number = reader.big<std::int32_t>();
  if (number < 0) throw FormatError(std::string("a basket with a negative ") + what);
  return static_cast<std::uint32_t>(number);
}

void read_key(ByteReader& reader, Header& header) {
  header.record_size = reader.big<std::uint32_t>();
  header.key_version = reader.big<std::uint16_t>();
  header.object_size = reader.big<std::uint32_t>();
  reader.take(4);  // date
  header.key_size = reader.big<std::uint16_t>();
  reader.take(2);                              // cycle
  reader.take(header.has_long_key() ? 8 : 4);  // place of the record
  if (header.has_long_key())
    header.process_offset = static_cast<std::uint16_t>(reader.big<std::uint64_t>() >> kDirectoryBits);
  else
    reader.take(4);  // that of its directory
  const std::string class_name = reader.root_string();
  if (class_name != "TBasket") throw FormatError("a record of class \"" + class_name + "\" is no basket");
  for (int i = 0; i < 2; ++i) reader.root_string();  // names of branch and tree
}

Header read_header(ByteReader& reader) {
  Header header;
  read_key(reader, header);
  header.version = reader.big<std::uint16_t>();
  reader.take(4);  // size of the writer's buffer
  const std::int64_t entry_size = reader.big<std::int32_t>();
  if (entry_size < 0) header.features = reader.big<std::uint8_t>();
  if ((header.features & ~kGenerateOffsets) != 0) throw FormatError("a basket with unknown features");
  header.entry_size = static_cast<std::uint32_t>(entry_size < 0 ? -entry_size : entry_size);
  header.num_entries = non_negative(reader, "number of entries");
  header.last = non_negative(reader, "size");
  header.flag = reader.big<std::uint8_t>();
  if (header.last < header.key_size) throw FormatError("a basket that ends in its key");
  return header;
}

// The offsets that follow each other in `stored`, as 32-bit numbers, big-endian.
struct StoredOffsets {
  std::span<const std::byte> bytes;
  bool exist = false;
};

StoredOffsets read_offsets(ByteReader& reader, std::uint32_t num_entries) {
  const auto count = reader.big<std::uint32_t>();
  // The one behind the last entry holds nothing; baskets in memory do not have it.
  if (count < num_entries || count - num_entries > 1)
    throw FormatError("a basket of " + std::to_string(num_entries) + " entries with " +
                      std::to_string(count) + " offsets");
  return {reader.take(std::uint64_t{4} * count).first(std::size_t{4} * num_entries), true};
}

[[noreturn]] void throw_wrong_offset() { throw FormatError("offsets of a basket's entries are wrong"); }

void check_offsets(const std::uint32_t* offsets, std::size_t num_entries, std::uint32_t data_size) {
  std::uint32_t wrong = offsets[0];
  for (std::size_t i = 0; i < num_entries; ++i) wrong |= offsets[i] > offsets[i + 1] ? 1 : 0;
  if (wrong != 0 || offsets[num_entries] != data_size) throw_wrong_offset();
}

// Turns `num_entries` big-endian numbers and the end into checked offsets.
class OffsetTable {
 public:
  OffsetTable(const Header& header, BufferPool& pool)
      : num_entries_(header.num_entries),
        key_size_(header.key_size),
        data_size_(header.data_size()),
        memory_(pool.take((std::size_t{header.num_entries} + 1) * sizeof(std::uint32_t))),
        offsets_(reinterpret_cast<std::uint32_t*>(memory_.get())) {}

  void fill_from_offsets(std::span<const std::byte> stored, std::uint32_t mask) {
    swap_bytes(stored.data(), num_entries_, offsets_);
    for (std::size_t i = 0; i < num_entries_; ++i) offsets_[i] = (offsets_[i] & mask) - key_size_;
    offsets_[num_entries_] = data_size_;
    check_offsets(offsets_, num_entries_, data_size_);
  }

  // Number i is the size of entry i - 1; the first one and that of the last entry are not there.
  void fill_from_sizes(std::span<const std::byte> stored) {
    swap_bytes(stored.data(), num_entries_, offsets_);
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < num_entries_; ++i) {
      if (i > 0) offset += offsets_[i];
      if (offset > data_size_) throw_wrong_offset();
      offsets_[i] = static_cast<std::uint32_t>(offset);
    }
    offsets_[num_entries_] = data_size_;
  }

  void fill_from_counts(const EntrySizes& sizes) {
    const std::vector<std::uint64_t> counts = sizes.counts();
    if (counts.size() != num_entries_) throw FormatError("a basket whose counter has other entries");
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < num_entries_; ++i) {
      offsets_[i] = static_cast<std::uint32_t>(offset);
      if (counts[i] > (data_size_ - offset) / sizes.bytes_per_element) throw_wrong_offset();
      offset += counts[i] * sizes.bytes_per_element;
    }
    offsets_[num_entries_] = data_size_;
    if (offset != data_size_) throw FormatError("a basket whose counter says another size");
  }

  // The end that a basket says may be that of more entries, which it had when the tree was saved before: then
  // the last one ends where its counter says. Returns the end of all.
  std::uint32_t end_by_counts(const EntrySizes& sizes) {
    if (sizes.counts == nullptr || sizes.bytes_per_element == 0) return data_size_;
    const std::vector<std::uint64_t> counts = sizes.counts();
    if (counts.size() != num_entries_) throw FormatError("a basket whose counter has other entries");
    const std::uint32_t last = offsets_[num_entries_ - 1];
    if (counts.back() > (data_size_ - last) / sizes.bytes_per_element) throw_wrong_offset();
    offsets_[num_entries_] = last + static_cast<std::uint32_t>(counts.back() * sizes.bytes_per_element);
    return offsets_[num_entries_];
  }

  void move_to(UnpackedBasket& unpacked) {
    unpacked.entries.offsets = {offsets_, num_entries_ + 1};
    unpacked.offsets = std::move(memory_);
  }

 private:
  std::size_t num_entries_;
  std::uint32_t key_size_, data_size_;
  BufferPool::Buffer memory_;
  std::uint32_t* offsets_;
};

bool have_equal_sizes(const Header& header) {
  return std::uint64_t{header.entry_size} * header.num_entries == header.data_size();
}

void find_entries(const Header& header, const StoredOffsets& stored, const EntrySizes& sizes,
                  BufferPool& pool, UnpackedBasket& unpacked) {
  unpacked.entries.num_entries = header.num_entries;
  if (header.num_entries == 0) return;
  const bool can_count = sizes.bytes_per_element != 0 && sizes.counts != nullptr;
  const bool is_counted = can_count && (header.has_generated_offsets() || !have_equal_sizes(header));
  if (!stored.exist && sizes.may_be_unknown && header.has_generated_offsets()) return;
  if (!stored.exist && !is_counted) {
    if (!have_equal_sizes(header)) throw FormatError("a basket without the offsets of its entries");
    return;
  }
  OffsetTable table(header, pool);
  if (!stored.exist)
    table.fill_from_counts(sizes);
  else if (header.has_stored_sizes())
    table.fill_from_sizes(stored.bytes);
  else
    table.fill_from_offsets(stored.bytes, 0xFFFFFFFF);
  table.move_to(unpacked);
}

void check_num_entries(const Header& header, const TreeBasket& basket) {
  if (header.num_entries != basket.num_entries)
    throw FormatError("a basket of " + std::to_string(header.num_entries) + " entries where one of " +
                      std::to_string(basket.num_entries) + " should be");
}

// The payload of a record: its own bytes, or decompressed.
std::span<const std::byte> payload_of(const Header& header, std::span<const std::byte> record,
                                      BufferPool& pool, UnpackedBasket& unpacked) {
  if (header.record_size != record.size() || header.key_size > record.size())
    throw FormatError("a basket of an impossible size");
  const std::span<const std::byte> stored = record.subspan(header.key_size);
  if (stored.size() == header.object_size) return stored;
  if (header.object_size / kMaxExpansion > stored.size() || header.data_size() > header.object_size)
    throw FormatError("a basket of an impossible size");
  unpacked.data = pool.take(header.object_size);
  const std::span<std::byte> object(unpacked.data.get(), header.object_size);
  unpacked.is_verified = decompress_block(stored, object);
  return object;
}

UnpackedBasket unpack_stored(const TreeBasket& basket, std::span<const std::byte> record,
                             const EntrySizes& sizes, BufferPool& pool) {
  const Header header = read_basket_header(record);
  check_num_entries(header, basket);
  UnpackedBasket unpacked;
  const std::span<const std::byte> payload = payload_of(header, record, pool, unpacked);
  ByteReader content(payload);
  unpacked.entries.data = content.take(header.data_size());
  StoredOffsets offsets;
  if (content.remaining() > 0 && header.num_entries > 0) offsets = read_offsets(content, header.num_entries);
  find_entries(header, offsets, sizes, pool, unpacked);
  return unpacked;
}

// Writers put the entries that they did not write yet between the members of the branch.
UnpackedBasket unpack_embedded(const TreeBasket& basket, std::span<const std::byte> record,
                               const EntrySizes& sizes, BufferPool& pool) {
  ByteReader reader(record);
  Header header = read_header(reader);
  check_num_entries(header, basket);
  const int flag = header.flag % kGeneratedFlag;
  StoredOffsets offsets;
  if (!header.has_generated_offsets() && flag != 0 && flag % 10 != 2 && header.num_entries > 0) {
    offsets = read_offsets(reader, header.num_entries);
    if (flag > kMovedFlag)
      reader.take(std::uint64_t{4} * reader.big<std::uint32_t>());  // moves of references
  }
  if (flag != 1 && flag <= 10) throw FormatError("a basket without its data");
  const std::uint32_t size = header.version > 1 ? header.last : reader.big<std::uint32_t>();
  UnpackedBasket unpacked;
  unpacked.entries.data = reader.take(size);
  if (header.last > size) throw FormatError("a basket that is shorter than its entries");
  // The bytes of the key are there once more.
  unpacked.entries.data = unpacked.entries.data.first(header.last).subspan(header.key_size);
  if (offsets.exist) {
    OffsetTable table(header, pool);
    table.fill_from_offsets(offsets.bytes, flag > 20 && flag < 40 ? kOffsetMask : 0xFFFFFFFF);
    if (flag > kMovedFlag) unpacked.entries.data = unpacked.entries.data.first(table.end_by_counts(sizes));
    table.move_to(unpacked);
    unpacked.entries.num_entries = header.num_entries;
  } else {
    find_entries(header, offsets, sizes, pool, unpacked);
  }
  return unpacked;
}

}  // namespace

bool BasketHeader::has_generated_offsets() const { return flag >= kGeneratedFlag; }
bool BasketHeader::has_stored_sizes() const {
  return (features & kGenerateOffsets) != 0 && !has_generated_offsets();
}
bool BasketHeader::has_long_key() const { return key_version > kLargeRecord; }

BasketHeader read_basket_header(std::span<const std::byte> record) {
  ByteReader reader(record);
  const BasketHeader header = read_header(reader);
  if (record.size() - reader.remaining() > header.key_size)
    throw FormatError("a basket whose key is longer than it says");
  return header;
}

UnpackedBasket unpack_basket(const TreeBasket& basket, std::span<const std::byte> record,
                             const EntrySizes& sizes, BufferPool& pool) {
  return basket.is_embedded ? unpack_embedded(basket, record, sizes, pool)
                            : unpack_stored(basket, record, sizes, pool);
}

}  // namespace skimline::io
