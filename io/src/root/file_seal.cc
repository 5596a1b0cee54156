// SPDX-License-Identifier: BSD-3-Clause
#include "root/file_seal.h"

#include "root/record_key.h"
#include "root/stored_key.h"
#include "storage/byte_reader.h"
#include "storage/byte_writer.h"
#include "storage/xxh3.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <xxhash.h>

namespace skimline::io {
namespace {

constexpr std::string_view kMagic = "skl-seal";
constexpr std::uint32_t kSealVersion = 1;
constexpr std::size_t kPlaceOfVersion = 4;
constexpr std::size_t kPlaceOfBegin = 8;
constexpr std::uint64_t kLargestFreeList = 0x100000;  // to be read: its key is in front
// Magic, version, number of records, size of the file.
constexpr std::size_t kFront = 8 + 4 + 4 + 8;
constexpr std::size_t kChecksum = 8;

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

XXH3_state_t* fresh_state() {
  thread_local const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  return state.get();
}

[[noreturn]] void throw_damaged(std::uint64_t offset) {
  throw FormatError("the list of checksums at byte " + std::to_string(offset) + " is damaged");
}

bool has_magic(std::span<const std::byte> payload) {
  return payload.size() >= kMagic.size() && std::memcmp(payload.data(), kMagic.data(), kMagic.size()) == 0;
}

// The first versions of ROOT, and Geant4 to this day, begin their records inside of what is the header of
// others: no pointer is there then, but if the header is damaged, it still leads to the seal.
bool is_pointer(const InputFile& file, std::span<const std::byte> header, std::uint64_t offset) {
  if (ByteReader(header.subspan(kPlaceOfBegin)).big<std::uint32_t>() >= kHeaderSize) return true;
  const std::uint64_t key_size = blob_key(0).size();
  std::vector<std::byte> front(kMagic.size());
  if (offset > file.size() || file.size() - offset < key_size + front.size()) return false;
  file.read(offset + key_size, front);
  return has_magic(front);
}

std::vector<std::byte> read_payload(const InputFile& file, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t key_size = blob_key(0).size();
  if (offset > file.size() || size > file.size() - offset || size < key_size + kFront + kChecksum)
    throw_damaged(offset);
  std::vector<std::byte> payload(static_cast<std::size_t>(size - key_size));
  file.read(offset + key_size, payload);
  const auto checksum =
      ByteReader(std::span<const std::byte>(payload).last(kChecksum)).little<std::uint64_t>();
  payload.resize(payload.size() - kChecksum);
  if (!has_magic(payload) || checksum != xxh3_64(payload)) throw_damaged(offset);
  return payload;
}

std::vector<SealedRecord> parsed_records(ByteReader& reader, std::uint32_t count, std::uint64_t offset) {
  if (reader.remaining() != std::uint64_t{count} * kSealedRecordSize) throw_damaged(offset);
  std::vector<SealedRecord> records(count);
  for (SealedRecord& record : records) {
    record.offset = reader.little<std::uint64_t>();
    record.size = reader.little<std::uint32_t>();
    record.size_behind = reader.little<std::uint32_t>();
    record.hash = reader.little<std::uint64_t>();
  }
  const auto rises = [](const SealedRecord& left, const SealedRecord& right) {
    return left.offset < right.offset;
  };
  if (!std::is_sorted(records.begin(), records.end(), rises)) throw_damaged(offset);
  return records;
}

}  // namespace

bool SealedRecord::fits(std::span<const std::byte> record) const {
  return record.size() == size && xxh3_64(record) == hash;
}

std::optional<FileSeal> FileSeal::read(const InputFile& file, std::span<const std::byte> header,
                                       std::uint64_t end) {
  if (header.size() < kHeaderSize) return std::nullopt;
  ByteReader pointer(header.subspan(kSealPointer));
  const auto offset = pointer.little<std::uint64_t>();
  const auto size = pointer.little<std::uint64_t>();
  if (offset == 0 && size == 0) return std::nullopt;
  if (!is_pointer(file, header, offset)) return std::nullopt;
  const std::vector<std::byte> payload = read_payload(file, offset, size);
  ByteReader reader(payload);
  reader.take(kMagic.size());
  if (const auto version = reader.little<std::uint32_t>(); version != kSealVersion)
    throw FormatError("the list of checksums has the unknown version " + std::to_string(version));
  const auto count = reader.little<std::uint32_t>();
  const auto file_size = reader.little<std::uint64_t>();
  FileSeal seal;
  seal.records_ = parsed_records(reader, count, offset);
  if (end > file_size && file.size() > file_size) return std::nullopt;
  if (file.size() < file_size)
    throw FormatError("is truncated: it should have " + std::to_string(file_size) + " bytes and has " +
                      std::to_string(file.size()));
  const std::span<const std::byte> own = header.first(kHeaderSize);
  if (!seal.at(0).fits(own) && seal.lacks_free_list(file, own)) return std::nullopt;
  seal.check(0, own);
  return seal;
}

// Another program may write into bytes that are free, or only delete: the file does not grow then, but has
// another list of free bytes, whose key says where it lies.
bool FileSeal::lacks_free_list(const InputFile& file, std::span<const std::byte> header) const {
  ByteReader reader(header.subspan(kPlaceOfVersion));
  const bool is_large = reader.big<std::int32_t>() >= kLargeFile;
  reader.take(is_large ? 4 + 8 : 4 + 4);  // begin and end
  const std::uint64_t offset = is_large ? reader.big<std::uint64_t>() : reader.big<std::uint32_t>();
  const std::uint64_t size = reader.big<std::uint32_t>();
  if (offset < kHeaderSize || offset > file.size() || size > file.size() - offset) return false;
  std::vector<std::byte> list(static_cast<std::size_t>(std::min(size, kLargestFreeList)));
  file.read(offset, list);
  const bool is_known = std::any_of(records_.begin(), records_.end(), [&](const SealedRecord& record) {
    return record.offset == offset && record.size == size;
  });
  if (is_known) return false;
  try {
    ByteReader record(list);
    const StoredKey key = parse_key(record);
    return key.class_name == "TFile" && key.offset == offset && key.record_size == size;
  } catch (const FormatError&) {
    return false;
  }
}

const SealedRecord& FileSeal::at(std::uint64_t offset) const {
  const auto found = std::lower_bound(
      records_.begin(), records_.end(), offset,
      [](const SealedRecord& record, std::uint64_t wanted) { return record.offset < wanted; });
  if (found == records_.end() || found->offset != offset)
    throw FormatError("the list of checksums knows no record at byte " + std::to_string(offset));
  return *found;
}

const SealedRecord& FileSeal::at(std::uint64_t offset, std::uint64_t size) const {
  const SealedRecord& record = at(offset);
  if (record.size != size)
    throw FormatError("the record at byte " + std::to_string(offset) +
                      " has not the size it was written with");
  return record;
}

void FileSeal::check(std::uint64_t offset, std::span<const std::byte> record) const {
  check_sealed(at(offset, record.size()), record);
}

void check_sealed(const SealedRecord& known, std::span<const std::byte> record) {
  if (!known.fits(record))
    throw FormatError("checksum of the " + std::string(known.offset == 0 ? "header" : "record") +
                      " at byte " + std::to_string(known.offset) + " is wrong");
}

SealedRecord sealed_record(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces,
                           std::uint64_t size_behind) {
  XXH3_state_t* const state = fresh_state();
  std::uint64_t size = 0;
  for (const std::span<const std::byte> piece : pieces) {
    XXH3_64bits_update(state, piece.data(), piece.size());
    size += piece.size();
  }
  return {.offset = offset,
          .size = static_cast<std::uint32_t>(size),
          .size_behind = static_cast<std::uint32_t>(size_behind),
          .hash = XXH3_64bits_digest(state)};
}

std::uint64_t SealWriter::payload_size(std::size_t num_records) {
  return kFront + num_records * kSealedRecordSize + kChecksum;
}

std::vector<std::byte> SealWriter::payload(std::uint64_t file_size) {
  std::sort(records_.begin(), records_.end(),
            [](const SealedRecord& left, const SealedRecord& right) { return left.offset < right.offset; });
  ByteWriter out;
  out.raw(std::as_bytes(std::span(kMagic)));
  out.little<std::uint32_t>(kSealVersion);
  out.little<std::uint32_t>(static_cast<std::uint32_t>(records_.size()));
  out.little<std::uint64_t>(file_size);
  for (const SealedRecord& record : records_) {
    out.little<std::uint64_t>(record.offset);
    out.little<std::uint32_t>(record.size);
    out.little<std::uint32_t>(record.size_behind);
    out.little<std::uint64_t>(record.hash);
  }
  out.little<std::uint64_t>(xxh3_64(out.bytes()));
  return std::move(out).take();
}

}  // namespace skimline::io
