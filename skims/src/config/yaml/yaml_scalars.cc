// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml/yaml_scalars.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace skimline::skims {
namespace {

constexpr std::string_view kDecimals = "0123456789";

// In small letters, with a capital, or in capitals. A point may stand in front of the letters.
bool is_word(std::string_view text, std::string_view word) {
  if (text == word) return true;
  const auto upper = [](char letter) { return letter >= 'a' && letter <= 'z' ? char(letter - 32) : letter; };
  const std::size_t first = word.find_first_not_of('.');
  std::string capital(word), capitals(word);
  capital[first] = upper(capital[first]);
  for (char& letter : capitals) letter = upper(letter);
  return text == capital || text == capitals;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return is_word(text, word); });
}

std::optional<double> whole_number(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error == std::errc::result_out_of_range && base == 10) {
    double real = 0;
    read_real(digits, real);
    return real;
  }
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<double>(number);
}

// Without sign and "_".
std::optional<double> integer_in(std::string_view digits) {
  if (digits.starts_with("0x")) return whole_number(digits.substr(2), 16);
  if (digits.empty() || digits.find_first_not_of(kDecimals) != std::string_view::npos) return std::nullopt;
  return whole_number(digits, digits.size() > 1 && digits.front() == '0' ? 8 : 10);
}

std::optional<double> real_in(std::string_view digits) {
  if (is_word(digits, ".inf")) return std::numeric_limits<double>::infinity();
  if (is_word(digits, ".nan")) return std::numeric_limits<double>::quiet_NaN();
  if (digits.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  const std::size_t first = digits.starts_with('.') ? 1 : 0;
  if (first >= digits.size() || kDecimals.find(digits[first]) == std::string_view::npos) return std::nullopt;
  return only_number(digits);
}

}  // namespace

JsonValue plain_scalar(const std::string& text) {
  JsonValue value;
  value.text = text;
  value.kind = JsonKind::kString;
  if (text.empty() || text == "~" || is_word(text, "null")) value.kind = JsonKind::kNull;
  const std::array<std::string_view, 3> yes{"true", "yes", "on"}, no{"false", "no", "off"};
  value.boolean = is_one_of(text, yes);
  if (value.boolean || is_one_of(text, no)) value.kind = JsonKind::kBool;
  if (value.kind != JsonKind::kString) return value;
  const bool has_sign = text.front() == '-' || text.front() == '+';
  std::string digits = text.substr(has_sign ? 1 : 0);
  if (digits.empty() || (kDecimals.find(digits.front()) == std::string_view::npos && digits.front() != '.'))
    return value;
  std::erase(digits, '_');
  std::optional<double> number = integer_in(digits);
  if (number) {
    value.kind = JsonKind::kInteger;
  } else if ((number = real_in(digits))) {
    value.kind = JsonKind::kReal;
  }
  if (number) value.number = text.front() == '-' ? -*number : *number;
  return value;
}

}  // namespace skimline::skims
