// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/ntuple_verification.h"

#include "rntuple/list_check.h"
#include "rntuple/ntuple_facts.h"
#include "rntuple/output_schema.h"
#include "rntuple/stored_page.h"
#include "root/checksum_file.h"
#include "storage/byte_ranges.h"

#include "skimline/framework/runner.h"
#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

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
  std::optional<EndsOfPage> ends;      // of lists, unless they are very many
  std::optional<std::string> problem;  // if there is any
};

// What is read at once: much, as storage may be slow to answer, and yet enough for all threads of a file.
constexpr std::uint64_t kMostAtOnce = 2 * 1024 * 1024;
constexpr std::uint64_t kGap = 16 * 1024;

// Of one page, which take 256 MiB in memory.
constexpr std::uint32_t kMostEnds = 1 << 24;

// Numbers of pages that lie near each other.
using PageGroup = std::vector<std::size_t>;

ByteRange range_of(const PageInfo& page) {
  return {page.locator.offset, page.locator.offset + stored_size(page)};
}

std::vector<PageGroup> groups_of(const std::vector<PlacedPage>& pages) {
  std::vector<std::size_t> order(pages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return pages[a].page->locator.offset < pages[b].page->locator.offset;
  });
  std::vector<ByteRange> ranges;
  for (const std::size_t number : order) ranges.push_back(range_of(*pages[number].page));
  std::vector<PageGroup> groups;
  for (std::size_t first = 0; first < order.size();) {
    const std::size_t count = count_together(std::span(ranges).subspan(first), kGap, kMostAtOnce);
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    groups.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    first += count;
  }
  return groups;
}

// Finds out what is wrong with pages.
class PageExamination {
 public:
  PageExamination(const RootFile& file, const RNTupleDescriptor& descriptor, const ChecksumFile* checksums,
                  const std::vector<PlacedPage>& pages)
      : file_(file), descriptor_(descriptor), checksums_(checksums), pages_(pages), findings_(pages.size()) {}

  // Thread-safe for different groups.
  void examine(const PageGroup& group) {
    if (group.size() == 1 || !examine_together(group))
      for (const std::size_t number : group) examine_alone(number);
  }

  const std::vector<PageFinding>& findings() const { return findings_; }

 private:
  // Returns false if they cannot be read at once, so that one of them may say why.
  bool examine_together(const PageGroup& group) {
    ByteRange all = kNoBytes;
    for (const std::size_t number : group) {
      const ByteRange range = range_of(*pages_[number].page);
      widen(all, range.begin, range.end);
    }
    const std::unique_ptr<std::byte[]> memory(new std::byte[all.end - all.begin]);  // not set to 0
    const std::span stored(memory.get(), all.end - all.begin);
    try {
      file_.input().read(all.begin, stored);
    } catch (const FileError&) {
      return false;
    }
    for (const std::size_t number : group) {
      const ByteRange range = range_of(*pages_[number].page);
      check(number, stored.subspan(range.begin - all.begin, range.end - range.begin));
    }
    return true;
  }

  void examine_alone(std::size_t number) {
    const PageInfo& page = *pages_[number].page;
    std::vector<std::byte> stored(stored_size(page));
    try {
      file_.input().read(page.locator.offset, stored);
    } catch (const FileError& error) {
      // What cannot be read is no news about what is stored.
      if (error.fault() != FileFault::kDamaged) throw;
      findings_[number] = {page.has_checksum, std::nullopt, error.what()};
      return;
    }
    check(number, stored);
  }

