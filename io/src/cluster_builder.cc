// SPDX-License-Identifier: BSD-3-Clause
#include "cluster_builder.h"

#include <algorithm>
#include <cstring>

namespace skimline::io {
namespace {

// Pages begin small and double, so that columns with little data take little memory.
constexpr std::size_t kFirstPageBytes = 16 * 1024;

std::uint64_t end_before(const ColumnChunk& chunk, std::size_t entry) {
  return entry == 0 ? 0 : chunk.ends[entry - 1];
}

}  // namespace

ClusterBuilder::ClusterBuilder(const Schema& schema, std::vector<PhysicalColumn> columns,
                               std::uint64_t cluster_bytes, std::uint64_t page_bytes, BufferPool& pool)
    : columns_(std::move(columns)),
      open_pages_(columns_.size()),
      cluster_bytes_(cluster_bytes),
      page_bytes_(page_bytes),
      pool_(pool) {
  for (const ColumnInfo& column : schema.columns()) types_.push_back(column.type);
}

// Size in memory of the entries [first, last): values and the ends of lists.
std::uint64_t ClusterBuilder::bytes_of(const std::vector<ColumnChunk>& chunks, std::size_t first,
                                       std::size_t last) const {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const std::uint64_t size = size_of(types_[i].scalar);
    if (!types_[i].is_jagged()) {
      bytes += size * (last - first);
    } else {
      bytes += size * (end_before(chunks[i], last) - end_before(chunks[i], first));
      bytes += sizeof(std::uint64_t) * (last - first);
    }
  }
  return bytes;
}

ClusterBuilder::Room ClusterBuilder::room_for(const std::vector<ColumnChunk>& chunks, std::size_t first,
                                              std::size_t num_entries) const {
  const auto is_full_after = [&](std::size_t last) {
    return bytes_ + bytes_of(chunks, first, last) >= cluster_bytes_;
  };
  if (!is_full_after(num_entries)) return {num_entries - first, false};
  std::size_t low = first, high = num_entries;  // full after high, not after low
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (is_full_after(middle) ? high : low) = middle;
  }
  return {high - first, true};
}

void ClusterBuilder::append(const std::vector<ColumnChunk>& chunks, std::size_t first, std::size_t last,
                            std::vector<RawPage>& pages) {
  bytes_ += bytes_of(chunks, first, last);
  num_entries_ += last - first;
  std::size_t column = 0;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const ColumnChunk& chunk = chunks[i];
    std::uint64_t begin = first, end = last;
    if (types_[i].is_jagged()) {
      append_ends(column, chunk, first, last, pages);
      ++column;
      begin = end_before(chunk, first);
      end = end_before(chunk, last);
    }
    append_values(column, chunk.values.data() + begin * columns_[column].element_size, end - begin, pages);
    ++column;
  }
}

ClusterEnd ClusterBuilder::finish(std::vector<RawPage>& pages) {
  ClusterEnd end;
  end.num_entries = num_entries_;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    if (open_pages_[column].num_elements > 0) cut(column, pages);
    end.num_elements.push_back(open_pages_[column].elements_in_cluster);
    open_pages_[column].elements_in_cluster = 0;
  }
  num_entries_ = bytes_ = 0;
  return end;
}

// Returns where the next elements go, and lowers `num_elements` to how many the page takes.
std::byte* ClusterBuilder::room_in_page(std::size_t column, std::size_t& num_elements) {
  OpenPage& page = open_pages_[column];
  const std::size_t element_size = columns_[column].element_size;
  const std::size_t full = std::max<std::size_t>(1, page_bytes_ / element_size);
  num_elements = std::min(num_elements, full - page.num_elements);
  if (page.num_elements + num_elements > page.capacity) grow(column, page.num_elements + num_elements);
  return page.elements.get() + page.num_elements * element_size;
}

void ClusterBuilder::grow(std::size_t column, std::size_t num_elements) {
  OpenPage& page = open_pages_[column];
  const std::size_t element_size = columns_[column].element_size;
  const std::size_t full = std::max<std::size_t>(1, page_bytes_ / element_size);
  const std::size_t wanted = std::max({num_elements, 2 * page.capacity, kFirstPageBytes / element_size});
  const std::size_t capacity = std::min(full, wanted);
  BufferPool::Buffer larger = pool_.take(capacity * element_size);
  if (page.num_elements > 0) std::memcpy(larger.get(), page.elements.get(), page.num_elements * element_size);
  page.elements = std::move(larger);
  page.capacity = capacity;
}

void ClusterBuilder::append_values(std::size_t column, const std::byte* values, std::size_t count,
                                   std::vector<RawPage>& pages) {
  const std::size_t element_size = columns_[column].element_size;
  while (count > 0) {
    std::size_t taken = count;
    std::byte* elements = room_in_page(column, taken);
    std::memcpy(elements, values, taken * element_size);
    open_pages_[column].num_elements += taken;
    open_pages_[column].elements_in_cluster += taken;
    values += taken * element_size;
    count -= taken;
    cut_if_full(column, pages);
  }
}

// Ends count from the start of the cluster.
void ClusterBuilder::append_ends(std::size_t column, const ColumnChunk& chunk, std::size_t first,
                                 std::size_t last, std::vector<RawPage>& pages) {
  const std::uint64_t shift = open_pages_[column + 1].elements_in_cluster - end_before(chunk, first);
  while (first < last) {
    std::size_t taken = last - first;
    std::byte* elements = room_in_page(column, taken);
    for (std::size_t i = 0; i < taken; ++i) {
      const std::uint64_t end = chunk.ends[first + i] + shift;
      std::memcpy(elements + i * sizeof end, &end, sizeof end);
    }
    open_pages_[column].num_elements += taken;
    open_pages_[column].elements_in_cluster += taken;
    first += taken;
    cut_if_full(column, pages);
  }
}

void ClusterBuilder::cut_if_full(std::size_t column, std::vector<RawPage>& pages) {
  const std::size_t full = std::max<std::size_t>(1, page_bytes_ / columns_[column].element_size);
  if (open_pages_[column].num_elements == full) cut(column, pages);
}

void ClusterBuilder::cut(std::size_t column, std::vector<RawPage>& pages) {
  OpenPage& page = open_pages_[column];
  pages.push_back({column, page.num_elements, std::move(page.elements)});
  page.elements = {};
  page.capacity = page.num_elements = 0;
}

}  // namespace skimline::io
