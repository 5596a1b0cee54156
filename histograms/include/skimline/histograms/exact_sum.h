// SPDX-License-Identifier: BSD-3-Clause
// Sums of doubles that do not depend on the order of the additions, to the last bit.
//
// A value v is split on fixed powers of two: v = a u(k) + b u(k-1) + c u(k-2) + rest, where
// u(k) = 2^(50 k - 25), a, b, c are the nearest integers, and the *window* k is chosen so that
// |v| < u(k + 1) / 2. Only the integers are added, which is exact and associative. When a larger value comes,
// the window is raised: the parts move down a place and the lowest is dropped. Since v would have the same
// parts in the higher window, what is dropped does not depend on the order either. The idea is that of Demmel
// and Nguyen, "Parallel Reproducible Summation" (IEEE Transactions on Computers 64, 2015).
//
// Error: each value is wrong by at most u(k-2) / 2 <= 2^-100 of the largest magnitude added to the window, so
// by nothing if it is above 2^-46 of it; and the sum is rounded to double once. Where doubles end so does
// this: no error is promised to be below 2^-1026. Plain summation errs by up to 2^-53 of the partial sum at
// every step.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skimline::histograms {

/// A signed integer of 128 bits, which gcc and clang have.
__extension__ using Integer128 = __int128;

/// Which powers of two the parts of a sum count: see above.
class SumWindow {
 public:
  /// Bits between the powers.
  static constexpr int kWidth = 50;
  static constexpr int kPlaces = 3;
  /// Weights from here on cannot be added; their square must stay a double.
  static constexpr double kLimit = 0x1p480;

  /// The window of a sum to which nothing was added.
  constexpr SumWindow() = default;

  /// The lowest window that takes values up to `magnitude`, which is finite and not negative.
  static SumWindow of(double magnitude);

  /// The window of a number that number() gave. Throws Error if it is none.
  static SumWindow numbered(int number);
  int number() const { return number_; }

  /// Whether nothing was added.
  constexpr bool is_empty() const { return number_ == kEmpty; }
  // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the comparison with zero for a pointer
  friend constexpr auto operator<=>(const SumWindow&, const SumWindow&) = default;

  /// Adding it to a value below the window's end rounds the value to a multiple of the place's unit, and
  /// leaves the multiple in the low bits of the sum.
  double anchor(int place) const;
  /// What one in a place counts.
  double unit(int place) const;

  /// Places by which parts in `lower` move down when they come into this window; 3 if nothing is left.
  int places_above(SumWindow lower) const;

  /// The double nearest to the sum of the parts, each in its unit. Ties go to even.
  double value_of(const std::array<Integer128, kPlaces>& parts) const;

 private:
  static constexpr int kEmpty = -1000;
  int number_ = kEmpty;
};

/// The parts of a sum, from the highest.
using SumParts = std::array<Integer128, SumWindow::kPlaces>;

/// Moves parts down by `places`, dropping the lowest.
SumParts moved_down(const SumParts& parts, int places);

/// One order-independent sum.
class ExactSum {
 public:
  ExactSum() = default;
  /// A sum as window(), parts() and is_infinite() gave it.
  ExactSum(SumWindow window, const SumParts& parts, bool is_infinite);

  /// Adds values, none of them NaN. From magnitude 2^960 on the sum becomes infinite for good.
  void add(std::span<const double> values);
  void add(const ExactSum& other);

  /// For those who split values themselves: whether the window takes values up to `largest`. If not, it is
  /// raised so that it does, or the sum becomes infinite and takes all.
  bool takes(double largest);
  /// Adds the parts of values in the window.
  void add_parts(const std::array<std::int64_t, SumWindow::kPlaces>& parts);

  /// The double nearest to the sum, ties to even; infinite once a value was too large.
  double value() const;

  /// The state of the sum, as the constructor takes it.
  SumWindow window() const { return window_; }
  const SumParts& parts() const { return parts_; }
  bool is_infinite() const { return is_infinite_; }

 private:
  void raise(SumWindow window);
  void become_infinite();

  SumParts parts_{};
  SumWindow window_;
  bool is_infinite_ = false;
};

/// One order-independent sum for each cell of a histogram, all in one window.
class ExactCells {
 public:
  ExactCells() = default;
  /// Sums of zero.
  explicit ExactCells(std::size_t num_cells) : num_cells_(num_cells) {}

  /// Cells, and the window of all of them. Setting it moves no parts.
  std::size_t size() const { return num_cells_; }
  SumWindow window() const { return window_; }
  void set_window(SumWindow window) { window_ = window; }

  /// The parts of one cell, below size(), in the window.
  SumParts parts(std::size_t cell) const;
  void set_parts(std::size_t cell, const SumParts& parts);
  /// Adds the sums of `other`, which has as many cells.
  void add(const ExactCells& other);
  double value(std::size_t cell) const { return window_.value_of(parts(cell)); }
  /// Writes the values of the cells [first, last).
  void round(std::size_t first, std::size_t last, double* values) const;
  /// The sum of the cells [first, last), up to 2^31 of them.
  SumParts total(std::size_t first, std::size_t last) const;

  /// A part is low + high 2^kLowBits with -2^(kLowBits - 1) <= low < 2^(kLowBits - 1), in one way.
  static constexpr int kLowBits = 60;
  /// One number per cell, or none if all are zero.
  const std::vector<std::int64_t>& low(int place) const { return low_[place]; }
  const std::vector<std::int64_t>& high(int place) const { return high_[place]; }
  /// Sets the parts of all cells in one place. Throws Error unless both are of the form said above.
  void assign(int place, std::vector<std::int64_t> low, std::vector<std::int64_t> high);
  /// The same for numbers that are known to be.
  void take(int place, std::vector<std::int64_t> low, std::vector<std::int64_t> high);
  /// Forgets numbers that are zero in all cells, so that equal sums have equal low() and high().
  void drop_zeros();

 private:
  void raise(SumWindow window);
  void set_part(int place, std::size_t cell, Integer128 part);
  void add_place(int place, const std::vector<std::int64_t>& low, const std::vector<std::int64_t>& high);
  void carry(int place);
  bool has_more(std::size_t cell) const;

  std::size_t num_cells_ = 0;
  SumWindow window_;
  std::array<std::vector<std::int64_t>, SumWindow::kPlaces> low_, high_;
};

}  // namespace skimline::histograms
