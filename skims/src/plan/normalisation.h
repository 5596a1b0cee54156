// SPDX-License-Identifier: BSD-3-Clause
// The factor that brings simulated events to their cross section and luminosity.
#pragma once

#include "plan/input_records.h"
#include "plan/sample_inputs.h"

#include "skimline/skims/config.h"

#include <optional>

namespace skimline::skims {

/// Returns kNormalisation for a sample: its cross section times the luminosity over the sum of weights before
/// any cut. Of shards that of the whole, of which all of the weights are read for it. The inputs must
/// have been opened; `before` is what steps_before() gave. Nothing if the config has no luminosity or the
/// sample no cross section. Throws Error if the sum is not a positive number.
std::optional<double> normalisation_of(const Config& config, const Sample& sample, const SampleInputs& inputs,
                                       const std::optional<CarriedRecord>& before, int threads);

}  // namespace skimline::skims
