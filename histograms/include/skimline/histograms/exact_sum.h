// SPDX-License-Identifier: BSD-3-Clause
// Sums of doubles that do not depend on the order of the additions, to the last bit.
//
// A value v is split on fixed powers of two: v = a u(k) + b u(k-1) + c u(k-2) + rest, where u(k) = 2^(28 k),
// a, b, c are integers of at most 28 bits and sign, and the *window* k is chosen so that |v| < u(k + 1). Only
// the integers are added, which is exact and associative. When a larger value comes, the window is raised:
// the parts move down a place and the lowest is dropped. Since the powers are fixed, what is dropped does not
// depend on the order either. The idea is that of Demmel and Nguyen, "Parallel Reproducible Summation" (IEEE
// Transactions on Computers 64, 2015).
//
// Error: each value is wrong by at most u(k-2) / 2 <= 2^-57 of the largest magnitude added to the window, and
// the sum is rounded to double once. Plain summation errs by up to 2^-53 of the partial sum at every step.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace skimline::histograms {

/// The parts of one value or of a sum of values in a window, from the highest.
using SumParts = std::array<std::int64_t, 3>;

/// Which powers of two the parts of a sum count: see above.
class SumWindow {
 public:
  /// Bits between the powers.
  static constexpr int kWidth = 28;
  /// Values from here on cannot be added; their square must stay a double.
  static constexpr double kLimit = 0x1p480;
  /// Values that may be added to one sum: beyond, the integers could overflow.
  static constexpr std::uint64_t kMaxAdditions = std::uint64_t{1} << 34;

  /// The window of a sum to which nothing was added.
  constexpr SumWindow() = default;

  /// The lowest window that takes values up to `magnitude`, which is finite and not negative.
  static SumWindow of(double magnitude);

  constexpr bool is_empty() const { return index_ == kEmpty; }
  // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the comparison with zero for a pointer
  friend constexpr auto operator<=>(const SumWindow&, const SumWindow&) = default;

  /// Splits values whose magnitude the window takes; inlined, for loops that vectorise.
  class Splitter {
   public:
    explicit Splitter(SumWindow window);
    SumParts operator()(double value) const {
      SumParts parts;
      for (int i = 0; i < 3; ++i) {
        // Adding the anchor rounds to a multiple of its unit, and leaves the multiple in the low bits.
        const double shifted = value + anchors_[i];
        parts[i] = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(anchors_[i]);
        value -= shifted - anchors_[i];
      }
      return parts;
    }

    double anchor(int place) const { return anchors_[place]; }

   private:
    double anchors_[3];
  };

  /// Places by which parts in `lower` move down when they come into this window.
  int places_above(SumWindow lower) const;

  /// The double nearest to the sum of the parts, each in its unit. Ties go to even.
  double value_of(const SumParts& parts) const;

 private:
  static constexpr int kEmpty = -1000;
  int index_ = kEmpty;
};

/// Moves parts down by `places`, dropping the lowest.
inline SumParts moved_down(const SumParts& parts, int places) {
  SumParts moved{};
  for (int i = places; i < 3; ++i) moved[i] = parts[i - places];
  return moved;
}

/// Largest magnitude among values that are not NaN; 0 if there are none.
double largest_magnitude(std::span<const double> values);

/// One order-independent sum.
class ExactSum {
 public:
  /// Adds values, none of them NaN. From magnitude 2^960 on the sum becomes infinite for good.
  void add(std::span<const double> values);
  void add(const ExactSum& other);
  double value() const;

 private:
  void raise(SumWindow window);

  SumWindow window_;
  SumParts parts_{};
  bool is_infinite_ = false;
};

}  // namespace skimline::histograms
