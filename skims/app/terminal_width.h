// SPDX-License-Identifier: BSD-3-Clause
// How much room there is for lines.
#pragma once

#include <cstddef>

namespace skimline::skims {

/// The most that tables take: with more, lines are hard to follow.
inline constexpr std::size_t kWidestTable = 250;

/// Columns that lines to standard output may take: those of the terminal but for one, at most `most`; 100 if
/// it is no terminal.
std::size_t terminal_width(std::size_t most);

}  // namespace skimline::skims
