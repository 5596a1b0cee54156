// SPDX-License-Identifier: BSD-3-Clause
// How far a run over several samples is.
#pragma once

#include "skimline/skims/config.h"
#include "skimline/skims/job_options.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// A sample and the number of its entries that a job is to process.
struct SampleExtent {
  const Sample& sample;
  std::uint64_t num_entries = 0;
  std::vector<std::uint64_t> file_bytes;
};

/// Turns the entries that are done of each sample into the progress of the job. Thread-safe.
class JobProgressCount {
 public:
  /// `tell` may be empty; it is called from one thread at a time.
  JobProgressCount(const std::vector<SampleExtent>& samples, std::function<void(const JobProgress&)> tell);

  /// Returns what is to be told of the entries of a sample as they are done. It must not outlive this.
  std::function<void(std::uint64_t)> of_sample(std::size_t number);

 private:
  struct Extent {
    std::string_view name;
    std::uint64_t num_entries = 0;
    std::vector<std::uint64_t> file_ends;  // in bytes, of all files one behind the other
    std::uint64_t entries_done = 0, bytes_done = 0, files_done = 0;

    std::uint64_t num_bytes() const { return file_ends.empty() ? 0 : file_ends.back(); }
    void set_done(std::uint64_t entries);
  };
  void note(std::size_t sample, std::uint64_t entries_done);
  void update(Extent& sample, std::uint64_t entries_done);

  std::function<void(const JobProgress&)> tell_;
  std::mutex mutex_;
  std::vector<Extent> samples_;
  std::size_t first_open_ = 0;  // the samples before it are done
  JobProgress all_;
};

}  // namespace skimline::skims
