// SPDX-License-Identifier: BSD-3-Clause
// Parts of a run that other processes compute, which the Python package starts or reaches.
#pragma once

#include "command.h"
#include "package_request.h"

#include "skimline/framework/error.h"
#include "skimline/skims/job_parts.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Who computes parts.
struct Elsewhere {
  std::string dask;    ///< the address of a scheduler
  int processes = 0;   ///< of this machine
  bool keeps = false;  ///< whether results of parts stay in the store
  std::string reduce;  ///< how their results are added up; chosen if empty

  bool is_given() const { return !dask.empty() || processes > 0; }
};

/// Parts were lost again and again. what() has them all, one a line, and has gone through shown().
class LostParts : public Error {
 public:
  using Error::Error;
};

/// What others have computed for a run, for as long as the run lasts.
class PartsElsewhere {
 public:
  /// Has all parts computed that a store lacks, by `threads` each; 0 means 1. Throws what run_job() throws
  /// before it reads events, LostParts, Error if others cannot compute anything, and Interrupted.
  PartsElsewhere(const ReadConfig& read, const Elsewhere& elsewhere, const PartOptions& options,
                 const Session& session);
  /// Sums are forgotten, but those in servers only if the run has succeeded.
  ~PartsElsewhere();
  PartsElsewhere(const PartsElsewhere&) = delete;
  PartsElsewhere& operator=(const PartsElsewhere&) = delete;

  /// What went wrong with which part, all of which a run here computes.
  const std::vector<std::string>& problems() const { return problems_; }
  /// How results were added up, and why; empty if there was nothing to compute.
  const std::string& reduction() const { return reduction_; }

  void succeed() { has_succeeded_ = true; }

 private:
  const Session& session_;
  bool is_open_ = false;
  bool has_succeeded_ = false;
  std::vector<std::string> problems_;
  std::string reduction_;
};

}  // namespace skimline::skims
