// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/skims/config.h"
#include "skimline/skims/job.h"

#include <string>

namespace skimline::skims {

/// Where `skimline run --metrics` writes: a file, complete or absent, or standard output for "-".
class MetricsFile {
 public:
  /// An empty path means that no metrics are asked for. Throws ConfigError if the file cannot be one of this
  /// run: its folder does not exist, or it is the config, an input or an output.
  MetricsFile(std::string path, const Config& config);

  bool is_standard_output() const { return path_ == "-"; }

  /// Writes the metrics to the file, if there is one. Throws FileError.
  void write(const JobReport& report) const;

 private:
  std::string path_;
};

}  // namespace skimline::skims
