// SPDX-License-Identifier: BSD-3-Clause
// Numbers as texts and back, with a decimal point: printf and atof follow the locale of the program around
// the library, which may have commas.
#pragma once

#include <string>
#include <string_view>

namespace skimline {

/// Returns a number with at most that many significant digits, as %g of printf has it.
std::string significant_digits(double value, int digits);
/// Returns a number with that many digits behind the point, as %f of printf has it.
std::string fixed_digits(double value, int decimals);
/// Returns a text that differs for numbers that differ in any bit.
std::string all_bits(double value);
/// Returns the number that a text begins with, blanks apart; 0 where there is none, or none that a double can
/// hold.
double leading_number(std::string_view text);

}  // namespace skimline
