// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/ntuple_facts.h"

#include "rntuple/stored_page.h"
#include "storage/byte_ranges.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace skimline::io {
namespace {

// Calls `visit(column number, page)`.
template <typename Visit>
void for_each_page(const ClusterDescriptor& cluster, Visit visit) {
  for (std::size_t column = 0; column < cluster.columns.size(); ++column)
    for (const PageInfo& page : cluster.columns[column].pages) visit(column, page);
}

// As the metadata say. zstd has checksums only where a writer asks for them; what is not smaller is stored
// raw.
bool is_proven_by_compression(const PageInfo& page, double bits, std::uint32_t compression) {
  constexpr std::uint32_t kZstd = 5;
  const bool is_smaller =
      static_cast<double>(page.locator.size) < static_cast<double>(page.num_elements) * bits / 8;
  return is_smaller && compression > 0 && compression / 100 < kZstd;
}

bool overlap(std::vector<ByteRange> ranges) {
  std::erase_if(ranges, [](const ByteRange& range) { return range.begin >= range.end; });
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& left, const ByteRange& right) { return left.begin < right.begin; });
  return std::adjacent_find(ranges.begin(), ranges.end(), [](const ByteRange& left, const ByteRange& right) {
           return right.begin < left.end;
         }) != ranges.end();
}

// Pages that columns of one cluster share are how writers store equal ones once.
std::uint64_t num_repeated_pages(const RNTupleDescriptor& descriptor) {
  std::unordered_set<std::uint64_t> earlier, here;
  std::uint64_t number = 0;
  for (const ClusterDescriptor& cluster : descriptor.clusters) {
    here.clear();
    for_each_page(cluster, [&](std::size_t, const PageInfo& page) {
      if (page.locator.size > 0 && here.insert(page.locator.offset).second)
        number += earlier.contains(page.locator.offset) ? 1 : 0;
    });
    earlier.insert(here.begin(), here.end());
  }
  return number;
}

}  // namespace

void add_facts(const RNTupleDescriptor& descriptor, InputFacts& facts) {
  std::vector<ByteRange> clusters;
  ByteRange all = kNoBytes;
  for (const ClusterDescriptor& cluster : descriptor.clusters) {
    ByteRange& range = clusters.emplace_back(kNoBytes);
    for_each_page(cluster, [&](std::size_t column, const PageInfo& page) {
      widen(range, page.locator.offset, page.locator.offset + stored_size(page));
      const double bits = descriptor.columns[column].bits_on_storage;
      const bool is_checked = page.has_checksum || facts.has_checksum_file ||
                              is_proven_by_compression(page, bits, cluster.columns[column].compression);
      facts.num_unchecked_pages += is_checked ? 0 : 1;
      facts.bytes_in_memory += static_cast<double>(page.num_elements) * bits / 8;
    });
    widen(all, range.begin, range.end);
  }
  if (all.begin < all.end) {
    facts.data_begin = all.begin;
    facts.data_end = all.end;
  }
  // The clusters of all writers lie one behind the other, which is quickly seen.
  if (overlap(std::move(clusters))) facts.num_repeated_pages = num_repeated_pages(descriptor);
}

}  // namespace skimline::io
