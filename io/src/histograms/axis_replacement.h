// SPDX-License-Identifier: BSD-3-Clause
// The payload of a histogram with other bins and labels.
#pragma once

#include "histograms/object_sum.h"

#include <vector>

namespace skimline::io {

/// Puts other axes in place of those of a TH1, TH2, TH3 or profile, whose arrays become as long as they need
/// and zero. Nothing else changes but counts of bytes. Throws Mismatch for an object whose references cannot
/// be followed.
void replace_axes(StoredObject& object, const HistogramLayout& layout, const std::vector<StoredAxis>& axes);

}  // namespace skimline::io
