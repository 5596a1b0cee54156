// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "object_reader.h"

#include "skimline/skims/config.h"

namespace skimline::skims {

/// Reads one axis of a histogram: its value and either "bins" and "range" or "edges".
AxisConfig read_axis(const JsonValue& value, Diagnostics& diagnostics);

}  // namespace skimline::skims
