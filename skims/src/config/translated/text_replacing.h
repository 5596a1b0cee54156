// SPDX-License-Identifier: BSD-3-Clause
// One text in place of another.
#pragma once

#include <cstddef>
#include <string>

namespace skimline::skims {

/// Returns the text with `by` in all places of `old`, which must not be empty, and which is not looked for in
/// `by`. Stops replacing when the text becomes longer than `most_bytes`.
std::string with_replaced(const std::string& text, const std::string& old, const std::string& by,
                          std::size_t most_bytes = 64 << 20);

}  // namespace skimline::skims
