// SPDX-License-Identifier: BSD-3-Clause
// Regions of FastFrames, with their variables and histograms.
#pragma once

#include "config/translated/frame_reading.h"

namespace skimline::skims {

/// Reads the block "regions" of a config.
void read_regions(const JsonValue& value, FrameReading& reading);

}  // namespace skimline::skims
