// SPDX-License-Identifier: BSD-3-Clause
// Systematics of FastFrames, a struct for each direction.
#pragma once

#include "config/translated/frame_reading.h"

namespace skimline::skims {

/// Reads the block "systematics" of a config. Samples and regions must have been read.
void read_systematics(const JsonValue& value, FrameReading& reading);

}  // namespace skimline::skims
