// SPDX-License-Identifier: BSD-3-Clause
// Makes the checksums of changed files right again, so that the checks behind them are reached.
#pragma once

#include "fuzz_target.h"

#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <xxhash.h>

namespace skimline::testing {

/// Sets the XXH64 of every lz4 chunk of a compressed block.
inline void mend_lz4(std::span<std::byte> block) {
  constexpr std::size_t kHeader = 9, kHash = 8;
  while (block.size() >= kHeader) {
    const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(block[i]); };
    const std::size_t size = std::min(byte(3) | byte(4) << 8 | byte(5) << 16, block.size() - kHeader);
    const std::span<std::byte> body = block.subspan(kHeader, size);
    if (byte(0) == 'L' && byte(1) == '4' && size >= kHash) {
      XXH64_canonical_t hash;
      XXH64_canonicalFromHash(&hash, XXH64(body.data() + kHash, size - kHash, 0));
      std::memcpy(body.data(), &hash, kHash);
    }
    block = block.subspan(kHeader + size);
  }
}

/// The bytes of a file whose RNTuples get right checksums. Follows what it can; the rest stays.
class ChecksumMender {
 public:
  explicit ChecksumMender(Bytes& file) : file_(file) {}

  /// Anchor, header, footer and page lists, as far as they are not compressed.
  void mend_metadata(const io::RootKey& anchor) {
    const std::uint64_t payload = anchor.offset + anchor.key_size;
    const std::uint64_t size = anchor.object_size;
    if (size < 78 || anchor.record_size - anchor.key_size < size || !is_inside(payload, size)) return;
    put_big(payload + size - 8, XXH3_64bits(file_.data() + payload + 6, size - 14));
    const Place header{big(payload + 14), big(payload + 22), big(payload + 30)};
    const Place footer{big(payload + 38), big(payload + 46), big(payload + 54)};
    if (!is_envelope(header) || !is_envelope(footer)) return;
    const std::uint64_t checksum = seal(header);
    for (const Place& page_list : page_lists(footer)) {
      put(page_list.offset + 8, checksum);
      seal(page_list);
    }
    put(footer.offset + 16, checksum);
    seal(footer);
  }

  /// All pages with checksums, each once, and the lz4 chunks in them.
  void mend_pages(const io::RNTupleDescriptor& descriptor) {
    std::map<std::uint64_t, std::uint64_t> pages;
    for (const io::ClusterDescriptor& cluster : descriptor.clusters)
      for (const io::ColumnRange& range : cluster.columns)
        for (const io::PageInfo& page : range.pages)
          if (page.has_checksum) pages[page.locator.offset] = page.locator.size;
    for (const auto& [offset, size] : pages) {
      if (!is_inside(offset, size + 8)) continue;
      mend_lz4(std::span(file_).subspan(offset, size));
      put(offset + size, XXH3_64bits(file_.data() + offset, size));
    }
  }

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t raw_size = 0;
  };

  bool is_inside(std::uint64_t offset, std::uint64_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }
  bool is_envelope(const Place& place) const {
    return place.size >= 24 && place.size == place.raw_size && is_inside(place.offset, place.size);
  }
  std::uint64_t little(std::uint64_t offset, std::size_t size = 8) const {
    std::uint64_t value = 0;
    if (is_inside(offset, size)) std::memcpy(&value, file_.data() + offset, size);
    return value;
  }
  std::uint64_t big(std::uint64_t offset) const { return __builtin_bswap64(little(offset)); }
  void put(std::uint64_t offset, std::uint64_t value) {
    if (is_inside(offset, sizeof value)) std::memcpy(file_.data() + offset, &value, sizeof value);
  }
  void put_big(std::uint64_t offset, std::uint64_t value) { put(offset, __builtin_bswap64(value)); }

  std::uint64_t seal(const Place& place) {
    const std::uint64_t checksum = XXH3_64bits(file_.data() + place.offset, place.size - 8);
    put(place.offset + place.size - 8, checksum);
    return checksum;
  }

  // The page lists of cluster groups that are where the frames of an undamaged footer say.
  std::vector<Place> page_lists(const Place& footer) const {
    constexpr std::size_t kMaxGroups = 64;
    const std::uint64_t extension = footer.offset + 24;
    const std::uint64_t groups = extension + little(extension);
    std::vector<Place> found;
    std::uint64_t group = groups + 12;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(little(groups + 8, 4), kMaxGroups); ++i) {
      const std::uint64_t locator = group + 8 + 8 + 8 + 4 + 8;
      const Place place{little(locator + 4), little(locator, 4), little(locator - 8)};
      if (is_envelope(place)) found.push_back(place);
      group += little(group);
    }
    return found;
  }

  Bytes& file_;
};

}  // namespace skimline::testing
