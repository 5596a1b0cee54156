// SPDX-License-Identifier: BSD-3-Clause
#include "run/job_progress.h"

#include <filesystem>

namespace skimline::skims {

JobProgressCount::JobProgressCount(const std::vector<SampleExtent>& samples,
                                   std::function<void(const JobProgress&)> tell)
    : tell_(std::move(tell)) {
  for (const SampleExtent& each : samples) {
    Extent extent{each.sample.name.value, each.num_entries, {}, 0};
    for (const Input& input : each.sample.inputs) {
      std::error_code failed;
      const std::uintmax_t bytes = std::filesystem::file_size(input.location.path, failed);
      extent.file_bytes.push_back(failed ? 0 : bytes);
      extent.num_bytes += extent.file_bytes.back();
    }
    all_.num_entries += extent.num_entries;
    all_.num_files += extent.file_bytes.size();
    all_.num_bytes += extent.num_bytes;
    samples_.push_back(std::move(extent));
  }
}

std::function<void(std::uint64_t)> JobProgressCount::next_sample() {
  if (next_ > 0) {
    const Extent& done = samples_[next_ - 1];
    before_.entries_done += done.num_entries;
    before_.files_done += done.file_bytes.size();
    before_.bytes_done += done.num_bytes;
  }
  const Extent& sample = samples_.at(next_++);
  if (!tell_) return nullptr;
  return [this, &sample](std::uint64_t entries_done) { show(sample, entries_done); };
}

// Files have about as many entries as bytes say.
void JobProgressCount::show(const Extent& sample, std::uint64_t entries_done) const {
  const double share = sample.num_entries == 0
                           ? 1
                           : static_cast<double>(entries_done) / static_cast<double>(sample.num_entries);
  const auto bytes = static_cast<std::uint64_t>(share * static_cast<double>(sample.num_bytes));
  JobProgress progress = all_;
  progress.sample = sample.name;
  progress.entries_done = before_.entries_done + entries_done;
  progress.bytes_done = before_.bytes_done + bytes;
  progress.files_done = before_.files_done;
  std::uint64_t end = 0;
  for (const std::uint64_t file : sample.file_bytes)
    if (end += file; end <= bytes) ++progress.files_done;
  tell_(progress);
}

}  // namespace skimline::skims
