// SPDX-License-Identifier: BSD-3-Clause
#include "run/job_progress.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {

// Files have about as many entries as bytes say.
void JobProgressCount::Extent::set_done(std::uint64_t entries) {
  entries_done = entries;
  const double share = num_entries == 0 ? 1 : static_cast<double>(entries) / static_cast<double>(num_entries);
  bytes_done = static_cast<std::uint64_t>(share * static_cast<double>(num_bytes()));
  const auto end = std::upper_bound(file_ends.begin(), file_ends.end(), bytes_done);
  files_done = entries == 0 && num_entries > 0 ? 0 : static_cast<std::uint64_t>(end - file_ends.begin());
}

JobProgressCount::JobProgressCount(const std::vector<SampleExtent>& samples,
                                   std::function<void(const JobProgress&)> tell)
    : tell_(std::move(tell)) {
  for (const SampleExtent& each : samples) {
    Extent extent{each.sample.name.value, each.num_entries, {}};
    for (const std::uint64_t bytes : each.file_bytes) extent.file_ends.push_back(extent.num_bytes() + bytes);
    all_.num_entries += extent.num_entries;
    all_.num_files += extent.file_ends.size();
    all_.num_bytes += extent.num_bytes();
    update(extent, 0);
    samples_.push_back(std::move(extent));
  }
}

std::function<void(std::uint64_t)> JobProgressCount::of_sample(std::size_t number) {
  if (!tell_) return nullptr;
  return [this, number](std::uint64_t entries_done) { note(number, entries_done); };
}

void JobProgressCount::update(Extent& sample, std::uint64_t entries_done) {
  all_.entries_done -= sample.entries_done;
  all_.bytes_done -= sample.bytes_done;
  all_.files_done -= sample.files_done;
  sample.set_done(entries_done);
  all_.entries_done += sample.entries_done;
  all_.bytes_done += sample.bytes_done;
  all_.files_done += sample.files_done;
}

// Samples overlap: the first that is not done is what is being processed. One may begin again without a
// damaged file.
void JobProgressCount::note(std::size_t sample, std::uint64_t entries_done) {
  const std::lock_guard lock(mutex_);
  update(samples_[sample], entries_done);
  const auto is_done = [](const Extent& each) { return each.entries_done >= each.num_entries; };
  first_open_ = std::min(first_open_, sample);
  while (first_open_ + 1 < samples_.size() && is_done(samples_[first_open_])) ++first_open_;
  all_.sample = samples_[first_open_].name;
  tell_(all_);
}

}  // namespace skimline::skims
