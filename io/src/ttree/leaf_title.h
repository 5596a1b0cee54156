// SPDX-License-Identifier: BSD-3-Clause
// The dimensions in the title of a leaf.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Returns the fixed dimensions in a title such as "w[n][3]", "da[4]/d[0,10,16]" if they make up `length`
/// values, else {length}, and none for 1.
std::vector<std::uint64_t> leaf_dimensions(std::string_view title, std::uint64_t length);

}  // namespace skimline::io
