// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/page_sealer.h"

#include <cstring>
#include <vector>

namespace skimline::io {
namespace {

void copy_part(const OutputColumn& column, const PagePart& part, std::byte* to) {
  const std::byte* from = part.page->elements() + part.begin * column.element_size;
  std::memcpy(to, from, part.count * column.element_size);
  if (part.shift == 0) return;
  for (std::uint64_t i = 0; i < part.count; ++i) {
    std::uint64_t end;
    std::memcpy(&end, to + i * sizeof end, sizeof end);
    end += part.shift;
    std::memcpy(to + i * sizeof end, &end, sizeof end);
  }
}

// The elements one after the other, in `scratch` unless they are so already.
const std::byte* elements_of(const OutputColumn& column, const RawPage& page,
                             std::vector<std::byte>& scratch) {
  if (page.parts.size() == 1 && !page.parts.front().page) return page.copied.get();
  scratch.resize(page.num_elements * column.element_size);
  std::byte* to = scratch.data();
  const std::byte* copied = page.copied.get();
  for (const PagePart& part : page.parts) {
    const std::size_t size = part.count * column.element_size;
    if (part.page) {
      copy_part(column, part, to);
    } else {
      std::memcpy(to, copied, size);
      copied += size;
    }
    to += size;
  }
  return scratch.data();
}

}  // namespace

SealedPage seal_page(const OutputColumn& column, const RawPage& page, CompressionSetting compression,
                     BufferPool& pool) {
  const auto num_elements = static_cast<std::uint32_t>(page.num_elements);
  if (const SourcePage* source = page.source()) {
    return {num_elements, SealedBytes(source->stored(), pool)};
  }
  thread_local std::vector<std::byte> assembled, encoded;
  const std::byte* elements = elements_of(column, page, assembled);
  encoded.resize(encoded_size(column.encoding, page.num_elements));
  encode_raw_page(column.encoding, elements, page.num_elements, encoded.data());
  return {num_elements, seal_encoded(encoded, compression, pool)};
}

}  // namespace skimline::io
