// SPDX-License-Identifier: BSD-3-Clause
// What an RNTuple lacks of the file that it was made of.
#pragma once

#include "skimline/io/unsupported_field.h"

#include <string_view>
#include <vector>

namespace skimline::io {

/// Reads a description that begins with the line "Columns that cannot be read:". Each other line has the
/// name, the type and the reason, with tabs between them. Of any other description there are none.
std::vector<UnsupportedField> columns_left_out(std::string_view description);

}  // namespace skimline::io
