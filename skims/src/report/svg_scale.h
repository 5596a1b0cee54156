// SPDX-License-Identifier: BSD-3-Clause
// From values to places in a drawing, and which values axes name.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

/// A range of values on a line of a drawing, linear or logarithmic.
class SvgScale {
 public:
  /// `low` < `high`, both greater than 0 on a logarithmic scale; they lie at `from` and `to`.
  SvgScale(double low, double high, bool is_log) : low_(low), high_(high), is_log_(is_log) {}
  SvgScale& between(double from, double to);

  double low() const { return low_; }
  double high() const { return high_; }
  bool is_log() const { return is_log_; }
  /// Where a value lies; those outside of the range at its end.
  double at(double value) const;
  /// Values that an axis names, about `number`: multiples of 1, 2 or 5 and a power of ten, or powers of ten.
  std::vector<double> ticks(int number) const;

 private:
  double low_, high_;
  bool is_log_;
  double from_ = 0, to_ = 1;
};

/// Returns a tick as people read it: "0.25", "1500", "2×10⁶".
std::string tick_text(double value);

/// Returns a place with as many digits as can be seen.
std::string place_text(double place);

}  // namespace skimline::skims
