// SPDX-License-Identifier: BSD-3-Clause
#include "merging/cluster_transfer.h"

#include "rntuple/stored_page.h"
#include "root/record_placement.h"
#include "storage/byte_ranges.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"
#include "skimline/io/output_file.h"

#include <algorithm>

namespace skimline::io {
namespace {

std::uint64_t rounded_up(std::uint64_t offset) { return (offset + kBlockSize - 1) / kBlockSize * kBlockSize; }
std::uint64_t rounded_down(std::uint64_t offset) { return offset / kBlockSize * kBlockSize; }

// Bytes of a file, read.
const std::vector<std::byte>& read_into(std::vector<std::byte>& buffer, const InputFile& file,
                                        std::uint64_t begin, std::uint64_t size) {
  buffer.resize(size);
  file.read(begin, buffer);
  return buffer;
}

}  // namespace

std::uint64_t PlacedCluster::offset_of(std::uint64_t byte) const {
  std::size_t blob = 0;
  while (byte >= layout.blob_sizes[blob] && blob + 1 < rooms.size()) byte -= layout.blob_sizes[blob++];
  return rooms[blob].offset + byte;
}

bool ClusterTransfer::can_share(const InputFile& source) {
  const auto [known, is_new] = shares_with_.try_emplace(source.device(), false);
  if (is_new) known->second = file_.file().can_share(source, kBlockSize);
  return known->second;
}

void ClusterTransfer::reserve(PlacedCluster& cluster) {
  std::uint64_t into_block = cluster.layout.into_block;
  for (const std::uint64_t size : cluster.layout.blob_sizes) {
    cluster.rooms.push_back(file_.reserve_cluster(size, into_block));
    into_block = 0;
  }
}

void ClusterTransfer::write(PlacedCluster& cluster) {
  for (const ReservedCluster& room : cluster.rooms) file_.write_cluster(room, {});
  for (const MadePage& page : cluster.layout.made)
    file_.write_at(cluster.offset_of(page.place), page.bytes.bytes());
  if (cluster.method == MergeMethod::kRewrite || cluster.layout.extents.empty()) return;
  if (cluster.method == MergeMethod::kClone)
    share(cluster);
  else if (cluster.method == MergeMethod::kKernel)
    copy_by_system(cluster);
  if (cluster.method == MergeMethod::kCopy)
    copy(cluster);
  else if (verifies_.value_or(requires_checksums_))
    verify(cluster);
}

// Whole blocks are shared. What the cluster has of the blocks where it begins and ends is copied.
void ClusterTransfer::share(PlacedCluster& cluster) {
  if (!cluster.layout.region) {
    cluster.method = MergeMethod::kCopy;
    return;
  }
  const SourceExtent& region = *cluster.layout.region;
  const std::uint64_t end = region.begin + region.size;
  const std::uint64_t first_block = rounded_up(region.begin);
  const std::uint64_t last_block = std::max(first_block, rounded_down(end));
  const std::uint64_t to = cluster.offset_of(0);
  if (last_block == first_block ||
      !file_.file().share(*cluster.source, first_block, to + (first_block - region.begin),
                          last_block - first_block)) {
    cluster.method = MergeMethod::kCopy;
    return;
  }
  std::vector<std::byte> buffer;
  if (first_block > region.begin)
    file_.write_at(to, read_into(buffer, *cluster.source, region.begin, first_block - region.begin));
  if (end > last_block)
    file_.write_at(to + (last_block - region.begin),
                   read_into(buffer, *cluster.source, last_block, end - last_block));
}

// Extents that follow each other in both files are one call.
void ClusterTransfer::copy_by_system(PlacedCluster& cluster) {
  const std::vector<SourceExtent>& extents = cluster.layout.extents;
  for (std::size_t first = 0; first < extents.size();) {
    std::uint64_t size = extents[first].size;
    const std::uint64_t offset = cluster.offset_of(extents[first].place);
    std::size_t next = first + 1;
    for (; next < extents.size() && extents[next].begin == extents[first].begin + size &&
           cluster.offset_of(extents[next].place) == offset + size;
         ++next)
      size += extents[next].size;
    if (!file_.file().copy_by_system(*cluster.source, extents[first].begin, offset, size)) {
      cluster.method = MergeMethod::kCopy;
      return;
    }
    first = next;
  }
}

void ClusterTransfer::copy(const PlacedCluster& cluster) {
  std::vector<std::byte> buffer;
  std::size_t page = 0;
  for (const SourceExtent& extent : cluster.layout.extents) {
    read_into(buffer, *cluster.source, extent.begin, extent.size);
    if (verifies_.value_or(true)) page = verify_extent(cluster, extent, page, buffer);
    file_.write_at(cluster.offset_of(extent.place), buffer);
    counts_.bytes_read += extent.size;
  }
}

void ClusterTransfer::verify(const PlacedCluster& cluster) {
  std::vector<std::byte> buffer;
  std::size_t page = 0;
  for (const SourceExtent& extent : cluster.layout.extents) {
    read_into(buffer, *cluster.source, extent.begin, extent.size);
    page = verify_extent(cluster, extent, page, buffer);
    counts_.bytes_read += extent.size;
  }
}

// Returns the number of the first page behind the extent.
std::size_t ClusterTransfer::verify_extent(const PlacedCluster& cluster, const SourceExtent& extent,
                                           std::size_t first_page, std::span<const std::byte> bytes) {
  const std::vector<CarriedPage>& pages = cluster.layout.pages;
  std::size_t number = first_page;
  for (; number < pages.size() && pages[number].page.locator.offset < extent.begin + extent.size; ++number) {
    const PageInfo& page = pages[number].page;
    ++(page.has_checksum ? counts_.verified : counts_.without_checksum);
    const auto fail = [&](const std::string& problem) {
      return cluster_error(*cluster.source, cluster.place, cluster.layout.num_entries,
                           "page at byte " + std::to_string(page.locator.offset) + ": " + problem);
    };
    if (requires_checksums_ && !page.has_checksum) throw fail("has no checksum, which is required");
    try {
      verified_block(page, bytes.subspan(page.locator.offset - extent.begin, stored_size(page)));
    } catch (const FormatError& error) {
      throw fail(error.what());
    }
  }
  return number;
}

}  // namespace skimline::io
