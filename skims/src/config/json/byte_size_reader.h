// SPDX-License-Identifier: BSD-3-Clause
// Sizes such as "100 MB".
#pragma once

#include "config/json/located_json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace skimline::skims {

/// The smallest and the largest number of bytes that are allowed.
struct ByteLimits {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

/// Returns the bytes behind `value`, a whole number or a text such as "64 MiB", or nothing and an error if it
/// is neither or outside the limits. `what` names it.
std::optional<std::uint64_t> read_byte_size(const JsonValue& value, const std::string& what,
                                            ByteLimits limits, Diagnostics& diagnostics);

/// Returns the bytes behind a text such as "64 MiB" or "67108864"; nothing if it is no size.
std::optional<std::uint64_t> byte_size_of(const std::string& text);

}  // namespace skimline::skims
