// SPDX-License-Identifier: BSD-3-Clause
// What a histogram counts, before anything is filled.
#pragma once

#include "skimline/histograms/histogram.h"

#include <string>
#include <vector>

namespace skimline::histograms {

/// What becomes of a fill at a position (a value on an axis) that is not a number.
enum class NanPositions { kOverflow, kRefuse };
/// What becomes of a fill whose weight is not finite or not below 2^480, or of which weight times value, or
/// that times value, is not below 2^960.
enum class BadWeights { kRefuse, kSkip };

struct HistogramSpec {
  std::string name;
  std::string title;
  std::vector<Axis> axes;
  Storage storage = Storage::kCount;
  std::string value_title = "Events";
  NanPositions nan_positions = NanPositions::kOverflow;
  BadWeights bad_weights = BadWeights::kRefuse;
};

}  // namespace skimline::histograms
