// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/envelope.h"

#include "storage/byte_reader.h"
#include "storage/xxh3.h"

#include "skimline/io/compression.h"

#include <utility>

namespace skimline::io {
namespace {

constexpr std::uint64_t kPreamble = 8;
constexpr std::uint64_t kChecksum = 8;

std::vector<std::byte> decompressed(std::vector<std::byte> stored, const EnvelopeLink& link) {
  if (link.raw_size == link.locator.size) return stored;
  std::vector<std::byte> raw(static_cast<std::size_t>(link.raw_size));
  decompress_block(stored, raw);
  return raw;
}

// Returns the magnitude of a size that is negative.
std::uint64_t negated(std::int64_t size) { return std::uint64_t{0} - static_cast<std::uint64_t>(size); }

}  // namespace

ByteReader Envelope::payload() const {
  const std::span<const std::byte> all(bytes);
  return ByteReader(all.subspan(kPreamble, all.size() - kPreamble - kChecksum));
}

std::vector<std::byte> read_stored_envelope(const InputFile& file, const EnvelopeLink& link) {
  check_inside(file, link.locator, 0);
  if (link.raw_size / kMaxExpansion > link.locator.size) throw FormatError("impossible size");
  std::vector<std::byte> stored(static_cast<std::size_t>(link.locator.size));
  file.read(link.locator.offset, stored);
  return stored;
}

Envelope opened_envelope(std::vector<std::byte> stored, const EnvelopeLink& link, EnvelopeType type) {
  Envelope envelope{decompressed(std::move(stored), link), 0};
  const std::span<const std::byte> bytes(envelope.bytes);
  if (bytes.size() < kPreamble + kChecksum) throw FormatError("envelope is too short");
  const auto preamble = ByteReader(bytes).little<std::uint64_t>();
  envelope.checksum = ByteReader(bytes.last(kChecksum)).little<std::uint64_t>();
  if (envelope.checksum != xxh3_64(bytes.first(bytes.size() - kChecksum)))
    throw FormatError("checksum of the envelope at byte " + decimal(link.locator.offset) + " is wrong");
  if ((preamble & 0xFFFF) != static_cast<std::uint64_t>(type))
    throw FormatError("envelope is of type " + decimal(preamble & 0xFFFF));
  if (preamble >> 16 != bytes.size()) throw FormatError("envelope has not the length it states");
  return envelope;
}

Envelope read_envelope(const InputFile& file, const EnvelopeLink& link, EnvelopeType type) {
  return opened_envelope(read_stored_envelope(file, link), link, type);
}

ByteReader read_record_frame(ByteReader& reader) {
  const auto size = reader.little<std::int64_t>();
  if (size < 8) throw FormatError("a record frame is expected");
  return ByteReader(reader.take(static_cast<std::uint64_t>(size) - 8));
}

Frame read_list_frame(ByteReader& reader) {
  const auto size = reader.little<std::int64_t>();
  if (size >= 0 || negated(size) < 12) throw FormatError("a list frame is expected");
  const auto num_items = reader.little<std::uint32_t>();
  return {ByteReader(reader.take(negated(size) - 12)), num_items};
}

Locator read_locator(ByteReader& reader) {
  const auto head = reader.little<std::int32_t>();
  if (head >= 0) return {reader.little<std::uint64_t>(), static_cast<std::uint64_t>(head)};
  const std::uint64_t magnitude = negated(head);
  const std::uint64_t length = magnitude & 0xFFFF;
  const std::uint64_t type = magnitude >> 24;
  if (length < 4) throw FormatError("impossible locator");
  ByteReader content(reader.take(length - 4));
  if (type != 1)
    throw FormatError("data stored outside the file (locator type " + decimal(type) + ") cannot be read");
  const auto size = content.little<std::uint64_t>();
  return {content.little<std::uint64_t>(), size};
}

void check_feature_flags(ByteReader& reader) {
  for (std::uint64_t word = 0;; ++word) {
    const auto flags = reader.little<std::uint64_t>();
    for (std::uint64_t bit = 0; bit < 63; ++bit)
      if (flags >> bit & 1)
        throw FormatError("needs format feature " + decimal(63 * word + bit) +
                          ", which this version cannot read");
    if (flags >> 63 == 0) return;
  }
}

void check_inside(const InputFile& file, const Locator& locator, std::uint64_t extra) {
  if (locator.offset > file.size() || locator.size > file.size() - locator.offset ||
      extra > file.size() - locator.offset - locator.size)
    throw FormatError(decimal(locator.size) + " bytes at byte " + decimal(locator.offset) +
                      " lie outside the file");
}

}  // namespace skimline::io
