// SPDX-License-Identifier: BSD-3-Clause
// Samples of FastFrames and the data sets that they are made of.
#pragma once

#include "config/translated/frame_reading.h"

namespace skimline::skims {

/// Reads the block "samples" of a config. Regions and general settings must have been read.
void read_samples(const JsonValue& value, FrameReading& reading);

}  // namespace skimline::skims
