// SPDX-License-Identifier: BSD-3-Clause
// The cutflows of a record, and the numbers that follow from them.
#pragma once

#include "skimline/skims/run_record.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Where files have the cutflows of a sample.
std::string cutflow_path(const std::string& sample);
std::string weighted_cutflow_path(const std::string& sample);

/// Both cutflows of each sample under these names, those of counts first.
std::vector<histograms::Histogram> named_cutflows(const RunRecord& record);

struct RecordedStep {
  std::string name;
  double num_events = 0;
  double sum_weights = 0;
  double error = 0;  ///< of the sum of weights: the root of the sum of their squares
};

/// The steps of both cutflows; none if they do not fit together.
std::vector<RecordedStep> steps_of(const SampleRecord& sample);

/// Events expected for each inverse picobarn over the sum of weights before any cut: what scales histograms
/// to a luminosity. Nothing without a cross section, or if the sum is not positive.
std::optional<double> scale_per_inverse_pb(const SampleRecord& sample,
                                           const std::vector<RecordedStep>& steps);

}  // namespace skimline::skims