  void check(std::size_t number, std::span<const std::byte> stored) {
    const PlacedPage& placed = pages_[number];
    const PageInfo& page = *placed.page;
    try {
      const std::span<const std::byte> block = verified_block(page, stored);
      if (!page.has_checksum && checksums_ != nullptr && !block.empty())
        checksums_->verify(page.locator.offset, block);
      findings_[number].has_checksum =
          page.has_checksum || verify_block(block, descriptor_.columns[placed.column], page.num_elements) ||
          checksums_ != nullptr;
      const ColumnDescriptor& column = descriptor_.columns[placed.column];
      if (is_index_type(column.type) && page.num_elements <= kMostEnds)
        findings_[number].ends = ends_of_page(column, block, page.num_elements);
    } catch (const FileError& error) {
      if (error.fault() != FileFault::kDamaged) throw;
      findings_[number] = {page.has_checksum, std::nullopt, error.what()};
    } catch (const Error& error) {
      findings_[number] = {page.has_checksum, std::nullopt, error.what()};
    }
  }

  const RootFile& file_;
  const RNTupleDescriptor& descriptor_;
  const ChecksumFile* checksums_;
  const std::vector<PlacedPage>& pages_;
  std::vector<PageFinding> findings_;
};

// What the pages of a column say of its lists, by findings and where pages are among them; nothing if some
// are damaged or were read for a column of another type.
std::optional<std::vector<EndsOfPage>> ends_of(
    const RNTupleDescriptor& descriptor, std::uint32_t column, const PageInfos& stored,
    const std::vector<PlacedPage>& pages, const std::vector<PageFinding>& findings,
    const std::unordered_map<std::uint64_t, std::size_t>& numbers) {
  std::vector<EndsOfPage> ends;
  for (const PageInfo& page : stored) {
    const std::size_t number = numbers.at(page.locator.offset);
    const bool is_same_type =
        descriptor.columns[pages[number].column].type == descriptor.columns[column].type;
    if (findings[number].problem || !findings[number].ends || !is_same_type) return std::nullopt;
    ends.push_back(*findings[number].ends);
  }
  return ends;
}

// What is wrong with lists whose pages are sound.
std::vector<VerificationFault> faults_of_lists(const RNTupleDescriptor& descriptor,
                                               const std::vector<PlacedPage>& pages,
                                               const std::vector<PageFinding>& findings) {
  std::unordered_map<std::uint64_t, std::size_t> numbers;
  for (std::size_t i = 0; i < pages.size(); ++i) numbers.emplace(pages[i].page->locator.offset, i);
  const ListCheck check(descriptor);
  const std::vector<std::string> paths = descriptor.field_paths();
  std::vector<VerificationFault> faults;
  for (std::size_t number = 0; number < descriptor.clusters.size(); ++number) {
    const ClusterDescriptor& cluster = descriptor.clusters[number];
    for (std::uint32_t column = 0; column < cluster.columns.size(); ++column) {
      const PageInfos& stored = cluster.columns[column].pages;
      if (stored.empty() || !is_index_type(descriptor.columns[column].type)) continue;
      const auto ends = ends_of(descriptor, column, stored, pages, findings, numbers);
      const auto problem = ends ? check.problem(number, column, *ends) : std::nullopt;
      if (problem)
        faults.push_back({*problem, paths[descriptor.columns[column].field], number, cluster.first_entry,
                          cluster.num_entries, stored.back().locator.offset});
    }
  }
  return faults;
}

}  // namespace

EventsVerification verify_ntuple(const RootFile& file, const std::string& name, StopFlag stop,
                                 const std::string& checksum_folder) {
  const std::shared_ptr<const ChecksumFile> checksums = ChecksumFile::find(file, checksum_folder);
  const RNTupleDescriptor descriptor = read_descriptor(file, name);
  const std::vector<PlacedPage> pages = pages_of(descriptor);
  PageExamination examination(file, descriptor, checksums.get(), pages);
  const std::vector<PageGroup> groups = groups_of(pages);
  oneapi::tbb::parallel_for(std::size_t{0}, groups.size(), [&](std::size_t i) {
    stop.throw_if_set();
    examination.examine(groups[i]);
  });
  const std::vector<PageFinding>& findings = examination.findings();

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
  for (VerificationFault& fault : faults_of_lists(descriptor, pages, findings))
    result.faults.push_back(std::move(fault));
  return result;
}

}  // namespace skimline::io
