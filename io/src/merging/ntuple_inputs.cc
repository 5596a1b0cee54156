// SPDX-License-Identifier: BSD-3-Clause
#include "merging/ntuple_inputs.h"

#include "storage/ordered_pipeline.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"

#include <map>
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
  for (std::string& file : files) inputs_.emplace_back().file = std::move(file);
  struct Item {
    Input& input;
  };
  std::size_t next = 0;
  run_in_order(
      items_for_all_threads(),
      [&]() -> std::unique_ptr<Item> {
        if (options_.stop != nullptr && *options_.stop) throw Interrupted();
        return next == inputs_.size() ? nullptr : std::unique_ptr<Item>(new Item{inputs_[next++]});
      },
      [&](Item& item) {
        ReadInput read = read_input(item.input.file, ntuple_);
        item.input.read = std::move(read.input);
        item.input.uuid = std::move(read.uuid);
      },
      [&](Item& item) { note(item.input); });
  if (!options_.allows_copies) check_copies();
}

void NTupleInputs::note(Input& input) {
  const RNTupleDescriptor& descriptor = input.read->descriptor;
  input.schema = input.read->schema = union_.add(descriptor, input.file);
  input.num_entries = descriptor.num_entries();
  input.num_clusters = descriptor.clusters.size();
  num_entries_ += input.num_entries;
  num_clusters_ += input.num_clusters;
  num_kept_pages_ += num_pages(descriptor);
  if (num_kept_pages_ > kKeptPages) input.read.reset();
}

void NTupleInputs::check_copies() const {
  std::map<std::string_view, const Input*> seen;
  for (const Input& input : inputs_) {
    if (input.num_entries == 0 || !is_distinctive(input.uuid)) continue;
    const auto [other, is_new] = seen.emplace(input.uuid, &input);
    if (!is_new && other->second->num_entries == input.num_entries)
      throw Error("\"" + other->second->file + "\" and \"" + input.file +
                  "\" have the same UUID: one is a copy of the other, and their entries would be in the "
                  "output twice; --allow-overlap merges them all the same");
  }
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
