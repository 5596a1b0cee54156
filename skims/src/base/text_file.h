// SPDX-License-Identifier: BSD-3-Clause
// Text files of bounded size.
#pragma once

#include <cstddef>
#include <string>

namespace skimline::skims {

/// The most bytes that a config has: the sum of its files, and what is left when its variables are put in.
inline constexpr std::size_t kLargestConfig = 64 << 20;
/// The most bytes of any other text: a list of files or of samples, a luminosity mask.
inline constexpr std::size_t kLargestText = 256 << 20;

/// Returns what a text file holds, which may be a pipe. Waiting for it ends once the thread is asked to stop.
/// Throws ConfigError, also if there is more than `max_bytes`.
std::string read_text_file(const std::string& path, std::size_t max_bytes = kLargestConfig);

}  // namespace skimline::skims
