// SPDX-License-Identifier: BSD-3-Clause
// Why names in expressions are no columns.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/io/unsupported_field.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// What an error is about, without the back-quotes around a name.
std::string culprit_of(const ExpressionError& error);

/// The error, or if it is about one of these fields, one that says why expressions cannot use it.
ExpressionError with_reason(const ExpressionError& error, const std::vector<io::UnsupportedField>& fields);

}  // namespace skimline::skims
