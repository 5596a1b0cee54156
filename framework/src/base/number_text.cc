// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include <locale.h>

namespace skimline {
namespace {

// What %f takes of the largest double, with as many decimals as anybody asks for.
using Digits = std::array<char, 400>;

// Its decimal point is a point, whatever the locale of the program.
locale_t locale_of_c() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

template <typename Real>
Real by_strtod(const char* text, char** end) {
  if constexpr (std::is_same_v<Real, float>)
    return strtof_l(text, end, locale_of_c());
  else
    return strtod_l(text, end, locale_of_c());
}

bool is_digit(char c, bool is_hex) {
  return (c >= '0' && c <= '9') || (is_hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

// What std::from_chars takes for the beginning of a number, without the sign.
bool begins_number(std::string_view text, bool is_hex) {
  if (text.empty()) return false;
  if (text.front() == '.') return text.size() > 1 && is_digit(text[1], is_hex);
  return is_digit(text.front(), is_hex) || std::string_view("iInN").find(text.front()) != text.npos;
}

// Returns the text in the form in which the C library reads it; it takes "0x" for the beginning of a
// hexadecimal number, which std::from_chars neither wants nor knows.
std::string as_c_library_has_it(std::string_view digits, bool is_negative, bool is_hex) {
  const bool has_digits = digits.front() == '.' || is_digit(digits.front(), is_hex);
  if (!is_hex && digits.front() == '0' && digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X'))
    digits = digits.substr(0, 1);
  return std::string(is_negative ? "-" : "") + (is_hex && has_digits ? "0x" : "") + std::string(digits);
}

}  // namespace

std::string significant_digits(double value, int digits) {
  Digits text;
  return {text.data(),
          std::to_chars(text.begin(), text.end(), value, std::chars_format::general, digits).ptr};
}

std::string fixed_digits(double value, int decimals) {
  Digits text;
  return {text.data(),
          std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, decimals).ptr};
}

std::string all_bits(double value) {
  std::array<char, 16> text;
  return {text.data(), std::to_chars(text.begin(), text.end(), std::bit_cast<std::uint64_t>(value), 16).ptr};
}

double leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0;
  read_real(text, number);
  return number;
}

std::optional<double> only_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = read_real(text, number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

template <typename Real>
std::from_chars_result read_real(std::string_view text, Real& number, std::chars_format format) {
  if constexpr (requires { std::from_chars(text.data(), text.data(), number, format); })
    return std::from_chars(text.data(), text.data() + text.size(), number, format);
  else
    return read_real_by_c_library(text, number, format);
}

template <typename Real>
std::from_chars_result read_real_by_c_library(std::string_view text, Real& number, std::chars_format format) {
  const bool is_negative = text.starts_with('-'), is_hex = format == std::chars_format::hex;
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (!begins_number(digits, is_hex)) return {text.data(), std::errc::invalid_argument};
  const std::string copy = as_c_library_has_it(digits, is_negative, is_hex);
  errno = 0;
  char* copy_end = nullptr;
  const Real value = by_strtod<Real>(copy.c_str(), &copy_end);
  const bool is_out_of_range = errno == ERANGE && (value == 0 || std::isinf(value));
  const std::size_t prefix = copy.size() > text.size() ? 2 : 0;
  const auto length = static_cast<std::size_t>(copy_end - copy.c_str());
  if (length <= prefix) return {text.data(), std::errc::invalid_argument};
  const char* const end = text.data() + length - prefix;
  if (is_out_of_range) return {end, std::errc::result_out_of_range};
  number = value;
  return {end, std::errc{}};
}

template std::from_chars_result read_real(std::string_view, float&, std::chars_format);
template std::from_chars_result read_real(std::string_view, double&, std::chars_format);
template std::from_chars_result read_real_by_c_library(std::string_view, float&, std::chars_format);
template std::from_chars_result read_real_by_c_library(std::string_view, double&, std::chars_format);

}  // namespace skimline
