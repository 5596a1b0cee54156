// SPDX-License-Identifier: BSD-3-Clause
// How far a run over several samples is.
#pragma once

#include "skimline/skims/config.h"
#include "skimline/skims/job_options.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// A sample and the number of its entries that a job is to process.
struct SampleExtent {
  const Sample& sample;
  std::uint64_t num_entries = 0;
};

/// Turns the entries that are done of one sample into the progress of the job.
class JobProgressCount {
 public:
  /// `tell` may be empty.
  JobProgressCount(const std::vector<SampleExtent>& samples, std::function<void(const JobProgress&)> tell);

  /// Returns what is to be told of the entries of the next sample as they are done. It must not outlive
  /// this.
  std::function<void(std::uint64_t)> next_sample();

 private:
  struct Extent {
    std::string_view name;
    std::uint64_t num_entries = 0;
    std::vector<std::uint64_t> file_bytes;
    std::uint64_t num_bytes = 0;
  };
  void show(const Extent& sample, std::uint64_t entries_done) const;

  std::function<void(const JobProgress&)> tell_;
  std::vector<Extent> samples_;
  std::size_t next_ = 0;
  JobProgress all_;     // the totals
  JobProgress before_;  // what the samples before have done
};

}  // namespace skimline::skims
