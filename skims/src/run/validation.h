// SPDX-License-Identifier: BSD-3-Clause
// Whether a config can be run, without running it.
#pragma once

#include "skimline/skims/config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

/// A config without mistakes.
struct Validation {
  std::string path;
  std::uint64_t num_samples = 0;
  std::uint64_t num_files = 0;
  std::uint64_t num_entries = 0;  ///< to be processed
  std::vector<std::string> warnings;
};

/// Checks a config against the metadata of all its files, as run_job() does before it reads events. Throws
/// what run_job() throws then.
Validation validate(const Config& config);

/// Returns "analysis.json: valid: 2 samples, 10 files, 1 234 events" and the warnings.
std::string to_text(const Validation& validation);

}  // namespace skimline::skims
