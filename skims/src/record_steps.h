// SPDX-License-Identifier: BSD-3-Clause
// The numbers that follow from the cutflows of a record.
#pragma once

#include "skimline/skims/run_record.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

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
