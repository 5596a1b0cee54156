// SPDX-License-Identifier: BSD-3-Clause
// The parts of a job, computed one by one, anywhere: what they come to is put in a store, from which
// run_job() takes it.
#pragma once

#include "skimline/framework/entry_range.h"
#include "skimline/framework/stop_flag.h"
#include "skimline/skims/config.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What a process that has opened all files of a sample tells one that opens a few of them.
struct SampleFacts {
  std::optional<double> normalisation{};  ///< if there is one
  std::string columns{};         ///< a digest: a file that has others is read together with all others
  bool needs_all_files = false;  ///< as it has friends, or numbers of entries matter
};

/// Where and how parts are computed.
struct PartOptions {
  std::string store;  ///< a folder
  int threads = 0;    ///< as in JobOptions
  /// By name, what another process has found out.
  std::map<std::string, SampleFacts> samples{};
  /// Reads the same config with all of its inputs, where the one that is given has none.
  std::function<std::shared_ptr<const Config>()> read_with_inputs{};
};

/// A part of a sample. Which parts there are follows from the files alone.
struct PartFacts {
  std::size_t sample = 0;  ///< number in the config
  std::size_t number = 0;  ///< in the sample
  std::string file;        ///< as records call it
  std::string path;        ///< of the file, absolute, or a URL
  std::string ntuple;      ///< in the file
  EntryRange entries;      ///< counted from the first of the file
  double bytes = 0;        ///< stored, of all columns, estimated
  std::string key;         ///< tells it from all others, and from the same of a file that changed
  bool is_known = false;   ///< whether all of its results are in the store
};

/// The parts of all samples of a config. Used by one thread at a time.
class JobParts {
 public:
  /// The config must outlive it. Throws FileError if there can be no store.
  JobParts(const Config& config, PartOptions options);
  ~JobParts();

  /// Throws what run_job() throws before it reads events, and Interrupted.
  std::vector<PartFacts> parts(StopFlag stop = {});
  /// Of a sample by its number.
  SampleFacts facts(std::size_t sample);

  /// Computes a part, unless the store has it. Opens its file alone where the facts of its sample allow that,
  /// else all of the sample. Throws what run_job() throws for events, FileError if the part has not this key,
  /// as its file changed since, and Interrupted.
  void compute(const PartFacts& part, StopFlag stop = {});

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::skims
