// SPDX-License-Identifier: BSD-3-Clause
// The libraries that compress.
#pragma once

#include <string>
#include <vector>

namespace skimline::io {

/// Returns "zstd 1.5.5" and the like, in alphabetical order.
std::vector<std::string> compression_libraries();

}  // namespace skimline::io
