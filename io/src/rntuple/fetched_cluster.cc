// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/fetched_cluster.h"

#include "rntuple/cluster_layout.h"
#include "rntuple/stored_page.h"

#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>
#include <span>

namespace skimline::io {
namespace {

// Of elements behind zeros those that are stored, counted without the zeros.
ElementRange stored_elements(ElementRange elements, std::uint64_t num_zeros) {
  return {std::max(elements.begin, num_zeros) - num_zeros, std::max(elements.end, num_zeros) - num_zeros};
}

}  // namespace

FileError cluster_error(const InputFile& file, const ClusterPlace& place, std::uint64_t num_entries,
                        const std::string& problem) {
  return {file.path(), "RNTuple \"" + place.ntuple + "\", cluster " + std::to_string(place.cluster) +
                           " (entries " + std::to_string(place.first_entry) + " to " +
                           std::to_string(place.first_entry + num_entries) + "): " + problem};
}

FetchedCluster::FetchedCluster(const MergeSchema& schema, const ClusterToJoin& part,
                               const std::vector<bool>& is_wanted, PageCounts& counts)
    : schema_(&schema), part_(&part), pages_(part.columns.size()) {
  std::vector<ClusterColumn> columns(part.columns.size());
  std::vector<ColumnRange> chosen(part.columns.size());
  std::vector<std::vector<std::uint64_t>> firsts(part.columns.size());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (!part.columns[column].is_active || !part.columns[column].stored || !is_wanted[column]) continue;
    firsts[column] = choose_pages(column, chosen[column]);
    columns[column].is_active = true;
    columns[column].stored = &chosen[column];
  }
  BufferPool pool(0);
  const ClusterLayout layout = layout_of(part.source, columns, ZeroPages(schema, {}, pool), Packing::kDense);
  std::uint64_t size = 0;
  for (const SourceExtent& extent : layout.extents) size += extent.size;
  bytes_.resize(size);
  for (const SourceExtent& extent : layout.extents)
    part.file.read(extent.begin, std::span(bytes_).subspan(extent.place, extent.size));
  part.file.release();
  counts.bytes_read += size;
  for (std::size_t column = 0; column < columns.size(); ++column)
    for (std::size_t page = 0; page < firsts[column].size(); ++page)
      pages_[column].push_back({layout.columns[column].pages[page], firsts[column][page]});
}

// Returns the numbers of their first elements.
std::vector<std::uint64_t> FetchedCluster::choose_pages(std::size_t column, ColumnRange& chosen) const {
  const ClusterColumn& here = part_->columns[column];
  const ElementRange wanted = stored_elements(part_->elements(column), here.num_zeros);
  std::vector<std::uint64_t> firsts;
  std::uint64_t first = 0;
  for (const PageInfo& page : here.stored->pages) {
    const std::uint64_t end = first + page.num_elements;
    if (end > wanted.begin && first < wanted.end) {
      chosen.pages.push_back(page);
      firsts.push_back(first);
    }
    first = end;
  }
  return firsts;
}

void FetchedCluster::append(std::size_t column, std::vector<std::byte>& elements, PageCounts& counts) const {
  const ElementRange all = part_->elements(column);
  const ElementRange wanted = stored_elements(all, part_->columns[column].num_zeros);
  elements.resize(elements.size() + (all.size() - wanted.size()) * schema_->element_size(column));
  for (const Page& page : pages_[column]) {
    if (page.first >= wanted.begin) ++(page.info.has_checksum ? counts.verified : counts.without_checksum);
    append_page(schema_->encoding(column), page, wanted, elements);
  }
}

void FetchedCluster::append_page(const PageEncoding& encoding, const Page& page, ElementRange wanted,
                                 std::vector<std::byte>& elements) const {
  const std::uint32_t count = page.info.num_elements;
  const std::span<const std::byte> block =
      verified_block(page.info, std::span(bytes_).subspan(page.info.locator.offset, stored_size(page.info)));
  const std::size_t size = encoded_size(encoding, count);
  std::vector<std::byte> decompressed(block.size() == size ? 0 : size);
  if (block.size() != size) decompress_block(block, decompressed);
  const std::size_t element_size = raw_element_size(encoding), before = elements.size();
  elements.resize(before + count * element_size);
  decode_raw_page(encoding, block.size() == size ? block : decompressed, count, elements.data() + before);
  const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(before);
  const auto place_of = [&](std::uint64_t element) {
    return begin + static_cast<std::ptrdiff_t>((element - page.first) * element_size);
  };
  elements.erase(place_of(std::min(page.first + count, wanted.end)), elements.end());
  if (wanted.begin > page.first) elements.erase(begin, place_of(wanted.begin));
}

}  // namespace skimline::io
