// SPDX-License-Identifier: BSD-3-Clause
// Summing up histograms whose axes grew differently in each slot.
#pragma once

#include "instance.h"

#include "skimline/histograms/histogram.h"

#include <span>
#include <vector>

namespace skimline::histograms {

/// The axes with all categories that the slots met, in increasing order.
std::vector<Axis> axes_with_categories(const HistogramSpec& spec, std::span<const Instance* const> instances);

/// Adds up the cells of the instances in `result`, which has those axes.
void reduce_growing(std::span<const Instance* const> instances, Histogram& result);

}  // namespace skimline::histograms
