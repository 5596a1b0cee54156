// SPDX-License-Identifier: BSD-3-Clause
// Ranges that hold most values of columns.
#pragma once

#include "skimline/io/input_source.h"

#include <cstddef>
#include <vector>

namespace skimline::skims {

/// The ends of an axis.
struct ValueRange {
  double low = 0;
  double high = 100;
};

/// Returns round numbers for each of some columns of real numbers, flat or lists, between which most of the
/// values of the first entries lie.
std::vector<ValueRange> usual_ranges(io::InputSource& source, const std::vector<std::size_t>& columns);

}  // namespace skimline::skims
