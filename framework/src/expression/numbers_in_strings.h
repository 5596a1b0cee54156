// SPDX-License-Identifier: BSD-3-Clause
// Numbers at the begin of texts, as std::stoi and std::stod read them.
#pragma once

#include <string>
#include <string_view>

namespace skimline {

/// Thrown where a text does not begin with a number, or with one that the type does not hold.
struct NoNumber {
  std::string problem;
};

/// What stands behind the number does not matter, nor do blanks in front. For `std::int32_t`, `std::int64_t`,
/// `std::uint64_t`, of which a negative number is counted back from the largest, `float` and `double`.
template <typename T>
T number_in(std::string_view text);

}  // namespace skimline
