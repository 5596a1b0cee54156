// SPDX-License-Identifier: BSD-3-Clause
// The command `skimline generate`: files with synthetic events.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/generate/synthetic_options.h"
#include "skimline/io/data_format.h"
#include "skimline/io/writer_settings.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Which events generate() writes, and where.
struct GenerateOptions {
  generate::SyntheticOptions events;
  std::string path;
  std::string ntuple_name = "Events";  ///< of the RNTuple or TTree
  io::DataFormat format = io::DataFormat::kRNTuple;
  io::WriterSettings settings;
  /// Whether it may replace files that are no older output of the same model, sample and seed.
  bool overwrites = false;
  /// 0 means one per core the process may run on. The file is the same for any number.
  int threads = 0;
  /// Makes the run throw Interrupted soon once it is set.
  StopFlag stop;
  /// Called with the number of events done.
  std::function<void(std::uint64_t)> progress;
};

/// A file that was written.
struct GenerateReport {
  std::string path;
  std::uint64_t num_events = 0;
  std::uint64_t file_bytes = 0;
  double seconds = 0;
  int threads = 0;
};

/// Writes synthetic events into a new file, slice by slice: memory does not grow with the number of events.
/// Lists with a common counter, such as nJet, share it in a TTree, and in an RNTuple of model agc.
/// Throws FileError if the file cannot be written; then none remains.
GenerateReport generate(const GenerateOptions& options);

/// The files of all samples.
struct GenerateSamplesReport {
  std::vector<GenerateReport> files;  ///< of each sample
  std::string list;                   ///< the path of the list of them
};

/// Writes all samples of model agc, each with that number of events, as "<process>__<variation>.root" into
/// the folder `path`, which is made if need be, and "nanoaod_inputs.json", a list as "samples_from" of
/// configs reads it. Files get their names when all are complete, the list last. Throws ConfigError if the
/// path is no folder, FileError if a file cannot be written; then none remains.
GenerateSamplesReport generate_samples(const GenerateOptions& options);

/// Returns the report as a line to read, or a line for each file.
std::string to_text(const GenerateReport& report);
std::string to_text(const GenerateSamplesReport& report);

}  // namespace skimline::skims
