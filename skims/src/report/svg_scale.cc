// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg_scale.h"

#include "skimline/framework/maths.h"
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace skimline::skims {
namespace {

std::vector<double> linear_ticks(double low, double high, int number) {
  const double rough = (high - low) / number, power = maths::pow(10.0, std::floor(maths::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  // Counted, so that steps that are lost in rounding end too.
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= 2 * number; ++i) {
    const double tick = (first + i) * step;
    if (tick > high + 1e-9 * step) break;
    ticks.push_back(std::abs(tick) < 1e-9 * step ? 0 : tick);
  }
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int number) {
  const int first = static_cast<int>(std::ceil(maths::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(maths::log10(high) + 1e-9));
  if (last - first < 1) return linear_ticks(low, high, number);
  const int step = std::max(1, (last - first + number) / (number + 1));
  std::vector<double> ticks;
  for (int exponent = first; exponent <= last; exponent += step) ticks.push_back(maths::pow(10.0, exponent));
  return ticks;
}

std::string raised(int number) {
  static constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number)))
    text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

}  // namespace

SvgScale& SvgScale::between(double from, double to) {
  from_ = from;
  to_ = to;
  return *this;
}

double SvgScale::at(double value) const {
  const double inside = std::clamp(value, low_, high_);
  const double part =
      is_log_ ? maths::log(inside / low_) / maths::log(high_ / low_) : (inside - low_) / (high_ - low_);
  return from_ + part * (to_ - from_);
}

std::vector<double> SvgScale::ticks(int number) const {
  return is_log_ ? logarithmic_ticks(low_, high_, number) : linear_ticks(low_, high_, number);
}

std::string tick_text(double value) {
  if (value == 0 || (std::abs(value) >= 1e-3 && std::abs(value) < 1e5)) return significant_digits(value, 6);
  const int exponent = static_cast<int>(std::floor(maths::log10(std::abs(value)) + 1e-9));
  const std::string factor = significant_digits(value / maths::pow(10.0, exponent), 4);
  return (factor == "1" ? "10" : factor == "-1" ? "-10" : factor + "×10") + raised(exponent);
}

std::string place_text(double place) {
  std::string text = fixed_digits(place, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

}  // namespace skimline::skims
