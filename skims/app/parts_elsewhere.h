// SPDX-License-Identifier: BSD-3-Clause
// Parts of a run that other processes compute, which the Python package starts or reaches.
#pragma once

#include "command.h"

#include "skimline/skims/config_options.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/job_parts.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Who computes parts.
struct Elsewhere {
  std::string dask;   ///< the address of a scheduler
  int processes = 0;  ///< of this machine

  bool is_given() const { return !dask.empty() || processes > 0; }
};

/// A config as it was read.
struct ReadConfig {
  const Config& config;
  const std::string& path;
  const ConfigOptions& options;
};

/// A folder that lasts as long as this.
class TemporaryStore {
 public:
  /// Throws FileError.
  TemporaryStore();
  ~TemporaryStore();
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

/// Has all parts computed that a store lacks, by `threads` each; 0 means 1. Returns what went wrong with
/// which, all of which a run here computes. Throws what run_job() throws before it reads events, Error if
/// others cannot compute anything, and Interrupted.
std::vector<std::string> compute_elsewhere(const ReadConfig& read, const Elsewhere& elsewhere,
                                           const PartOptions& options, const Session& session);

}  // namespace skimline::skims
