// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/exact_sum.h"

#include "split_products.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace skimline::histograms {
namespace {

constexpr int kOffset = 25;
// Below this window the units would leave the range of doubles; smaller values count as 0.
constexpr int kLowestNumber = -18;
// The window of values just below 2^960, the square of SumWindow::kLimit.
constexpr int kHighestNumber = 19;

constexpr double kSumLimit = SumWindow::kLimit * SumWindow::kLimit;

// Values whose parts an integer of 64 bits can add.
constexpr std::size_t kAddable = 4096;

constexpr int unit_exponent(int number, int place) { return SumWindow::kWidth * (number - place) - kOffset; }

Integer128 shifted(Integer128 value, int bits) { return value * (Integer128{1} << bits); }

// Makes all parts but the first non-negative and less than 2^kWidth; the sum stays the same.
SumParts with_carries(SumParts parts) {
  for (std::size_t place = SumWindow::kPlaces - 1; place > 0; --place) {
    const Integer128 carry = parts[place] >> SumWindow::kWidth;
    parts[place] -= shifted(carry, SumWindow::kWidth);
    parts[place - 1] += carry;
  }
  return parts;
}

// Rounds parts with carries, none negative, to the nearest double, in units of the last place.
double rounded(const SumParts& parts) {
  constexpr int kWidth = SumWindow::kWidth;
  // The conversion of an integer rounds as it should; bits beyond its 128 matter only in not being zero.
  if (parts[0] < (Integer128{1} << (126 - 2 * kWidth)))
    return static_cast<double>(shifted(parts[0], 2 * kWidth) + shifted(parts[1], kWidth) + parts[2]);
  if (parts[0] < (Integer128{1} << (126 - kWidth)))
    return std::ldexp(static_cast<double>((shifted(parts[0], kWidth) + parts[1]) | (parts[2] != 0 ? 1 : 0)),
                      kWidth);
  return std::ldexp(static_cast<double>(parts[0] | ((parts[1] | parts[2]) != 0 ? 1 : 0)), 2 * kWidth);
}

Anchors anchors_of(SumWindow window) {
  Anchors anchors{};
  for (int place = 0; place < SumWindow::kPlaces; ++place) anchors.places[0][place] = window.anchor(place);
  return anchors;
}

}  // namespace

SumWindow SumWindow::of(double magnitude) {
  SumWindow window;
  if (magnitude == 0) return window;
  // Below half the unit of the next window, in which the value then has the same parts, moved down.
  const int above = std::ilogb(magnitude) + 1 - (kWidth - kOffset - 1);
  const int number = above > 0 ? (above + kWidth - 1) / kWidth : -(-above / kWidth);
  window.number_ = std::max(number, kLowestNumber);
  return window;
}

SumWindow SumWindow::numbered(int number) {
  if (number != kEmpty && (number < kLowestNumber || number > kHighestNumber))
    throw Error("no sum has the window " + std::to_string(number));
  SumWindow window;
  window.number_ = number;
  return window;
}

double SumWindow::anchor(int place) const {
  // 1.5 times the unit of the last bit, a normal number for every window.
  const int exponent = 52 + unit_exponent(is_empty() ? kLowestNumber : number_, place);
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52 | std::uint64_t{1} << 51);
}

double SumWindow::unit(int place) const {
  return std::ldexp(1.0, unit_exponent(is_empty() ? kLowestNumber : number_, place));
}

int SumWindow::places_above(SumWindow lower) const {
  return lower.is_empty() ? kPlaces : std::clamp(number_ - lower.number_, 0, kPlaces);
}

double SumWindow::value_of(const SumParts& parts) const {
  if (is_empty()) return 0;
  const SumParts positive = with_carries(parts);
  const int exponent = unit_exponent(number_, kPlaces - 1);
  if (positive[0] >= 0) return std::ldexp(rounded(positive), exponent);
  return -std::ldexp(rounded(with_carries({-parts[0], -parts[1], -parts[2]})), exponent);
}

SumParts moved_down(const SumParts& parts, int places) {
  SumParts moved{};
  for (int i = places; i < SumWindow::kPlaces; ++i) moved[i] = parts[i - places];
  return moved;
}

ExactSum::ExactSum(SumWindow window, const SumParts& parts, bool is_infinite)
    : parts_(parts), window_(window) {
  if (is_infinite) become_infinite();
}

double ExactSum::value() const {
  return is_infinite_ ? std::numeric_limits<double>::infinity() : window_.value_of(parts_);
}

// Forgets what was added before: it depends on the order what that is.
void ExactSum::become_infinite() {
  window_ = {};
  parts_ = {};
  is_infinite_ = true;
}

void ExactSum::raise(SumWindow window) {
  if (window <= window_) return;
  parts_ = moved_down(parts_, window.places_above(window_));
  window_ = window;
}

bool ExactSum::takes(double largest) {
  if (!(largest < kSumLimit)) become_infinite();
  if (is_infinite_) return true;
  const SumWindow needed = SumWindow::of(largest);
  if (needed <= window_) return true;
  raise(needed);
  return false;
}

void ExactSum::add_parts(const std::array<std::int64_t, SumWindow::kPlaces>& parts) {
  if (is_infinite_) return;
  for (int place = 0; place < SumWindow::kPlaces; ++place) parts_[place] += parts[place];
}

void ExactSum::add(std::span<const double> values) {
  for (std::size_t first = 0; first < values.size(); first += kAddable) {
    const std::size_t size = std::min(kAddable, values.size() - first);
    takes(magnitudes_of(values.data() + first, size).largest);
    BlockSums sums;
    split_products({{.doubles = values.data() + first}, nullptr, size}, anchors_of(window_),
                   {nullptr, false, &sums});
    add_parts(sums.parts[0]);
  }
}

void ExactSum::add(const ExactSum& other) {
  if (other.is_infinite_) become_infinite();
  if (is_infinite_ || other.window_.is_empty()) return;
  raise(other.window_);
  const SumParts parts = moved_down(other.parts_, window_.places_above(other.window_));
  for (int place = 0; place < SumWindow::kPlaces; ++place) parts_[place] += parts[place];
}

}  // namespace skimline::histograms
