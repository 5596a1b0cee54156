// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/checksum_writing.h"

#include "root/checksum_file.h"

#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/tree_metadata.h"

#include <utility>
#include <vector>

namespace skimline::io {
namespace {

void add_tree(const RootFile& file, const std::string& name, std::vector<ByteExtent>& places) {
  const RootKey& key = *file.find(name);
  places.push_back({key.offset, key.record_size});
  for (const TreeBranch& branch : read_tree(file, name).branches)
    for (const TreeBasket& basket : branch.baskets)
      if (!basket.is_embedded) places.push_back({basket.offset, basket.size});
}

void add_ntuple(const RootFile& file, const std::string& name, std::vector<ByteExtent>& places) {
  for (const ClusterDescriptor& cluster : read_descriptor(file, name).clusters)
    for (const ColumnRange& column : cluster.columns)
      for (const PageInfo& page : column.pages)
        if (!page.has_checksum && page.locator.size > 0)
          places.push_back({page.locator.offset, page.locator.size});
}

}  // namespace

std::string checksum_path(const std::string& path, const std::string& folder) {
  return ChecksumFile::path_for(path, folder);
}

std::size_t write_checksums(const RootFile& file, const std::string& folder, StopFlag stop) {
  std::vector<ByteExtent> places = file.structure();
  for (const std::string& name : tree_names(file)) add_tree(file, name, places);
  for (const std::string& name : ntuple_names(file)) add_ntuple(file, name, places);
  return ChecksumFile::write(file, std::move(places), folder, stop);
}

}  // namespace skimline::io
