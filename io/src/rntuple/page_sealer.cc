// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/page_sealer.h"

#include "storage/xxh3.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace skimline::io {
namespace {

// Ends count from the start of the cluster.
void add_to_ends(std::uint64_t shift, std::uint64_t count, std::byte* ends) {
  for (std::uint64_t i = 0; i < count && shift != 0; ++i) {
    std::uint64_t end;
    std::memcpy(&end, ends + i * sizeof end, sizeof end);
    end += shift;
    std::memcpy(ends + i * sizeof end, &end, sizeof end);
  }
}

// Where the elements of a part begin, of which `copied` are the next that were copied.
const std::byte* begin_of(const OutputColumn& column, const PagePart& part, const std::byte* copied) {
  if (part.page) return part.page->elements() + part.begin * column.element_size;
  return part.gathered ? part.gathered.get() : copied;
}

// The elements of a page that lie together as they are to be; nullptr if they do not.
const std::byte* in_place(const RawPage& page) {
  if (page.parts.size() != 1 || page.parts.front().page) return nullptr;
  const PagePart& part = page.parts.front();
  if (!part.gathered) return page.copied.get();
  return part.shift == 0 ? part.gathered.get() : nullptr;
}

// The elements one after the other, in `scratch` unless they are so already.
const std::byte* elements_of(const OutputColumn& column, const RawPage& page,
                             std::vector<std::byte>& scratch) {
  if (const std::byte* elements = in_place(page)) return elements;
  const std::size_t size = page.num_elements * column.element_size;
  if (scratch.size() < size) scratch.resize(size);
  copy_elements(column, page, page.num_elements, scratch.data());
  return scratch.data();
}

}  // namespace

void copy_elements(const OutputColumn& column, const RawPage& page, std::uint64_t count, std::byte* to) {
  const std::byte* copied = page.copied.get();
  for (const PagePart& part : page.parts) {
    const std::uint64_t taken = std::min(part.count, count);
    const std::size_t size = taken * column.element_size;
    std::memcpy(to, begin_of(column, part, copied), size);
    add_to_ends(part.shift, taken, to);
    if (part.is_copied()) copied += size;
    to += size;
    count -= taken;
    if (count == 0) return;
  }
}

std::uint64_t hash_of_sample(const OutputColumn& column, const RawPage& page) {
  constexpr std::uint64_t kSampled = 32;
  const std::size_t size = column.element_size;
  std::vector<std::byte> sample(kSampled * size);
  const std::byte* copied = page.copied.get();
  std::uint64_t number = 0, before = 0;
  for (const PagePart& part : page.parts) {
    const std::byte* from = begin_of(column, part, copied);
    for (; number < kSampled; ++number) {
      const std::uint64_t element = (page.num_elements - 1) * number / (kSampled - 1);
      if (element >= before + part.count) break;
      std::memcpy(&sample[number * size], from + (element - before) * size, size);
      add_to_ends(part.shift, 1, &sample[number * size]);
    }
    if (part.is_copied()) copied += part.count * size;
    before += part.count;
  }
  return xxh3_64(sample, page.num_elements);
}

std::optional<std::uint64_t> hash_of_parts(const RawPage& page) {
  std::vector<std::uint64_t> facts;
  for (const PagePart& part : page.parts) {
    if (!part.gathered) return std::nullopt;
    facts.insert(facts.end(),
                 {reinterpret_cast<std::uintptr_t>(part.gathered.get()), part.count, part.shift});
  }
  return xxh3_64(std::as_bytes(std::span(facts)));
}

bool have_same_parts(const RawPage& a, const RawPage& b) {
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const PagePart& first, const PagePart& second) {
                      return first.gathered && first.gathered == second.gathered &&
                             first.count == second.count && first.shift == second.shift;
                    });
}

bool stays_stored(const RawPage& page, CompressionSetting compression) {
  const SourcePage* source = page.source();
  return source && source->compression() == static_cast<std::uint32_t>(compression.root_number());
}

const std::byte* assemble(const OutputColumn& column, RawPage& page, BufferPool& pool) {
  if (const std::byte* elements = in_place(page)) return elements;
  BufferPool::Buffer all = pool.take(page.num_elements * column.element_size);
  copy_elements(column, page, page.num_elements, all.get());
  page.copied = std::move(all);
  page.parts.assign(1, {page.num_elements, nullptr, nullptr, 0, 0});
  return page.copied.get();
}

SealedPage seal_page(const OutputColumn& column, const RawPage& page, CompressionSetting compression,
                     BufferPool& pool) {
  const auto num_elements = static_cast<std::uint32_t>(page.num_elements);
  if (stays_stored(page, compression)) return {num_elements, SealedBytes(page.source()->stored(), pool)};
  thread_local std::vector<std::byte> assembled, encoded;
  const std::byte* elements = elements_of(column, page, assembled);
  encoded.resize(encoded_size(column.encoding, page.num_elements));
  encode_raw_page(column.encoding, elements, page.num_elements, encoded.data());
  return {num_elements, seal_encoded(encoded, compression, pool)};
}

}  // namespace skimline::io
