// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/io/compression.h"
#include "skimline/skims/synthetic_events.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace skimline::skims {

struct GenerateOptions {
  SyntheticOptions events;
  std::string path;
  std::string ntuple_name = "Events";
  io::CompressionSetting compression;
  /// 0 means one per core the process may run on. The file is the same for any number.
  int threads = 0;
  /// Makes the run throw Interrupted soon once it is true.
  const std::atomic<bool>* stop = nullptr;
  /// Called with the number of events done.
  std::function<void(std::uint64_t)> progress;
};

struct GenerateReport {
  std::string path;
  std::uint64_t num_events = 0;
  std::uint64_t file_bytes = 0;
  double seconds = 0;
  int threads = 0;
};

/// Writes synthetic events into a new file, slice by slice: memory does not grow with the number of events.
/// Throws FileError if the file cannot be written; then none remains.
GenerateReport generate(const GenerateOptions& options);

/// Returns the report as a line to read.
std::string to_text(const GenerateReport& report);

}  // namespace skimline::skims
