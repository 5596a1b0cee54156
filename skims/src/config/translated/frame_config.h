// SPDX-License-Identifier: BSD-3-Clause
// What a config of FastFrames says, as structs.
#pragma once

#include "config/translated/frame_leftovers.h"
#include "config/translated/sample_metadata.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

struct FrameAxis {
  std::vector<double> edges;  ///< or else bins of equal width
  std::int64_t bins = 0;
  double low = 0, high = 0;
};

struct FrameVariable {
  std::string name, title, definition;
  FrameAxis axis;
  bool is_nominal_only = false;
};

struct FrameRegion {
  std::string name, selection;
  std::vector<FrameVariable> variables;
  std::vector<std::vector<std::string>> combinations;  ///< names of two or three variables for a histogram
};

struct FrameDefinition {
  std::string name, expression;
};

/// What samples have unless they say otherwise.
struct FrameDefaults {
  std::string sum_weights = "NOSYS", tree;
  std::optional<std::string> event_weights;
  /// Those of a sample are the same object as those of the config unless it has its own.
  std::shared_ptr<const std::vector<FrameDefinition>> definitions =
      std::make_shared<const std::vector<FrameDefinition>>();
  std::shared_ptr<const std::vector<std::string>> exclude_systematics =
      std::make_shared<const std::vector<std::string>>();  ///< regular expressions
  bool automatic_systematics = false, nominal_only = false;
};

struct FrameSample : FrameDefaults {
  std::string name;
  std::vector<DataSet> data_sets;
  std::optional<std::string> weight_suffix;
  std::string selection_suffix;
  bool is_data = false;
  bool has_truth = false;
};

/// One direction of a systematic.
struct FrameSystematic {
  std::string name;
  std::optional<std::string> sum_weights;  ///< else that of the sample
  std::string weight_suffix;
  std::optional<std::set<std::string>> samples, exclude_samples;
};

struct FrameNtuples {
  std::string selection;                                ///< may be empty
  std::vector<std::string> branches, exclude_branches;  ///< regular expressions
};

struct FrameConfig {
  std::string files_path, sums_path, histograms_folder, ntuples_folder;
  std::vector<std::string> cross_section_paths;
  std::map<std::string, double> luminosity;  ///< by campaign
  FrameDefaults defaults;
  std::vector<std::string> lorentz_vectors;  ///< objects: "jet"
  std::string list_of_systematics;           ///< a histogram of the files
  std::optional<std::int64_t> first_entry, end_entry;
  std::int64_t compression_level = 1;
  bool has_region_folders = false;

  std::vector<FrameRegion> regions;
  std::vector<FrameSample> samples;
  std::vector<FrameSystematic> systematics;
  std::optional<FrameNtuples> ntuples;
  FrameLeftovers left_out;
};

}  // namespace skimline::skims
