// SPDX-License-Identifier: BSD-3-Clause
// Instances of histograms whose axes grow.
#pragma once

#include "slot.h"

namespace skimline::histograms {

/// Gives an instance its first cells.
void make_growing(Instance& instance, const HistogramSpec& spec);

/// Moves the cells of an instance to where there are enough for the categories met.
void make_room(Instance& instance, const HistogramSpec& spec);

}  // namespace skimline::histograms
