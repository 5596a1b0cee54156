// SPDX-License-Identifier: BSD-3-Clause
// What a run of a config would do: its input, what is read and computed for which events, its outputs, and
// the memory it would need.
#pragma once

#include "skimline/io/field_size.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// An input file.
struct PlannedFile {
  std::string path, ntuple_name;
  std::uint64_t num_entries = 0, num_clusters = 0;
  std::uint64_t bytes = 0;  ///< of the whole file
};

/// A column of the input.
struct PlannedColumn {
  std::string name, type;
  std::uint64_t bytes_stored = 0;  ///< to be read if any event needs each of its pages
  io::FieldSize size;
};

/// A value that is computed.
struct PlannedValue {
  std::string name;  ///< of the definition, if it is one
  std::string text;
  std::string type;
  bool is_shown = true;  ///< in the text: not mere conversions, and conditions where they are applied
};

/// A set of events, and what is done for them and for none outside. The first one is all events.
struct PlannedEvents {
  std::size_t outer = 0;               ///< the set it is part of
  std::vector<std::string> names;      ///< steps of the cutflow and regions that end here
  std::string where;                   ///< the condition; empty for all events
  bool keep_when = true;               ///< its value for these events
  bool is_selection = false;           ///< else one side of `&&`, `||` or `?:` within an expression
  std::vector<PlannedColumn> columns;  ///< not read for an outer set
  std::vector<PlannedValue> values;
  std::vector<std::size_t> histograms, skims;  ///< positions in the lists of the report
};

/// An axis of a histogram.
struct PlannedAxis {
  std::string value;
  std::string kind;        ///< "regular", "variable", "integer" or "category"
  std::uint64_t bins = 0;  ///< those of the config; a growing axis may end with more
  bool is_growing = false;
  bool is_circular = false;
};

/// A histogram that is filled.
struct PlannedHistogram {
  std::string name;
  std::vector<PlannedAxis> axes;
  std::string profile;           ///< the value of a profile, else empty
  std::string weight;            ///< empty if there is none
  std::string storage;           ///< "count", "weighted" or "profile"
  std::uint64_t cells = 0;       ///< flow cells included
  std::uint64_t cell_bytes = 0;  ///< of one copy
  bool is_shared = false;        ///< one copy for all threads, else one for each
  std::size_t events = 0;        ///< position in the list of sets
};

/// A skim that is written.
struct PlannedSkimFile {
  std::string name;
  std::string path;
  std::string format;  ///< "rntuple" or "ttree"
  std::string compression;
  std::vector<std::string> carried;   ///< fields kept as they are stored
  std::vector<std::string> computed;  ///< columns written anew
  std::uint64_t bytes_to_read = 0;    ///< stored bytes of what is carried
  std::size_t events = 0;
};

/// A model that expressions may call.
struct PlannedModel {
  std::string name, path, checksum, evaluator;  ///< "adler32:2e9f561b", "onnxruntime 1.32.0"
};

/// An estimate of what is alive at once, in bytes, for the number of threads of the report.
/// docs/command-line.md has the formulas.
struct MemoryEstimate {
  double histograms = 0, columns = 0, batches = 0, skims = 0;
  double results = 0;  ///< of histograms, beyond what columns and batches leave
  double program = 0;  ///< with its threads and the metadata of the inputs

  /// The sum of all.
  double total() const { return histograms + columns + batches + skims + results + program; }
};

/// What is done for one sample.
struct SamplePlan {
  std::string sample;
  std::vector<PlannedFile> files;
  std::uint64_t num_entries = 0;  ///< to be processed
  std::uint64_t num_slices = 0;
  std::uint64_t largest_slice = 0;
  int threads = 0;
  std::size_t num_steps = 0;
  /// Stored bytes of what is read for all events, and of all that may be read, skims included.
  std::uint64_t least_bytes = 0, most_bytes = 0;
  std::vector<PlannedEvents> events;  ///< an outer set before those in it
  std::vector<PlannedHistogram> histograms;
  std::vector<PlannedSkimFile> skims;
  MemoryEstimate memory;
};

/// Of all samples, which run together: one begins while the one before ends.
struct PlanReport {
  std::vector<SamplePlan> samples;
  int threads = 0;                       ///< as many as the memory limit allows
  std::size_t max_slices_in_flight = 0;  ///< the same
  std::optional<std::uint64_t> memory_limit;
  std::vector<PlannedModel> models;
  std::vector<std::string> warnings;  ///< as in JobReport
};

/// Returns the plan for people to read: sets of events as a tree, then tables.
std::string to_text(const PlanReport& report);

/// Returns the same as one JSON object.
std::string to_json(const PlanReport& report);

}  // namespace skimline::skims
