// SPDX-License-Identifier: BSD-3-Clause
// Values that are the same for all entries.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace skimline {

/// A value known before the first entry.
using ConstantValue = std::variant<bool, std::int64_t, double, std::string>;

}  // namespace skimline
