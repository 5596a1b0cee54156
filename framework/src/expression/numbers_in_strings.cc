// SPDX-License-Identifier: BSD-3-Clause
#include "expression/numbers_in_strings.h"

#include "skimline/framework/number_text.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace skimline {
namespace {

constexpr std::size_t kMostShown = 40;

[[noreturn]] void fail_at_number(std::string_view text, const char* problem) {
  throw NoNumber{"\"" + std::string(text.substr(0, kMostShown)) + "\" " + problem};
}

struct Signed {
  std::string_view digits;
  bool is_negative = false;
};

// Without the blanks of C and without a sign.
Signed without_sign(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\v\f\r");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  const bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') text.remove_prefix(1);
  return {text, is_negative};
}

bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool has_hexadecimal_prefix(std::string_view digits) {
  if (digits.size() < 3 || digits[0] != '0' || (digits[1] != 'x' && digits[1] != 'X')) return false;
  return is_hexadecimal(digits[2]) || (digits[2] == '.' && digits.size() > 3 && is_hexadecimal(digits[3]));
}

void check_number(std::string_view text, std::errc status) {
  if (status == std::errc::result_out_of_range) fail_at_number(text, "is out of the range of its type");
  if (status != std::errc{}) fail_at_number(text, "does not begin with a number");
}

template <typename T>
T real_in(std::string_view text) {
  auto [digits, is_negative] = without_sign(text);
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+'))
    fail_at_number(text, "does not begin with a number");
  std::chars_format format = std::chars_format::general;
  if (has_hexadecimal_prefix(digits)) {
    digits.remove_prefix(2);
    format = std::chars_format::hex;
  }
  T value{};
  check_number(text, read_real(digits, value, format).ec);
  return is_negative ? -value : value;
}

template <typename T>
T integer_in(std::string_view text) {
  const auto [digits, is_negative] = without_sign(text);
  std::uint64_t size = 0;
  check_number(text, std::from_chars(digits.data(), digits.data() + digits.size(), size).ec);
  if constexpr (std::is_unsigned_v<T>) {
    return is_negative ? T{0} - size : size;
  } else {
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + (is_negative ? 1 : 0);
    if (size > most) fail_at_number(text, "is out of the range of its type");
    return static_cast<T>(is_negative ? std::uint64_t{0} - size : size);
  }
}

}  // namespace

template <typename T>
T number_in(std::string_view text) {
  if constexpr (std::is_floating_point_v<T>)
    return real_in<T>(text);
  else
    return integer_in<T>(text);
}

template std::int32_t number_in(std::string_view text);
template std::int64_t number_in(std::string_view text);
template std::uint64_t number_in(std::string_view text);
template float number_in(std::string_view text);
template double number_in(std::string_view text);

}  // namespace skimline
