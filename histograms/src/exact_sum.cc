// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/exact_sum.h"

#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace skimline::histograms {
namespace {

// Below this window the units would leave the range of normal doubles; smaller values count as 0.
constexpr int kLowestIndex = -34;

__extension__ using Integer128 = __int128;

// Rounds to the nearest double, ties to even, as the conversion of integers does.
double rounded(Integer128 value) { return static_cast<double>(value); }

constexpr double kSumLimit = SumWindow::kLimit * SumWindow::kLimit;

using Doubles = double __attribute__((vector_size(32)));

// Four independent maxima of four lanes: one alone would wait for itself at every value.
struct FindLargest {
  [[gnu::always_inline]] static inline void run(const std::span<const double>& values,
                                                double* const& result) {
    constexpr std::size_t kMaxima = 4, kStep = 4 * kMaxima;
    const double* const in = values.data();
    const std::size_t size = values.size();
    Doubles largest[kMaxima] = {};
    std::size_t i = 0;
    for (; i + kStep <= size; i += kStep)
      for (std::size_t k = 0; k < kMaxima; ++k) {
        Doubles magnitude;
        std::memcpy(&magnitude, in + i + 4 * k, sizeof magnitude);
        magnitude = magnitude < 0 ? -magnitude : magnitude;
        largest[k] = magnitude > largest[k] ? magnitude : largest[k];
      }
    double total = 0;
    for (const Doubles& maximum : largest)
      for (int lane = 0; lane < 4; ++lane) total = std::max(total, maximum[lane]);
    for (; i < size; ++i) total = std::fabs(in[i]) > total ? std::fabs(in[i]) : total;
    *result = total;
  }
};

struct SumSplit {
  [[gnu::always_inline]] static inline void run(const std::span<const double>& values,
                                                const SumWindow::Splitter& splitter, SumParts* const& sum) {
    const double first = splitter.anchor(0), second = splitter.anchor(1), third = splitter.anchor(2);
    const double* const in = values.data();
    const std::size_t size = values.size();
    std::int64_t high = 0, middle = 0, low = 0;
    // As SumWindow::Splitter, spelled out so that it vectorises.
    for (std::size_t i = 0; i < size; ++i) {
      const double on_first = in[i] + first;
      const double rest = in[i] - (on_first - first);
      const double on_second = rest + second;
      const double on_third = rest - (on_second - second) + third;
      high += std::bit_cast<std::int64_t>(on_first) - std::bit_cast<std::int64_t>(first);
      middle += std::bit_cast<std::int64_t>(on_second) - std::bit_cast<std::int64_t>(second);
      low += std::bit_cast<std::int64_t>(on_third) - std::bit_cast<std::int64_t>(third);
    }
    (*sum)[0] += high;
    (*sum)[1] += middle;
    (*sum)[2] += low;
  }
};

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
  double largest = 0;
  run_kernel<FindLargest>(values, &largest);
  return largest;
}

double ExactSum::value() const {
  return is_infinite_ ? std::numeric_limits<double>::infinity() : window_.value_of(parts_);
}

void ExactSum::raise(SumWindow window) {
  if (window <= window_) return;
  parts_ = moved_down(parts_, window.places_above(window_));
  window_ = window;
}

void ExactSum::add(std::span<const double> values) {
  const double largest = largest_magnitude(values);
  is_infinite_ |= !(largest < kSumLimit);
  if (is_infinite_) return;
  raise(SumWindow::of(largest));
  run_kernel<SumSplit>(values, SumWindow::Splitter(window_), &parts_);
}

void ExactSum::add(const ExactSum& other) {
  is_infinite_ |= other.is_infinite_;
  raise(other.window_);
  const SumParts parts =
      moved_down(other.parts_, window_.is_empty() ? 0 : window_.places_above(other.window_));
  for (int i = 0; i < 3; ++i) parts_[i] += parts[i];
}

}  // namespace skimline::histograms
