// SPDX-License-Identifier: BSD-3-Clause
// Numbers as texts and back, with a decimal point: printf and atof follow the locale of the program around
// the library, which may have commas.
#pragma once

#include <charconv>
#include <optional>
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
/// Returns the number that the whole text is, if it is one that a double can hold.
std::optional<double> only_number(std::string_view text);

/// Reads the float or double that a text begins with, as std::from_chars does. Not every C++ library has that
/// for reals; where it lacks, the C library reads them.
template <typename Real>
std::from_chars_result read_real(std::string_view text, Real& number,
                                 std::chars_format format = std::chars_format::general);
/// The same, by the C library always.
template <typename Real>
std::from_chars_result read_real_by_c_library(std::string_view text, Real& number,
                                              std::chars_format format = std::chars_format::general);

}  // namespace skimline
