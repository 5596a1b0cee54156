// SPDX-License-Identifier: BSD-3-Clause
// Who asks for a value: a histogram, weight, cut or skim.
#pragma once

#include "skimline/skims/config.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What of a config values are computed for.
struct PlanUser {
  std::string what;                         ///< `the histogram "mass"`, as messages call it
  std::vector<const Text*> expressions;     ///< its own, in the order of the config
  const Variation* variation = nullptr;     ///< null if nominal
  std::optional<std::size_t> cut_left_out;  ///< for the count of events that pass all cuts but this one
  bool is_histogram = false;                ///< one of the config, not a sum that every run makes
};

}  // namespace skimline::skims
