// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/framework/type.h"

#include <optional>
#include <string_view>

namespace skimline {

/// The type that a cast written as a function, "float(x)", converts to; nothing for other names.
std::optional<ScalarType> cast_target(std::string_view name);

}  // namespace skimline
