// SPDX-License-Identifier: BSD-3-Clause
#include "merging/ntuple_inputs.h"

#include "storage/ordered_pipeline.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// Metadata of so many pages are kept from the first reading to the second: 64 MiB or so.
constexpr std::uint64_t kKeptPages = 1 << 21;

struct ReadInput {
  std::shared_ptr<NTupleInput> input;
  std::string uuid;
};

ReadInput read_input(const std::string& path, const std::string& ntuple) {
  const RootFile file(path);
  ReadInput read{std::make_shared<NTupleInput>(), file.uuid()};
  read.input->descriptor = read_descriptor(file, ntuple);
  if (!read.input->descriptor.attribute_sets.empty())
    throw Error(path + ": RNTuple \"" + ntuple +
                "\" has attributes of entries, which cannot be merged; --exclude leaves the RNTuple out");
  read.input->file = std::make_unique<InputFile>(path);
  read.input->file->release();
  return read;
}

std::uint64_t num_pages(const RNTupleDescriptor& descriptor) {
  std::uint64_t count = descriptor.columns.size();
  for (const ClusterDescriptor& cluster : descriptor.clusters)
    for (const ColumnRange& range : cluster.columns) count += 1 + range.pages.size();
  return count;
}

}  // namespace

NTupleInputs::NTupleInputs(std::string ntuple, std::vector<std::string> files, const MergeOptions& options)
    : ntuple_(std::move(ntuple)), options_(options) {
  add(std::move(files));
}

void NTupleInputs::add(std::vector<std::string> files) {
  const std::size_t num_before = inputs_.size();
  for (std::string& file : files) inputs_.emplace_back().file = std::move(file);
  const auto read = [&](std::size_t number) {
    Input& input = inputs_[number];
    ReadInput found = read_input(input.file, ntuple_);
    input.read = std::move(found.input);
    input.uuid = std::move(found.uuid);
  };
  run_numbers_in_order(num_before, inputs_.size(), options_.stop, read,
                       [&](std::size_t number) { note(number); });
}

void NTupleInputs::note(std::size_t number) {
  Input& input = inputs_[number];
  const RNTupleDescriptor& descriptor = input.read->descriptor;
  input.schema = input.read->schema = union_.add(descriptor, input.file);
  num_schemas_ = std::max(num_schemas_, input.schema + 1);
  input.num_entries = descriptor.num_entries();
  input.num_clusters = descriptor.clusters.size();
  num_entries_ += input.num_entries;
  num_clusters_ += input.num_clusters;
  num_kept_pages_ += num_pages(descriptor);
  if (num_kept_pages_ > kKeptPages) input.read.reset();
  if (!options_.allows_copies) copies_.check(input.file, input.uuid, input.num_entries);
}

std::shared_ptr<const NTupleInput> NTupleInputs::next() {
  if (next_ == inputs_.size()) return nullptr;
  Input& input = inputs_[next_++];
  if (input.read) return std::exchange(input.read, nullptr);
  std::shared_ptr<NTupleInput> read = read_input(input.file, ntuple_).input;
  if (read->descriptor.num_entries() != input.num_entries ||
      read->descriptor.clusters.size() != input.num_clusters)
    throw FileError(input.file, "changed while it was being read", FileFault::kUnavailable);
  read->schema = input.schema;
  return read;
}

}  // namespace skimline::io
