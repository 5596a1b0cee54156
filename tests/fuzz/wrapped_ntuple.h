// SPDX-License-Identifier: BSD-3-Clause
// Builds RNTuple metadata and the file around them, independently of the writer, so that whatever bytes are
// inside are reached: lengths, checksums and the links between them are right.
#pragma once

#include "fuzz_target.h"

#include <algorithm>
#include <string_view>

#include <xxhash.h>

namespace skimline::testing {

/// The payloads of the three kinds of envelopes.
struct NTuplePayloads {
  ByteSpan header, footer, page_list;
};

/// Where wrap() places the envelope of the page list, which a footer has to name. Its payload is cut or
/// padded with zeros to this size; then come bytes that pages may lie in.
inline constexpr std::uint64_t kPageListOffset = 512;
inline constexpr std::uint64_t kPageListSize = 16384;
inline constexpr std::uint64_t kPagesOffset = kPageListOffset + kPageListSize;
inline constexpr std::uint64_t kPagesSize = 4096;

/// Appends numbers and strings.
class BytesBuilder {
 public:
  template <typename T>
  BytesBuilder& little(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    return *this;
  }
  template <typename T>
  BytesBuilder& big(T value) {
    for (std::size_t i = sizeof(T); i-- > 0;)
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    return *this;
  }
  BytesBuilder& raw(ByteSpan bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  BytesBuilder& text(std::string_view text) { return raw(std::as_bytes(std::span(text))); }
  BytesBuilder& root_string(std::string_view string) {
    return big(static_cast<std::uint8_t>(string.size())).text(string);
  }
  BytesBuilder& envelope_string(std::string_view string) {
    return little(static_cast<std::uint32_t>(string.size())).text(string);
  }
  BytesBuilder& record_frame(const Bytes& content) {
    return little(static_cast<std::int64_t>(content.size() + 8)).raw(content);
  }
  BytesBuilder& list_frame(std::uint32_t num_items, const Bytes& content) {
    return little(-static_cast<std::int64_t>(content.size() + 12)).little(num_items).raw(content);
  }
  BytesBuilder& pad_to(std::uint64_t size) {
    bytes_.resize(std::max<std::size_t>(bytes_.size(), size));
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

inline void put_checksum(Bytes& bytes, std::size_t offset, std::uint64_t checksum) {
  if (offset + sizeof checksum <= bytes.size())
    std::memcpy(bytes.data() + offset, &checksum, sizeof checksum);
}

inline std::uint64_t hash_of(const Bytes& bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// Returns preamble, payload and checksum.
inline Bytes make_envelope(std::uint16_t type, ByteSpan payload) {
  const std::uint64_t size = payload.size() + 16;
  Bytes bytes = BytesBuilder().little(type | size << 16).raw(payload).bytes();
  return BytesBuilder().raw(bytes).little(hash_of(bytes)).bytes();
}

inline Bytes make_key(std::uint32_t record_size, std::uint32_t object_size, std::uint16_t key_size,
                      std::uint32_t offset, std::string_view class_name, std::string_view name) {
  return BytesBuilder()
      .big(record_size)
      .big(std::uint16_t{4})
      .big(object_size)
      .big(std::uint32_t{0})
      .big(key_size)
      .big(std::uint16_t{1})
      .big(offset)
      .big(std::uint32_t{0})
      .root_string(class_name)
      .root_string(name)
      .root_string("")
      .bytes();
}

/// Returns the 78 bytes of an anchor that leads to uncompressed envelopes.
inline Bytes make_anchor(std::uint64_t header, std::uint64_t header_size, std::uint64_t footer,
                         std::uint64_t footer_size) {
  BytesBuilder content;
  for (const int part : {1, 0, 2, 0}) content.big(static_cast<std::uint16_t>(part));
  content.big(header).big(header_size).big(header_size).big(footer).big(footer_size).big(footer_size);
  content.big(std::uint64_t{1} << 30);
  return BytesBuilder()
      .big(std::uint32_t{0x40000042})
      .big(std::uint16_t{2})
      .raw(content.bytes())
      .big(hash_of(content.bytes()))
      .bytes();
}

/// Returns a ROOT file with one RNTuple of these payloads. Footer and page list get the header's checksum.
inline Bytes wrap(const NTuplePayloads& payloads) {
  constexpr std::uint32_t kDirectory = 100, kKeyList = 160, kAnchor = 256;
  constexpr std::uint16_t kListKeySize = 29, kAnchorKeySize = 43;
  const Bytes header = make_envelope(1, payloads.header);
  std::uint64_t header_checksum = 0;
  std::memcpy(&header_checksum, header.data() + header.size() - 8, 8);

  Bytes page_list(payloads.page_list.begin(), payloads.page_list.end());
  page_list.resize(kPageListSize - 16);
  put_checksum(page_list, 0, header_checksum);
  Bytes footer(payloads.footer.begin(), payloads.footer.end());
  put_checksum(footer, 8, header_checksum);
  footer = make_envelope(2, footer);

  const std::uint64_t header_offset = kPagesOffset + kPagesSize;
  const std::uint64_t footer_offset = header_offset + header.size();
  BytesBuilder file;
  file.text("root").big(std::uint32_t{64000}).big(kDirectory);
  file.big(static_cast<std::uint32_t>(footer_offset + footer.size())).pad_to(kDirectory);
  file.big(std::uint16_t{5}).big(std::uint64_t{0}).big(std::uint32_t{kAnchor - kKeyList});
  file.big(std::uint32_t{0}).big(std::uint64_t{0}).big(kKeyList).pad_to(kKeyList);
  file.raw(make_key(kAnchor - kKeyList, kAnchor - kKeyList - kListKeySize, kListKeySize, kKeyList, "", ""));
  file.big(std::uint32_t{1});
  file.raw(make_key(kAnchorKeySize + 78, 78, kAnchorKeySize, kAnchor, "ROOT::RNTuple", "E"));
  file.pad_to(kAnchor + kAnchorKeySize);
  file.raw(make_anchor(header_offset, header.size(), footer_offset, footer.size()));
  file.pad_to(kPageListOffset).raw(make_envelope(3, page_list)).pad_to(header_offset);
  return file.raw(header).raw(footer).bytes();
}

}  // namespace skimline::testing
