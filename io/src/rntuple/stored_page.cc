// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/stored_page.h"

#include "storage/xxh3.h"

#include "skimline/io/compression.h"
#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <cstring>
#include <vector>

namespace skimline::io {

std::uint64_t stored_size(const PageInfo& page) {
  return page.locator.size + (page.has_checksum ? sizeof(std::uint64_t) : 0);
}

std::span<const std::byte> verified_block(const PageInfo& page, std::span<const std::byte> stored) {
  const std::span<const std::byte> block = stored.first(page.locator.size);
  if (!page.has_checksum) return block;
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, stored.data() + block.size(), sizeof checksum);
  if (checksum != xxh3_64(block)) throw FormatError("checksum is wrong");
  return block;
}

bool verify_block(std::span<const std::byte> stored, const ColumnDescriptor& column,
                  std::uint32_t num_elements) {
  const PageEncoding encoding{column.type, column.bits_on_storage, column.value_min, column.value_max};
  std::vector<std::byte> raw(encoded_size(encoding, num_elements));
  return decompress_block(stored, raw);
}

}  // namespace skimline::io
