// SPDX-License-Identifier: BSD-3-Clause
#include "run/job_progress.h"

namespace skimline::skims {

JobProgressCount::JobProgressCount(const std::vector<SampleExtent>& samples,
                                   std::function<void(const JobProgress&)> tell)
    : tell_(std::move(tell)) {
  for (const SampleExtent& each : samples) {
    Extent extent{each.sample.name.value, each.num_entries, each.file_bytes, 0, 0};
    for (const std::uint64_t bytes : each.file_bytes) extent.num_bytes += bytes;
    all_.num_entries += extent.num_entries;
    all_.num_files += extent.file_bytes.size();
    all_.num_bytes += extent.num_bytes;
    samples_.push_back(std::move(extent));
  }
}

std::function<void(std::uint64_t)> JobProgressCount::of_sample(std::size_t number) {
  if (!tell_) return nullptr;
  return [this, number](std::uint64_t entries_done) { note(number, entries_done); };
}

// Samples overlap: the first that is not done is what is being processed.
void JobProgressCount::note(std::size_t sample, std::uint64_t entries_done) {
  const std::lock_guard lock(mutex_);
  samples_[sample].entries_done = entries_done;
  JobProgress progress = all_;
  for (const Extent& each : samples_) {
    add(each, progress);
    if (progress.sample.empty() && each.entries_done < each.num_entries) progress.sample = each.name;
  }
  if (progress.sample.empty()) progress.sample = samples_.back().name;
  tell_(progress);
}

// Files have about as many entries as bytes say.
void JobProgressCount::add(const Extent& sample, JobProgress& progress) {
  if (sample.entries_done == 0 && sample.num_entries > 0) return;
  const double share = sample.num_entries == 0 ? 1
                                               : static_cast<double>(sample.entries_done) /
                                                     static_cast<double>(sample.num_entries);
  const auto bytes = static_cast<std::uint64_t>(share * static_cast<double>(sample.num_bytes));
  progress.entries_done += sample.entries_done;
  progress.bytes_done += bytes;
  std::uint64_t end = 0;
  for (const std::uint64_t file : sample.file_bytes)
    if (end += file; end <= bytes) ++progress.files_done;
}

}  // namespace skimline::skims
