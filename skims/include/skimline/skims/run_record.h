// SPDX-License-Identifier: BSD-3-Clause
// What every output carries about how it came to be, so that it can be normalised and checked later.
#pragma once

#include "skimline/framework/constant_value.h"
#include "skimline/framework/entry_range.h"
#include "skimline/histograms/histogram.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// The directory of output files with what is described here.
inline constexpr const char* kRecordDirectory = "skimline";
/// The text in it.
inline constexpr const char* kRecordPath = "skimline/record";

/// An input, and which of its entries were processed.
struct InputRecord {
  std::string file;    ///< its path, as seen from the config
  std::string ntuple;  ///< name of the RNTuple
  std::string uuid;    ///< of the ROOT file
  std::uint64_t num_entries = 0;
  std::vector<EntryRange> processed;  ///< in order, disjoint, not adjacent
  std::string version{};              ///< of a file behind a URL: its ETag, or when it was modified
  std::uint64_t file_bytes = 0;       ///< the size of such a file
};

/// An input that was left out because it is damaged.
struct SkippedInput {
  std::string file;
  std::string problem;
};

/// One sample of a run, or the sum of several parts of it.
struct SampleRecord {
  std::string name;
  std::vector<std::pair<std::string, ConstantValue>> metadata;
  std::optional<double> cross_section_pb;
  /// kNormalisation, which is in the weights then. Only parts of one whole have the same.
  std::optional<double> normalisation;
  /// Whose sum the weights are: an expression, "Runs.genEventSumw", or empty if each event counts 1.
  std::string weight;
  /// Events after each step, as a histogram with a category for each; the first one is all events before any
  /// cut. Of an input that carries a record itself, the steps there come first.
  histograms::Histogram cutflow;
  /// The same with the sums of weights and of their squares. Its first cell is the normalisation.
  histograms::Histogram weighted_cutflow;
  /// Steps of the cutflow that inputs carry. The step behind them counts their entries that were processed.
  std::size_t num_carried_steps = 0;
  std::vector<InputRecord> inputs;
  std::vector<SkippedInput> skipped;
  /// Of parts of a run (--shard): by number of entries and digest of the whole, as `files`. None if all are.
  std::map<std::pair<std::uint64_t, std::string>, std::pair<std::uint64_t, std::set<std::uint64_t>>> shards;
  /// Of files of skims that are split: by digest of the whole, how many files it has, and which are here.
  std::map<std::string, std::pair<std::uint64_t, std::set<std::uint64_t>>> files;
  /// By region, "" for all that is selected: histograms of the config with one fill for each event of it.
  std::map<std::string, std::set<std::string>> counted_by;
};

/// What one output says of the runs that it comes from.
struct RunRecord {
  std::string version;               ///< of the program; "0.9.1, 0.9.2" if outputs of both were merged
  std::vector<std::string> configs;  ///< resolved, as JSON; several if outputs of different ones were merged
  std::vector<SampleRecord> samples;
  std::uint64_t num_files_without = 0;  ///< files without a record that were merged with others
};

/// Returns what in the record does not fit together, a sentence for each: cutflows and entries that differ.
std::vector<std::string> problems_of(const RunRecord& record);

/// Returns the record without configs for people to read, in lines of about `width`.
std::string to_text(const RunRecord& record, std::size_t width = 100);

/// Returns all of it as one JSON object.
std::string to_json(const RunRecord& record);

}  // namespace skimline::skims
