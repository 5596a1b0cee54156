// SPDX-License-Identifier: BSD-3-Clause
// The constants that have names: `M_PI` and `TMath::Pi()`.
#pragma once

#include "expression/constant.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// The constant that a name stands for where no column has that name, "M_PI"; nothing for others.
std::optional<Constant> named_constant(std::string_view name);

/// The constant that C++ code writes as a call without arguments, "TMath::Pi".
std::optional<Constant> called_constant(std::string_view name);

/// The names of all of these.
std::vector<std::string> called_constant_names();

/// What std::numeric_limits has of a type by this name, "max" or "infinity"; nothing for other names.
std::optional<Constant> numeric_limit(ScalarType scalar, std::string_view name);

}  // namespace skimline
