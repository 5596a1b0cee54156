// SPDX-License-Identifier: BSD-3-Clause
// The casts that are written like calls, such as `float(x)`.
#pragma once

#include "skimline/framework/type.h"

#include <optional>
#include <string_view>

namespace skimline {

/// The type that a cast written as a function, "float(x)", converts to; nothing for other names.
std::optional<ScalarType> cast_target(std::string_view name);

}  // namespace skimline
