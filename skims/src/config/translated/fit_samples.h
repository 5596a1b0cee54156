// SPDX-License-Identifier: BSD-3-Clause
// Samples of TRExFitter.
#pragma once

#include "config/translated/fit_translation.h"
#include "config/translated/ntuple_paths.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// LumiScale and LumiScales: of all files, or of each.
std::vector<std::string> scales_of(const FitBlock& sample);

void add_sample(const FitBlock& sample, FitTranslation& fit);

/// What a config says of a sample that has these trees: its selection and weights too.
OrderedJson sample_of(const FitBlock& sample, const std::vector<NtuplePath>& paths, OrderedJson metadata,
                      FitTranslation& fit);

}  // namespace skimline::skims
