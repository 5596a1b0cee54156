// SPDX-License-Identifier: BSD-3-Clause
// What every output carries about how it came to be, so that it can be normalised and checked later.
#pragma once

#include "skimline/framework/plan.h"
#include "skimline/framework/source.h"
#include "skimline/histograms/histogram.h"
#include "skimline/io/compression.h"
#include "skimline/io/merge_options.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <optional>
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
  /// Steps of the cutflow that inputs carry. The step behind them counts the entries of the inputs that were
  /// processed.
  std::size_t num_carried_steps = 0;
  std::vector<InputRecord> inputs;
  std::vector<SkippedInput> skipped;
};

struct RunRecord {
  std::string version;               ///< of the program; "0.9.1, 0.9.2" if outputs of both were merged
  std::vector<std::string> configs;  ///< resolved, as JSON; several if outputs of different ones were merged
  std::vector<SampleRecord> samples;
  std::uint64_t num_files_without = 0;  ///< files without a record that were merged with others
};

/// Returns the record as objects of a ROOT file: "skimline/record" is a TObjString that holds JSON,
/// "skimline/cutflow/<sample>" and "skimline/weighted_cutflow/<sample>" are TH1D with exact sums, which any
/// tool adds rightly. Samples, metadata and inputs are in alphabetical order, so that parts that are merged
/// give the bytes of the whole.
std::vector<io::RootObject> record_objects(const RunRecord& record, io::CompressionSetting compression = {});

/// The classes of these objects.
std::vector<std::string> record_classes();

/// Returns the record of a file, or nothing if it carries none. Texts that another tool left side by side, as
/// hadd does, are merged. Throws FileError if it is damaged.
std::optional<RunRecord> read_record(const io::RootFile& file);

/// Returns the sum of the texts of "skimline/record" objects of files that are merged, but for what the
/// histograms say. Throws Error if a text is damaged, if a sample differs in its cross section, metadata or
/// weight, or, unless `allow_overlap`, if two of them processed the same entries of the same input. The
/// result does not depend on the order of the texts, nor on what was merged before.
std::string merged_record_text(const io::TextsOfInputs& inputs, bool allow_overlap = false);

/// Returns what in the record does not fit together, a sentence for each: histograms that do not count the
/// entries of the inputs, as another tool changed one of them, and entries that were processed twice.
std::vector<std::string> problems_of(const RunRecord& record);

/// Returns the record for people to read: samples with their normalisation, cutflow and inputs. Configs are
/// left out.
std::string to_text(const RunRecord& record);

/// Returns all of it as one JSON object.
std::string to_json(const RunRecord& record);

}  // namespace skimline::skims
