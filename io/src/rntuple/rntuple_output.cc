// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/rntuple_output.h"

#include "storage/xxh3.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr std::uint64_t kMaxBlobBytes = 1 << 30;

}  // namespace

void check_ntuple_name(const std::string& name) {
  const std::string problem = problem_of_path(name, "an RNTuple");
  if (!problem.empty()) throw SchemaError(problem);
}

void check_page_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kMaxPageBytes = 256 * 1024 * 1024;
  if (bytes == 0 || bytes > kMaxPageBytes) throw ConfigError("a page must have from 1 byte to 256 MiB");
}

SealedCluster::SealedCluster(ClusterEnd end, std::vector<std::vector<SealedPage>> pages,
                             std::vector<CompressionSetting> compressions)
    : end_(std::move(end)), pages_(std::move(pages)), compressions_(std::move(compressions)) {
  Numbers numbers;
  for (const std::vector<SealedPage>& column : pages_)
    for (const SealedPage& page : column) stored_number_.push_back(number_of(page, numbers));
}

// Which of the stored pages has the bytes of `page`; adds it if none has.
std::size_t SealedCluster::number_of(const SealedPage& page, Numbers& numbers) {
  const std::uint64_t checksum = page.stored.checksum();
  const auto [first, last] = numbers.equal_range(checksum);
  for (auto candidate = first; candidate != last; ++candidate)
    if (stored_[candidate->second] == page.stored) return candidate->second;
  numbers.emplace(checksum, stored_.size());
  stored_.push_back(page.stored);
  return stored_.size() - 1;
}

std::uint64_t SealedCluster::num_bytes() const {
  std::uint64_t bytes = 0;
  for (const SealedBytes& page : stored_) bytes += page.size();
  return bytes;
}

RNTupleOutput::RNTupleOutput(RootFileWriter& file, OutputSchema schema, RNTupleOutputOptions options)
    : file_(file),
      schema_(std::move(schema)),
      options_(std::move(options)),
      elements_before_(schema_.columns().size()),
      metadata_(file, descriptor(), options_.ntuple_name, options_.metadata_compression) {}

RNTupleDescriptor RNTupleOutput::descriptor() const {
  RNTupleDescriptor descriptor;
  descriptor.description = options_.description;
  descriptor.fields = SharedList(schema_.fields());
  descriptor.columns = SharedList(schema_.column_descriptors());
  descriptor.aliases = SharedList(schema_.aliases());
  descriptor.extra_type_info = options_.extra_type_info;
  return descriptor;
}

// Lays the pages out column after column.
void RNTupleOutput::commit(SealedCluster&& sealed, std::vector<WriteJob>& jobs) {
  ClusterDescriptor cluster;
  cluster.first_entry = num_entries_;
  cluster.num_entries = sealed.end_.num_entries;
  for (std::size_t column = 0; column < sealed.pages_.size(); ++column) {
    ColumnRange& range = cluster.columns.emplace_back();
    range.first_element = elements_before_[column];
    range.compression = static_cast<std::uint32_t>(sealed.compressions_[column].root_number());
    for (const SealedPage& page : sealed.pages_[column])
      range.pages.push_back({page.num_elements, true, {0, page.stored.size() - sizeof(std::uint64_t)}});
    elements_before_[column] += sealed.end_.num_elements[column];
  }
  num_entries_ += sealed.end_.num_entries;
  num_pages_ += sealed.stored_number_.size();
  for (const SealedBytes& page : sealed.stored_) page_hash_ = hash_with(page_hash_, page.checksum());
  const std::vector<std::uint64_t> offsets = place_pages(std::move(sealed.stored_), jobs);
  auto number = sealed.stored_number_.begin();
  for (ColumnRange& range : cluster.columns)
    for (PageInfo& page : range.pages) page.locator.offset = offsets[*number++];
  metadata_.add(std::move(cluster));
}

void RNTupleOutput::write(const WriteJob& job) {
  std::vector<std::span<const std::byte>> pieces;
  pieces.reserve(job.pages.size());
  for (const SealedBytes& page : job.pages) pieces.push_back(page.bytes());
  file_.write_cluster(job.room, pieces);
}

std::uint64_t RNTupleOutput::finish() {
  metadata_.finish();
  return hash_with(page_hash_, metadata_.content_hash());
}

// Returns the offset of every page. One record for the whole cluster, or several if it is larger than a
// record may be.
std::vector<std::uint64_t> RNTupleOutput::place_pages(std::vector<SealedBytes> pages,
                                                      std::vector<WriteJob>& jobs) {
  std::vector<std::uint64_t> offsets;
  for (std::size_t first = 0; first < pages.size();) {
    std::size_t last = first;
    std::uint64_t size = 0;
    do size += pages[last++].size();
    while (last < pages.size() && size + pages[last].size() <= kMaxBlobBytes);

    WriteJob& job = jobs.emplace_back();
    job.room = file_.reserve_cluster(size);
    std::uint64_t offset = job.room.offset;
    for (; first < last; ++first) {
      offsets.push_back(offset);
      offset += pages[first].size();
      job.pages.push_back(std::move(pages[first]));
    }
  }
  return offsets;
}

}  // namespace skimline::io
