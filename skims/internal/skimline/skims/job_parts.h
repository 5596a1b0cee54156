// SPDX-License-Identifier: BSD-3-Clause
// The parts of a job, computed one by one, anywhere: what they come to is put in a store, from which
// run_job() takes it.
#pragma once

#include "skimline/framework/entry_range.h"
#include "skimline/framework/stop_flag.h"
#include "skimline/skims/config.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Where and how parts are computed.
struct PartOptions {
  std::string store;  ///< a folder
  int threads = 0;    ///< as in JobOptions
  /// By sample, the normalisation that another process has computed, or that there is none.
  std::map<std::string, std::optional<double>> normalisations{};
};

/// A part of a sample. Which parts there are follows from the files alone.
struct PartFacts {
  std::size_t sample = 0;  ///< number in the config
  std::size_t number = 0;  ///< in the sample
  std::string file;
  EntryRange entries;     ///< counted from the first of the file
  double bytes = 0;       ///< stored, of all columns, estimated
  std::string key;        ///< tells it from all others, and from the same of a file that changed
  bool is_known = false;  ///< whether all of its results are in the store
};

/// The parts of all samples of a config. Opens the inputs of a sample when it is asked for first. Used by one
/// thread at a time.
class JobParts {
 public:
  /// The config must outlive it. Throws FileError if there can be no store.
  JobParts(const Config& config, PartOptions options);
  ~JobParts();

  /// Throws what run_job() throws before it reads events, and Interrupted.
  std::vector<PartFacts> parts(StopFlag stop = {});
  /// Of a sample by its number; nothing if there is none.
  std::optional<double> normalisation(std::size_t sample);

  /// Computes a part, unless the store has it. Throws what run_job() throws for events, FileError if the part
  /// has not this key, as its file changed since, and Interrupted.
  void compute(const PartFacts& part, StopFlag stop = {});

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::skims
