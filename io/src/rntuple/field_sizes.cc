// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/field_sizes.h"

#include "rntuple/cluster_pages.h"
#include "rntuple/stored_page.h"

#include <algorithm>
#include <set>
#include <vector>

namespace skimline::io {

// Elements that are not stored because the column was added late are zeros in memory.
double bytes_in_memory(const Stream& stream, const ClusterDescriptor& cluster) {
  double count = 0;
  for (const std::uint32_t column : stream.columns)
    if (column < cluster.columns.size()) count += static_cast<double>(cluster.columns[column].num_elements());
  count = std::max(count, static_cast<double>(cluster.num_entries) * static_cast<double>(stream.per_entry));
  return count * static_cast<double>(stream.element_size);
}

std::uint64_t bytes_stored(const RNTupleDescriptor& descriptor, const Stream& stream) {
  std::uint64_t bytes = 0;
  for (std::size_t cluster = 0; cluster < descriptor.clusters.size(); ++cluster) {
    const ColumnRange* range = find_stored(descriptor, stream, cluster);
    if (range == nullptr) continue;
    std::set<std::uint64_t> counted;
    for (const PageInfo& page : range->pages)
      if (counted.insert(page.locator.offset).second) bytes += stored_size(page);
  }
  return bytes;
}

FieldSize size_of_stream(const RNTupleDescriptor& descriptor, const Stream& stream) {
  FieldSize size;
  size.stored = static_cast<double>(bytes_stored(descriptor, stream));
  for (const ClusterDescriptor& cluster : descriptor.clusters) {
    size.in_memory += bytes_in_memory(stream, cluster);
    for (const std::uint32_t column : stream.columns)
      if (column < cluster.columns.size())
        for (const PageInfo& page : cluster.columns[column].pages)
          size.largest_page = std::max(size.largest_page, static_cast<double>(page.num_elements) *
                                                              static_cast<double>(stream.element_size));
  }
  return size;
}

FieldSize size_of_field(const RNTupleDescriptor& descriptor, const std::string& name) {
  FieldSize size;
  const std::vector<std::string> paths = descriptor.field_paths();
  for (const ClusterDescriptor& cluster : descriptor.clusters)
    for (std::size_t column = 0; column < cluster.columns.size(); ++column) {
      const std::string& path = paths[descriptor.columns[column].field];
      if (path != name && !path.starts_with(name + ".")) continue;
      const double bits = descriptor.columns[column].bits_on_storage;
      size.in_memory += static_cast<double>(cluster.columns[column].num_elements()) * bits / 8;
      for (const PageInfo& page : cluster.columns[column].pages) {
        size.stored += static_cast<double>(page.locator.size);
        size.largest_page = std::max(size.largest_page, static_cast<double>(page.num_elements) * bits / 8);
      }
    }
  return size;
}

// At most, of each page and each column of a cluster: schemas are shared by files.
double size_of_metadata(const RNTupleDescriptor& descriptor) {
  double bytes = 0;
  for (const ClusterDescriptor& cluster : descriptor.clusters)
    for (const auto& column : cluster.columns) bytes += 200 + 64 * static_cast<double>(column.pages.size());
  return bytes;
}

}  // namespace skimline::io
