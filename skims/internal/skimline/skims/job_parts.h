// SPDX-License-Identifier: BSD-3-Clause
// The parts of a job, computed one by one, anywhere: what they come to is put in a store, from which
// run_job() takes it.
#pragma once

#include "skimline/framework/entry_range.h"
#include "skimline/framework/stop_flag.h"
#include "skimline/histograms/histogram.h"
#include "skimline/skims/config.h"
#include "skimline/skims/sum_contents.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::skims {

/// What a process that has opened all files of a sample tells one that opens a few of them.
struct SampleFacts {
  std::optional<double> normalisation{};  ///< if there is one
  std::string computed{};  ///< a digest: a file of which something else is computed is read with all others
  bool needs_all_files = false;  ///< as it has friends, or numbers of entries matter
};

/// Where and how parts are computed.
struct PartOptions {
  std::string store;  ///< a folder; empty if there is none
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

/// What sums of results of a sample are like.
struct SumFacts {
  std::string digest;       ///< of what is computed of which parts: under it a sum lies in a store
  std::uint64_t bytes = 0;  ///< of all results of one part, at most about
  std::uint64_t cells = 0;  ///< of all histograms
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

  /// Of a sample by its number; nothing if its results cannot be told from those of other functions.
  std::optional<SumFacts> sum_facts(std::size_t sample);
  /// Whether any sample has skims that are made part by part: they are in no sum.
  bool make_skims();

  /// Computes a part as compute() does, and returns all of its results as `num_blocks` blocks of sums with
  /// this digest (see parts/result_block.h). Returns none if the part is left to run_job(). Throws as
  /// compute().
  std::vector<std::string> compute_blocks(const PartFacts& part, const SumFacts& sum,
                                          std::uint32_t num_blocks, StopFlag stop = {});

  /// Histograms that lie whole in blocks of a sum of a sample, by their numbers among its results. Throws
  /// Error.
  std::vector<std::pair<std::size_t, histograms::Histogram>> read_sum(
      std::size_t sample, std::span<const std::string_view> blocks);
  /// The same with the names that outputs have, of what lies in the store. What is in blocks of different
  /// parts is left out, and so is what is damaged.
  SumContents sum_contents(std::size_t sample);

  /// Computes a part, unless the store has it. Opens its file alone where the facts of its sample allow that,
  /// else all of the sample. Throws what run_job() throws for events, FileError if the part has not this key,
  /// as its file changed since, and Interrupted. Returns false if the part is left to run_job().
  bool compute(const PartFacts& part, StopFlag stop = {});

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::skims
