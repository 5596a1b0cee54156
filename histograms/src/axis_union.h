// SPDX-License-Identifier: BSD-3-Clause
// Bringing axes that have grown differently onto the same bins.
#pragma once

#include "skimline/histograms/axis.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace skimline::histograms {

/// Why values of one axis cannot be added to those of the other; empty if they can.
std::string difference_of(const Axis& left, const Axis& right);

/// For each pair of axes that can be added, one with the bins of both.
std::vector<Axis> united(std::span<const Axis> left, std::span<const Axis> right);

/// For each cell of `from` the cell of `to` with the same bin; growing axes of `to` have all bins of `from`.
std::vector<std::size_t> cells_in(const Axis& from, const Axis& to);

}  // namespace skimline::histograms
