// SPDX-License-Identifier: BSD-3-Clause
// The command `skimline recover`: a sound file of what is whole in a broken one.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/file_recovery.h"

#include <string>

namespace skimline::skims {

/// What recover() reads and writes.
struct RecoverRequest {
  std::string input, output;
  bool overwrites = false;  ///< any file, not only what it has made of the same input before
  int threads = 0;          ///< 0 means one per core; the file is the same for any number
  StopFlag stop;
};

/// Writes what is whole. Throws ConfigError if the output is the input, or is another file; FileError if
/// nothing can be used, Interrupted. The output is complete or absent.
io::RecoverySummary recover(const RecoverRequest& request);

/// Returns what is in the output, and what is lost, as lines to read.
std::string to_text(const io::RecoverySummary& summary, const RecoverRequest& request);

}  // namespace skimline::skims
