// SPDX-License-Identifier: BSD-3-Clause
// The axis of a histogram.
#pragma once

#include "config/json/object_reader.h"

#include "skimline/skims/config.h"

#include <string>

namespace skimline::skims {

/// Reads one axis of a histogram: its value and one way to say its bins. `what` names it: "\"x\"".
AxisConfig read_axis(const JsonValue& value, const std::string& what, Diagnostics& diagnostics);

}  // namespace skimline::skims
