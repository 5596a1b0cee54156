// SPDX-License-Identifier: BSD-3-Clause
// Ranges of integers that belong to other integers.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace skimline {

/// Closed ranges of integers, [first, last], for each value of another integer: luminosity blocks of runs.
using RangesByKey = std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>>;

}  // namespace skimline
