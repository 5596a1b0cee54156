// SPDX-License-Identifier: BSD-3-Clause
// The ranges of Float16_t and Double32_t, as titles and comments spell them.
#include "compression/stored_numbers.h"

#include "skimline/framework/number_text.h"

#include <cctype>
#include <cmath>
#include <string>
#include <vector>

namespace skimline::io {
namespace {

constexpr int kMaxBits = 32;
constexpr int kMinBits = 2;
constexpr int kHalfBits = 12;      // of a Float16_t that says none
constexpr int kMaxTruncated = 14;  // more are not truncated
constexpr double kPi = 3.14159265358979323846;

// A product or quotient of numbers: "-pi", "2*pi", "1e3", "pi/2".
class Expression {
 public:
  explicit Expression(std::string_view text) {
    for (const char c : text)
      if (std::isspace(static_cast<unsigned char>(c)) == 0)
        text_ += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }

  std::optional<double> value() {
    std::optional<double> result = factor();
    while (result && !text_.empty()) {
      const char operation = text_.front();
      if (operation != '*' && operation != '/') return std::nullopt;
      text_.erase(0, 1);
      const std::optional<double> next = factor();
      if (!next) return std::nullopt;
      result = operation == '*' ? *result * *next : *result / *next;
    }
    return result;
  }

 private:
  std::optional<double> factor() {
    double sign = 1;
    while (!text_.empty() && (text_.front() == '-' || text_.front() == '+')) {
      if (text_.front() == '-') sign = -sign;
      text_.erase(0, 1);
    }
    if (take("twopi")) return sign * 2 * kPi;
    if (take("pi")) return sign * kPi;
    double value = 0;
    const auto [end, error] = read_real(text_, value);
    if (error != std::errc()) return std::nullopt;
    text_.erase(0, static_cast<std::size_t>(end - text_.data()));
    // "2pi" is a product as well.
    if (take("pi")) value *= kPi;
    return sign * value;
  }

  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.erase(0, word.size());
    return true;
  }

  std::string text_;
};

struct Range {
  double minimum = 0, maximum = 0;
  int bits = kMaxBits;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<Range> parse_range(std::string_view text) {
  const std::vector<std::string_view> parts = split(text);
  if (parts.size() < 2) return std::nullopt;
  const std::optional<double> minimum = Expression(parts[0]).value();
  const std::optional<double> maximum = Expression(parts[1]).value();
  const std::optional<double> bits =
      parts.size() > 2 ? Expression(parts[2]).value() : std::optional<double>(kMaxBits);
  if (!minimum || !maximum || !bits) return std::nullopt;
  const bool is_valid = *bits >= kMinBits && *bits <= kMaxBits;
  return Range{*minimum, *maximum, is_valid ? static_cast<int>(*bits) : kMaxBits};
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
  } else if (range && range->bits <= kMaxTruncated) {
    number.encoding = Encoding::kTruncated;
    number.bits = range->bits;
  } else if (is_half) {
    number.encoding = Encoding::kTruncated;
    number.bits = kHalfBits;
  } else {
    number.encoding = Encoding::kNarrow;
  }
  return number;
}

}  // namespace skimline::io
