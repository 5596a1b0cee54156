// SPDX-License-Identifier: BSD-3-Clause
// Which histograms of a sample count the events of regions.
#pragma once

#include "skimline/skims/run_record.h"

namespace skimline::skims {

/// As in SampleRecord::counted_by.
using HistogramsOfRegions = decltype(SampleRecord::counted_by);

/// Keeps what counts regions of `other` too, which has further events: what only some were filled with lacks
/// those of the others.
void keep_common(HistogramsOfRegions& counted_by, const HistogramsOfRegions& other);

}  // namespace skimline::skims
