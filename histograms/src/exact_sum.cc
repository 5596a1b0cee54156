// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skimline::histograms {
namespace {

// Below this window the units would leave the range of normal doubles; smaller values count as 0.
constexpr int kLowestIndex = -34;

__extension__ using Integer128 = __int128;

// Rounds to the nearest double, ties to even, as the conversion of integers does.
double rounded(Integer128 value) { return static_cast<double>(value); }

constexpr double kSumLimit = SumWindow::kLimit * SumWindow::kLimit;

}  // namespace

SumWindow SumWindow::of(double magnitude) {
  SumWindow window;
  if (magnitude == 0) return window;
  const int exponent = std::ilogb(magnitude);
  const int index = exponent >= 0 ? exponent / kWidth : -((kWidth - 1 - exponent) / kWidth);
  window.index_ = std::max(index, kLowestIndex);
  return window;
}

SumWindow::Splitter::Splitter(SumWindow window) {
  const int index = window.is_empty() ? kLowestIndex : window.index_;
  for (int i = 0; i < 3; ++i) anchors_[i] = std::ldexp(1.5, 52 + kWidth * (index - i));
}

int SumWindow::places_above(SumWindow lower) const {
  return lower.is_empty() ? 3 : std::min(3, index_ - lower.index_);
}

double SumWindow::value_of(const SumParts& parts) const {
  if (is_empty()) return 0;
  const Integer128 total = (static_cast<Integer128>(parts[0]) * (Integer128{1} << (2 * kWidth))) +
                           (static_cast<Integer128>(parts[1]) * (Integer128{1} << kWidth)) + parts[2];
  return std::ldexp(rounded(total), kWidth * (index_ - 2));
}

double largest_magnitude(std::span<const double> values) {
  // Independent maxima: one alone would wait for itself at every value.
  constexpr std::size_t kLanes = 8;
  double largest[kLanes] = {};
  const auto take = [&](std::size_t lane, double value) {
    const double magnitude = std::fabs(value);
    largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
  };
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) take(lane, values[i + lane]);
  for (; i < values.size(); ++i) take(0, values[i]);
  return *std::max_element(largest, largest + kLanes);
}

double ExactSum::value() const {
  return is_infinite_ ? std::numeric_limits<double>::infinity() : window_.value_of(parts_);
}

void ExactSum::raise(SumWindow window) {
  if (window <= window_) return;
  parts_ = moved_down(parts_, window.places_above(window_));
  window_ = window;
}

void ExactSum::add(std::span<const double> values, double bound) {
  is_infinite_ |= !(bound < kSumLimit);
  if (is_infinite_) return;
  raise(SumWindow::of(bound));
  const SumWindow::Splitter split(window_);
  std::int64_t high = 0, middle = 0, low = 0;
  for (const double value : values) {
    const SumParts parts = split(value);
    high += parts[0];
    middle += parts[1];
    low += parts[2];
  }
  parts_[0] += high;
  parts_[1] += middle;
  parts_[2] += low;
}

void ExactSum::add(const ExactSum& other) {
  is_infinite_ |= other.is_infinite_;
  raise(other.window_);
  const SumParts parts =
      moved_down(other.parts_, window_.is_empty() ? 0 : window_.places_above(other.window_));
  for (int i = 0; i < 3; ++i) parts_[i] += parts[i];
}

}  // namespace skimline::histograms
