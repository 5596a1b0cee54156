// SPDX-License-Identifier: BSD-3-Clause
// Mistakes of all samples, told once.
#pragma once

#include "skimline/skims/config.h"

#include <vector>

namespace skimline::skims {

/// The mistakes that the columns of one sample have shown.
struct SampleMistakes {
  const Sample& sample;
  const Diagnostics& mistakes;
};

/// Throws ConfigError if there are mistakes in any of all samples of a config: each once, with the names of
/// the samples unless all have it. What is a mistake only if all samples have it, is none if some of their
/// inputs are not looked at.
void throw_mistakes(const Config& config, const std::vector<SampleMistakes>& samples);

}  // namespace skimline::skims
