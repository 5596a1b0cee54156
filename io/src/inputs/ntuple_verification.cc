// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/ntuple_verification.h"

#include "rntuple/ntuple_facts.h"
#include "rntuple/stored_page.h"
#include "root/checksum_file.h"

#include "skimline/framework/runner.h"
#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <optional>
#include <set>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

// A page and where it belongs.
struct PlacedPage {
  const PageInfo* page;
  std::uint32_t column;
  std::size_t cluster;
};

// All pages, in the order of columns within clusters; pages that columns share once.
std::vector<PlacedPage> pages_of(const RNTupleDescriptor& descriptor) {
  std::vector<PlacedPage> pages;
  std::set<std::uint64_t> offsets;
  for (std::size_t cluster = 0; cluster < descriptor.clusters.size(); ++cluster) {
    const std::vector<ColumnRange>& columns = descriptor.clusters[cluster].columns;
    for (std::uint32_t column = 0; column < columns.size(); ++column)
      for (const PageInfo& page : columns[column].pages)
        if (offsets.insert(page.locator.offset).second) pages.push_back({&page, column, cluster});
  }
  return pages;
}

// What was found of a page.
struct PageFinding {
  bool has_checksum = false;           // its own, or that of its compression
  std::optional<std::string> problem;  // if there is any
};

PageFinding examine(const RootFile& file, const RNTupleDescriptor& descriptor, const ChecksumFile* checksums,
                    const PlacedPage& placed) {
  const PageInfo& page = *placed.page;
  std::vector<std::byte> stored(stored_size(page));
  try {
    file.input().read(page.locator.offset, stored);
    const std::span<const std::byte> block = verified_block(page, stored);
    if (!page.has_checksum && checksums != nullptr && !block.empty())
      checksums->verify(page.locator.offset, block);
    return {page.has_checksum || verify_block(block, descriptor.columns[placed.column], page.num_elements) ||
                checksums != nullptr,
            {}};
  } catch (const FileError& error) {
    // What cannot be read is no news about what is stored.
    if (error.fault() != FileFault::kDamaged) throw;
    return {page.has_checksum, error.what()};
  } catch (const Error& error) {
    return {page.has_checksum, error.what()};
  }
}

}  // namespace

EventsVerification verify_ntuple(const RootFile& file, const std::string& name, StopFlag stop,
                                 const std::string& checksum_folder) {
  const std::shared_ptr<const ChecksumFile> checksums = ChecksumFile::find(file, checksum_folder);
  const RNTupleDescriptor descriptor = read_descriptor(file, name);
  const std::vector<PlacedPage> pages = pages_of(descriptor);
  std::vector<PageFinding> findings(pages.size());
  oneapi::tbb::parallel_for(std::size_t{0}, pages.size(), [&](std::size_t i) {
    stop.throw_if_set();
    findings[i] = examine(file, descriptor, checksums.get(), pages[i]);
  });

  EventsVerification result;
  if (checksums) result.checksum_file = checksums->path();
  InputFacts facts;
  add_facts(descriptor, facts);
  result.num_repeated = facts.num_repeated_pages;
  const std::vector<std::string> paths = descriptor.field_paths();
  result.num_parts = pages.size();
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const PageInfo& page = *pages[i].page;
    result.num_bytes += page.locator.size;
    if (!findings[i].has_checksum) {
      ++result.num_unverified;
      result.bytes_unverified += page.locator.size;
    }
    if (!findings[i].problem) continue;
    const ClusterDescriptor& cluster = descriptor.clusters[pages[i].cluster];
    result.faults.push_back({*findings[i].problem, paths[descriptor.columns[pages[i].column].field],
                             pages[i].cluster, cluster.first_entry, cluster.num_entries,
                             page.locator.offset});
  }
  return result;
}

}  // namespace skimline::io
