// SPDX-License-Identifier: BSD-3-Clause
// The ranges of Float16_t and Double32_t, as titles and comments spell them.
#include "compression/stored_numbers.h"

#include "skimline/framework/number_text.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace skimline::io {
namespace {

constexpr int kMaxBits = 32;
constexpr int kMinBits = 2;
constexpr int kHalfBits = 12;      // of a Float16_t that says none
constexpr int kMaxTruncated = 14;  // more are not truncated
constexpr double kPi = 3.14159265358979323846;

// The text without spaces and in small letters, as ROOT looks at it.
std::string simplified(std::string_view text) {
  std::string simple;
  for (const char c : text)
    if (c != ' ') simple += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return simple;
}

// Multiples of pi that ROOT knows, in its order; it takes any other text with "pi" for pi itself, "3*pi" too.
double multiple_of_pi(const std::string& text) {
  struct Multiple {
    std::string_view spelling;
    double value;
  };
  constexpr Multiple kMultiples[] = {
      {"2pi", 2 * kPi}, {"2*pi", 2 * kPi}, {"twopi", 2 * kPi}, {"pi/2", kPi / 2}, {"pi/4", kPi / 4}};
  double value = kPi;
  for (const Multiple& multiple : kMultiples)
    if (text.find(multiple.spelling) != std::string::npos) {
      value = multiple.value;
      break;
    }
  return text.find('-') == std::string::npos ? value : -value;
}

// What scanf takes before a number, apart from the minus.
std::string_view without_plus(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text;
}

// The number that a text begins with, as scanf reads it: 0 of what is none, 1 of "1/2", 16 of "0x10".
double leading_number(std::string_view text) {
  text = without_plus(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.starts_with('-')) return 0;
  const bool is_hex = text.starts_with("0x");
  double value = 0;
  read_real(text.substr(is_hex ? 2 : 0), value, is_hex ? std::chars_format::hex : std::chars_format::general);
  return is_negative ? -value : value;
}

double limit(std::string_view spelled) {
  const std::string text = simplified(spelled);
  return text.find("pi") == std::string::npos ? leading_number(text) : multiple_of_pi(text);
}

int number_of_bits(std::string_view spelled) {
  const std::string simple = simplified(spelled);
  const std::string_view text = without_plus(simple);
  std::int64_t number = kMaxBits;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return kMaxBits;
  const auto bits = static_cast<std::int32_t>(number);  // as scanf stores it
  return bits >= kMinBits && bits <= kMaxBits ? bits : kMaxBits;
}

struct Range {
  double minimum = 0, maximum = 0;
  int bits = kMaxBits;
};

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view behind = text.substr(comma + 1);
  const std::size_t second = behind.find(',');
  Range range{limit(text.substr(0, comma)), limit(behind.substr(0, second)), kMaxBits};
  if (second != std::string_view::npos) range.bits = number_of_bits(behind.substr(second + 1));
  return range;
}

// The first brackets that hold a range: dimensions may come before.
std::optional<Range> find_range(std::string_view text) {
  while (true) {
    const std::size_t begin = text.find('[');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find(']', begin);
    if (end == std::string_view::npos) return std::nullopt;
    if (const auto range = parse_range(text.substr(begin + 1, end - begin - 1))) return range;
    text.remove_prefix(end + 1);
  }
}

// How many bits a range without an extent leaves: its own if they are few, and else the minimum, where ROOT
// notes them.
int truncated_bits(const Range& range) {
  if (range.bits <= kMaxTruncated) return range.bits;
  return range.minimum >= 1 && range.minimum < kMaxTruncated + 1 ? static_cast<int>(range.minimum) : 0;
}

}  // namespace

StoredNumber reduced_number(bool is_half, std::string_view text) {
  using Encoding = StoredNumber::Encoding;
  StoredNumber number;
  number.scalar = is_half ? ScalarType::kFloat : ScalarType::kDouble;
  const std::optional<Range> range = find_range(text);
  if (range && range->minimum < range->maximum) {
    number.encoding = Encoding::kRange;
    number.minimum = range->minimum;
    const double steps = range->bits < kMaxBits ? std::ldexp(1.0, range->bits) : 4294967295.0;
    number.steps = steps / (range->maximum - range->minimum);
  } else if (range && truncated_bits(*range) > 0) {
    number.encoding = Encoding::kTruncated;
    number.bits = truncated_bits(*range);
  } else if (is_half) {
    number.encoding = Encoding::kTruncated;
    number.bits = kHalfBits;
  } else {
    number.encoding = Encoding::kNarrow;
  }
  return number;
}

}  // namespace skimline::io
