// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>

namespace skimline {
namespace {

// What %f takes of the largest double, with as many decimals as anybody asks for.
using Digits = std::array<char, 400>;

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
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace skimline
