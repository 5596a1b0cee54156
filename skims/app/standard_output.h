// SPDX-License-Identifier: BSD-3-Clause
// What the program prints, and where to.
#pragma once

#include <string>
#include <string_view>

namespace skimline::skims {

/// Opens those of the three standard streams that are closed, to be neither read from nor written to: an
/// output would otherwise get the number of one, and all that is printed or logged.
void keep_standard_streams();

/// Writes a text to standard output, at once. Returns why that failed, such as "No space left on device", or
/// nothing.
[[nodiscard]] std::string print(std::string_view text);

/// "standard output cannot be written: No space left on device"
std::string unprinted(const std::string& reason);

}  // namespace skimline::skims
