// SPDX-License-Identifier: BSD-3-Clause
// What scalars of YAML without quotes and tags are.
#pragma once

#include "config/json/located_json.h"

#include <string>

namespace skimline::skims {

/// Returns `true`, `false`, null, a number, or else a string. Words such as `yes` and `Off` are truth values,
/// as in YAML 1.1; `1_000` and `0x1F` are integers; numbers with a colon, of base 60, are strings. The text
/// of the value is as it was written.
JsonValue plain_scalar(const std::string& text);

}  // namespace skimline::skims
