// SPDX-License-Identifier: BSD-3-Clause
// Sums of doubles that are exact, whatever the order of the additions: docs/rationale.md says why.
//
// A value v is split on fixed powers of two: v = a u(k) + b u(k-1) + c u(k-2) + ..., where
// u(k) = 2^(50 k - 25), a, b, c ... are the nearest integers, and k, the *window*, is the lowest number with
// |v| < u(k + 1) / 2. Only the integers are added, for each unit apart. The window of a sum is that of its
// largest value. The sum is rounded to double once. Where doubles end so does this: each value is wrong by up
// to 2^-1026.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skimline::histograms {

/// A signed integer of 128 bits, which gcc and clang have.
__extension__ using Integer128 = __int128;

/// The integers of a sum, by the number of the unit that each counts.
class SumParts {
 public:
  static constexpr int kHighest = 19, kLowest = -20;
  /// What counts u(number); 0 if there is none.
  Integer128 of(int number) const;
  /// Throws Error if there is no such unit, unless the part is 0.
  void add(int number, Integer128 part);
  void add(const SumParts& other);
  /// All parts but zeros have numbers in [lowest(), end()); the lowest is not zero.
  int end() const { return end_; }
  int lowest() const;
  bool are_zero() const { return lowest() == end_; }
  bool operator==(const SumParts& other) const;
  /// The double nearest to the sum; ties go to even.
  double value() const;

 private:
  int end_ = 0;
  std::vector<Integer128> parts_;  // from the highest
};

/// Which powers of two the parts of a value count: see above.
class SumWindow {
 public:
  /// Bits between the powers.
  static constexpr int kWidth = 50;
  /// Places that mostly hold all parts of a value: units k to k - 2 are those of place 0 to 2.
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
  /// Places, kPlaces at least, down to the unit of that number.
  int places_to(int lowest) const { return is_empty() ? kPlaces : std::max(kPlaces, number_ - lowest + 1); }

 private:
  static constexpr int kEmpty = -1000;
  int number_ = kEmpty;
};

/// One exact sum.
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
  /// Adds the parts of values in the window, and of one value what they leave of it.
  void add_parts(const std::array<std::int64_t, SumWindow::kPlaces>& parts);
  void add_rest_of(double value);

  /// The double nearest to the sum, ties to even; infinite once a value was too large.
  double value() const;
  /// The state of the sum, as the constructor takes it.
  SumWindow window() const { return window_; }
  const SumParts& parts() const { return parts_; }
  bool is_infinite() const { return is_infinite_; }

 private:
  void become_infinite();

  SumParts parts_;
  SumWindow window_;
  bool is_infinite_ = false;
};

/// One exact sum for each cell of a histogram, all in one window.
class ExactCells {
 public:
  ExactCells() = default;
  /// Sums of zero.
  explicit ExactCells(std::size_t num_cells) : num_cells_(num_cells) {}

  /// Cells, and the window of all of them. Setting it moves no parts.
  std::size_t size() const { return num_cells_; }
  SumWindow window() const { return window_; }
  void set_window(SumWindow window) { window_ = window; }

  /// The parts of one cell, below size(), none above the window.
  SumParts parts(std::size_t cell) const;
  void set_parts(std::size_t cell, const SumParts& parts);
  void add_parts(std::size_t cell, const SumParts& parts);
  /// Adds the sums of `other`, which has as many cells.
  void add(const ExactCells& other);
  /// Writes the values of the cells [first, last).
  void round(std::size_t first, std::size_t last, double* values) const;
  /// The sum of the cells [first, last), up to 2^31 of them.
  SumParts total(std::size_t first, std::size_t last) const;

  /// A part is low + high 2^kLowBits with -2^(kLowBits - 1) <= low < 2^(kLowBits - 1), in one way.
  static constexpr int kLowBits = 60;
  /// Places of the window, SumWindow::kPlaces at least; in each one number per cell, or none if all are zero.
  int num_places() const { return static_cast<int>(low_.size()); }
  const std::vector<std::int64_t>& low(int place) const { return low_[place]; }
  const std::vector<std::int64_t>& high(int place) const { return high_[place]; }
  /// Sets the parts of all cells in one place. Throws Error unless both are of the form said above.
  void assign(int place, std::vector<std::int64_t> low, std::vector<std::int64_t> high);
  /// Forgets numbers that are zero in all cells, so that equal sums have equal low() and high().
  void drop_zeros();

 private:
  void reach(int place);
  void raise(SumWindow window);
  void set_part(int place, std::size_t cell, Integer128 part);
  void add_place(int place, const std::vector<std::int64_t>& low, const std::vector<std::int64_t>& high);
  bool has_more(std::size_t cell) const;

  std::size_t num_cells_ = 0;
  SumWindow window_;
  std::vector<std::vector<std::int64_t>> low_{SumWindow::kPlaces}, high_{SumWindow::kPlaces};
};

}  // namespace skimline::histograms
