// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_layout.h"

#include "rntuple/stored_page.h"
#include "root/record_placement.h"
#include "storage/byte_ranges.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::uint64_t kLargestBlob = 1 << 30;
constexpr std::uint64_t kZeroPageBytes = 1024 * 1024;

std::uint64_t end_of(const PageInfo& page) { return page.locator.offset + stored_size(page); }

// Lays pages out, column after column.
class LayoutBuilder {
 public:
  explicit LayoutBuilder(std::uint64_t num_entries, const std::vector<ClusterColumn>& columns) {
    layout_.num_entries = num_entries;
    for (const ClusterColumn& column : columns) {
      layout_.columns.emplace_back().is_suppressed = !column.is_active;
      layout_.num_elements.push_back(column.is_active ? column.num_elements : 0);
    }
  }

  void set_compression(std::size_t column, std::uint32_t compression) {
    layout_.columns[column].compression = compression;
  }

  /// The page gets its place by finish().
  void carry(std::size_t column, const PageInfo& page) {
    layout_.pages.push_back({page, static_cast<std::uint32_t>(column)});
    carried_.push_back({column, layout_.columns[column].pages.size()});
    layout_.columns[column].pages.push_back(page);
  }

  void make(std::size_t column, const SealedPage& page) {
    const std::size_t number = number_of(page.stored);
    made_.push_back({column, layout_.columns[column].pages.size(), number});
    layout_.columns[column].pages.push_back(
        {page.num_elements, true, {0, page.stored.size() - sizeof(std::uint64_t)}});
  }

  ClusterLayout finish(Packing packing) {
    std::sort(layout_.pages.begin(), layout_.pages.end(), [](const CarriedPage& a, const CarriedPage& b) {
      return std::tuple(a.page.locator.offset, stored_size(a.page)) <
             std::tuple(b.page.locator.offset, stored_size(b.page));
    });
    find_extents();
    if (packing == Packing::kShared) keep_region();
    if (!layout_.region) place_extents();
    for (const auto& [column, page] : carried_) {
      Locator& locator = layout_.columns[column].pages[page].locator;
      locator.offset = place_of(locator.offset);
    }
    for (MadePage& page : layout_.made) page.place = add_to_blob(page.bytes.size());
    for (const auto& [column, page, number] : made_)
      layout_.columns[column].pages[page].locator.offset = layout_.made[number].place;
    return std::move(layout_);
  }

 private:
  struct Carried {
    std::size_t column, page;
  };
  struct Made {
    std::size_t column, page, number;
  };

  std::size_t number_of(const SealedBytes& bytes) {
    const auto [first, last] = numbers_.equal_range(bytes.checksum());
    for (auto candidate = first; candidate != last; ++candidate)
      if (layout_.made[candidate->second].bytes == bytes) return candidate->second;
    numbers_.emplace(bytes.checksum(), layout_.made.size());
    layout_.made.push_back({bytes, 0});
    return layout_.made.size() - 1;
  }

  // Pages that touch each other are one extent, as far as one read goes.
  void find_extents() {
    for (const CarriedPage& carried : layout_.pages) {
      const std::uint64_t begin = carried.page.locator.offset;
      const std::uint64_t end = end_of(carried.page);
      SourceExtent* last = layout_.extents.empty() ? nullptr : &layout_.extents.back();
      const std::uint64_t last_end = last ? last->begin + last->size : 0;
      const bool continues =
          last && (begin < last_end || (begin == last_end && end - last->begin <= kMaxRead));
      if (continues)
        last->size = std::max(last_end, end) - last->begin;
      else
        layout_.extents.push_back({begin, end - begin, 0});
    }
  }

  void keep_region() {
    if (layout_.extents.empty()) return;
    constexpr std::uint64_t kLeastUse = 8;  // at most one byte of so many may be of no use
    const std::uint64_t begin = layout_.extents.front().begin;
    const std::uint64_t size = layout_.extents.back().begin + layout_.extents.back().size - begin;
    std::uint64_t used = 0;
    for (const SourceExtent& extent : layout_.extents) used += extent.size;
    if (size > kLargestBlob || size - used > size / kLeastUse) return;
    layout_.region = SourceExtent{begin, size, 0};
    layout_.into_block = begin % kBlockSize;
    for (SourceExtent& extent : layout_.extents) extent.place = extent.begin - begin;
    layout_.blob_sizes.push_back(size);
    end_ = size;
  }

  void place_extents() {
    for (SourceExtent& extent : layout_.extents) extent.place = add_to_blob(extent.size);
  }

  std::uint64_t add_to_blob(std::uint64_t size) {
    if (size > kLargestBlob) throw FormatError("a page of " + std::to_string(size) + " bytes");
    if (layout_.blob_sizes.empty() || layout_.blob_sizes.back() + size > kLargestBlob)
      layout_.blob_sizes.push_back(0);
    layout_.blob_sizes.back() += size;
    return std::exchange(end_, end_ + size);
  }

  std::uint64_t place_of(std::uint64_t offset) const {
    const auto behind = std::upper_bound(
        layout_.extents.begin(), layout_.extents.end(), offset,
        [](std::uint64_t value, const SourceExtent& extent) { return value < extent.begin; });
    const SourceExtent& extent = *std::prev(behind);
    return extent.place + (offset - extent.begin);
  }

  ClusterLayout layout_;
  std::vector<Carried> carried_;
  std::vector<Made> made_;
  std::unordered_multimap<std::uint64_t, std::size_t> numbers_;  // of made pages, by checksum
  std::uint64_t end_ = 0;
};

}  // namespace

std::vector<SealedPage> ZeroPages::make(std::size_t column, std::uint64_t num_elements) const {
  const std::uint64_t full = std::max<std::uint64_t>(1, kZeroPageBytes / schema_.element_size(column));
  std::vector<SealedPage> pages;
  if (num_elements >= full) pages.assign(num_elements / full, page(column, full));
  if (num_elements % full > 0) pages.push_back(page(column, num_elements % full));
  return pages;
}

SealedPage ZeroPages::page(std::size_t column, std::uint64_t num_elements) const {
  const std::vector<std::byte> zeros(encoded_size(schema_.encoding(column), num_elements));
  return {static_cast<std::uint32_t>(num_elements), seal_encoded(zeros, compression_, pool_)};
}

ClusterLayout layout_of(const SourceCluster& source, const std::vector<ClusterColumn>& columns,
                        const ZeroPages& zeros, Packing packing) {
  LayoutBuilder builder(source.cluster.num_entries, columns);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const ClusterColumn& here = columns[column];
    if (!here.is_active) continue;
    builder.set_compression(column, here.stored ? here.stored->compression : zeros.compression());
    for (const SealedPage& page : zeros.make(column, here.num_zeros)) builder.make(column, page);
    if (here.stored)
      for (const PageInfo& page : here.stored->pages) builder.carry(column, page);
  }
  return builder.finish(packing);
}

ClusterLayout layout_of(std::uint64_t num_entries, const std::vector<ClusterColumn>& columns,
                        std::vector<std::vector<SealedPage>> pages,
                        const std::vector<std::uint32_t>& compressions) {
  LayoutBuilder builder(num_entries, columns);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    builder.set_compression(column, compressions[column]);
    for (const SealedPage& page : pages[column]) builder.make(column, page);
  }
  return builder.finish(Packing::kDense);
}

}  // namespace skimline::io
