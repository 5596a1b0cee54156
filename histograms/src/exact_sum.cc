// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/exact_sum.h"

#include "split_products.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace skimline::histograms {
namespace {

constexpr int kOffset = 25;
// Below this window the units would leave the range of doubles; smaller values count as 0.
constexpr int kLowestNumber = -18;
constexpr double kSumLimit = SumWindow::kLimit * SumWindow::kLimit;

// Values whose parts an integer of 64 bits can add.
constexpr std::size_t kAddable = 4096;

constexpr int exponent_of(int number) { return SumWindow::kWidth * number - kOffset; }

Integer128 shifted(Integer128 value, int bits) { return value * (Integer128{1} << bits); }

// The parts of a sum from the highest, as many as there can be.
using Digits = std::array<Integer128, SumParts::kHighest - SumParts::kLowest + 1>;

// Makes all but the first non-negative and less than 2^kWidth; the sum stays the same.
void carry(Digits& digits) {
  for (std::size_t i = digits.size() - 1; i > 0; --i) {
    const Integer128 carried = digits[i] >> SumWindow::kWidth;
    digits[i] -= shifted(carried, SumWindow::kWidth);
    digits[i - 1] += carried;
  }
}

// Rounds carried digits, none negative and the first not 0, to the nearest double, in units of the third.
double rounded(Integer128 first, Integer128 second, Integer128 third) {
  constexpr int kWidth = SumWindow::kWidth;
  // The conversion of an integer rounds as it should; bits beyond its 128 matter only in not being zero.
  if (first < (Integer128{1} << (126 - 2 * kWidth)))
    return static_cast<double>(shifted(first, 2 * kWidth) + shifted(second, kWidth) + third);
  if (first < (Integer128{1} << (126 - kWidth)))
    return std::ldexp(static_cast<double>((shifted(first, kWidth) + second) | (third != 0 ? 1 : 0)), kWidth);
  return std::ldexp(static_cast<double>(first | ((second | third) != 0 ? 1 : 0)), 2 * kWidth);
}

Anchors anchors_of(SumWindow window) {
  Anchors anchors{};
  for (int place = 0; place < SumWindow::kPlaces; ++place) anchors.places[0][place] = window.anchor(place);
  return anchors;
}

}  // namespace

Integer128 SumParts::of(int number) const {
  const auto at = static_cast<std::size_t>(end_ - 1 - number);
  return number < end_ && at < parts_.size() ? parts_[at] : 0;
}

int SumParts::lowest() const {
  const auto last = std::find_if(parts_.rbegin(), parts_.rend(), [](Integer128 part) { return part != 0; });
  return end_ - static_cast<int>(parts_.rend() - last);
}

void SumParts::add(int number, Integer128 part) {
  if (part == 0) return;
  if (number > kHighest || number < kLowest) throw Error("a sum has parts beyond its range");
  if (parts_.empty()) end_ = number + 1;
  if (number >= end_) {
    parts_.insert(parts_.begin(), static_cast<std::size_t>(number + 1 - end_), 0);
    end_ = number + 1;
  }
  const auto at = static_cast<std::size_t>(end_ - 1 - number);
  if (at >= parts_.size()) parts_.resize(at + 1);
  parts_[at] += part;
}

void SumParts::add(const SumParts& other) {
  for (int number = other.lowest(); number < other.end_; ++number) add(number, other.of(number));
}

bool SumParts::operator==(const SumParts& other) const {
  for (int number = std::min(lowest(), other.lowest()); number < std::max(end_, other.end_); ++number)
    if (of(number) != other.of(number)) return false;
  return true;
}

double SumParts::value() const {
  Digits digits{};
  for (int number = lowest(); number < end_; ++number)
    digits[static_cast<std::size_t>(kHighest - number)] = of(number);
  carry(digits);
  const bool is_negative = digits.front() < 0;
  if (is_negative) {
    for (Integer128& digit : digits) digit = -digit;
    carry(digits);
  }
  std::size_t first = 0;
  while (first < digits.size() && digits[first] == 0) ++first;
  if (first == digits.size()) return 0;
  const auto at = [&](std::size_t i) { return i < digits.size() ? digits[i] : 0; };
  bool has_more = false;
  for (std::size_t i = first + 3; i < digits.size(); ++i) has_more |= digits[i] != 0;
  const double value = rounded(digits[first], at(first + 1), at(first + 2) | (has_more ? 1 : 0));
  const double scaled = std::ldexp(value, exponent_of(kHighest - static_cast<int>(first) - 2));
  return is_negative ? -scaled : scaled;
}

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
  if (number != kEmpty && (number < kLowestNumber || number > SumParts::kHighest))
    throw Error("no sum has the window " + std::to_string(number));
  SumWindow window;
  window.number_ = number;
  return window;
}

double SumWindow::anchor(int place) const {
  // 1.5 times the unit of the last bit, a normal number for every place.
  const int exponent = 52 + exponent_of((is_empty() ? kLowestNumber : number_) - place);
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52 | std::uint64_t{1} << 51);
}

double SumWindow::unit(int place) const {
  return std::ldexp(1.0, exponent_of((is_empty() ? kLowestNumber : number_) - place));
}

ExactSum::ExactSum(SumWindow window, const SumParts& parts, bool is_infinite)
    : parts_(parts), window_(window) {
  if (is_infinite) become_infinite();
}

double ExactSum::value() const {
  return is_infinite_ ? std::numeric_limits<double>::infinity() : parts_.value();
}

// Forgets what was added before: it depends on the order what that is.
void ExactSum::become_infinite() {
  window_ = {};
  parts_ = {};
  is_infinite_ = true;
}

bool ExactSum::takes(double largest) {
  if (!(largest < kSumLimit)) become_infinite();
  if (is_infinite_) return true;
  const SumWindow needed = SumWindow::of(largest);
  if (needed <= window_) return true;
  window_ = needed;
  return false;
}

void ExactSum::add_parts(const std::array<std::int64_t, SumWindow::kPlaces>& parts) {
  if (is_infinite_) return;
  for (int place = 0; place < SumWindow::kPlaces; ++place)
    parts_.add(window_.number() - place, parts[static_cast<std::size_t>(place)]);
}

void ExactSum::add_rest_of(double value) {
  if (is_infinite_ || window_.is_empty()) return;
  const SumWindow window = SumWindow::of(std::fabs(value));
  for (int place = 0; value != 0 && window.number() - place >= SumParts::kLowest; ++place) {
    const int number = window.number() - place;
    const std::int64_t part = split_off(value, window.anchor(place));
    if (number <= window_.number() - SumWindow::kPlaces) parts_.add(number, part);
  }
}

void ExactSum::add(std::span<const double> values) {
  for (std::size_t first = 0; first < values.size(); first += kAddable) {
    const auto block = values.subspan(first, std::min(kAddable, values.size() - first));
    takes(magnitudes_of(block.data(), block.size()).largest);
    BlockSums sums;
    split_products({{.doubles = block.data()}, nullptr, block.size()}, anchors_of(window_),
                   {nullptr, false, &sums});
    add_parts(sums.parts[0]);
    if (!sums.has_rest[0]) continue;
    for (const double value : block) add_rest_of(value);
  }
}

void ExactSum::add(const ExactSum& other) {
  if (other.is_infinite_) become_infinite();
  if (is_infinite_ || other.window_.is_empty()) return;
  window_ = std::max(window_, other.window_);
  parts_.add(other.parts_);
}

}  // namespace skimline::histograms
