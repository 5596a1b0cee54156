// SPDX-License-Identifier: BSD-3-Clause
#include "wrapped_ntuple.h"

#include "bytes_builder.h"

#include <xxhash.h>

namespace skimline::testing {
namespace {

constexpr std::uint64_t kPagesOffset = kPageListOffset + kPageListSize;
constexpr std::uint64_t kPagesSize = 4096;
// Where the records of the container are.
constexpr std::uint32_t kDirectory = 100, kKeyList = 160, kAnchor = 256;
constexpr std::uint16_t kListKeySize = 29, kAnchorKeySize = 43;
constexpr std::uint32_t kAnchorSize = 78;

struct Key {
  std::uint32_t stored_size;
  std::uint16_t key_size;
  std::uint32_t offset;
  std::string_view class_name, name;
};

struct Place {
  std::uint64_t offset, size;
};

std::uint64_t hash_of(ByteSpan bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void put_checksum(Bytes& bytes, std::size_t offset, std::uint64_t checksum) {
  if (offset + sizeof checksum <= bytes.size())
    std::memcpy(bytes.data() + offset, &checksum, sizeof checksum);
}

// Returns preamble, payload and checksum.
Bytes make_envelope(std::uint16_t type, ByteSpan payload) {
  const std::uint64_t size = payload.size() + 16;
  BytesBuilder envelope;
  envelope.little(type | size << 16).raw(payload);
  return envelope.little(hash_of(envelope.bytes())).bytes();
}

Bytes make_key(const Key& key) {
  BytesBuilder bytes;
  bytes.big(key.stored_size + key.key_size).big(std::uint16_t{4}).big(key.stored_size);
  bytes.big(std::uint32_t{0}).big(key.key_size).big(std::uint16_t{1}).big(key.offset).big(std::uint32_t{0});
  return bytes.root_string(key.class_name).root_string(key.name).root_string("").bytes();
}

// Returns an anchor that leads to uncompressed envelopes.
Bytes make_anchor(const Place& header, const Place& footer) {
  BytesBuilder content;
  for (const int part : {1, 0, 2, 0}) content.big(static_cast<std::uint16_t>(part));
  for (const Place& place : {header, footer}) content.big(place.offset).big(place.size).big(place.size);
  content.big(std::uint64_t{1} << 30);
  BytesBuilder anchor;
  anchor.big(std::uint32_t{0x40000042}).big(std::uint16_t{2}).raw(content.bytes());
  return anchor.big(hash_of(content.bytes())).bytes();
}

// Returns the records before the page list: file header, directory, its key list, the anchor.
Bytes make_container(std::uint64_t end, ByteSpan anchor) {
  constexpr std::uint32_t kListSize = kAnchor - kKeyList;
  BytesBuilder file;
  file.text("root").big(std::uint32_t{64000}).big(kDirectory).big(static_cast<std::uint32_t>(end));
  file.pad_to(kDirectory).big(std::uint16_t{5}).big(std::uint64_t{0}).big(kListSize);
  file.big(std::uint32_t{0}).big(std::uint64_t{0}).big(kKeyList).pad_to(kKeyList);
  file.raw(make_key({kListSize - kListKeySize, kListKeySize, kKeyList, "", ""})).big(std::uint32_t{1});
  file.raw(make_key({kAnchorSize, kAnchorKeySize, kAnchor, "ROOT::RNTuple", "E"}));
  return file.pad_to(kAnchor + kAnchorKeySize).raw(anchor).pad_to(kPageListOffset).bytes();
}

}  // namespace

Bytes wrap(const NTuplePayloads& payloads) {
  const Bytes header = make_envelope(1, payloads.header);
  std::uint64_t header_checksum = 0;
  std::memcpy(&header_checksum, header.data() + header.size() - 8, sizeof header_checksum);

  Bytes page_list(payloads.page_list.begin(), payloads.page_list.end());
  page_list.resize(kPageListSize - 16);
  put_checksum(page_list, 0, header_checksum);
  Bytes footer(payloads.footer.begin(), payloads.footer.end());
  put_checksum(footer, 8, header_checksum);
  footer = make_envelope(2, footer);

  const Place header_place{kPagesOffset + kPagesSize, header.size()};
  const Place footer_place{header_place.offset + header.size(), footer.size()};
  const Bytes anchor = make_anchor(header_place, footer_place);
  BytesBuilder file;
  file.raw(make_container(footer_place.offset + footer.size(), anchor)).raw(make_envelope(3, page_list));
  return file.pad_to(header_place.offset).raw(header).raw(footer).bytes();
}

}  // namespace skimline::testing
