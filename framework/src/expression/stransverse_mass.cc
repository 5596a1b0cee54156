// SPDX-License-Identifier: BSD-3-Clause
// For a mass M, the transverse momenta of what is unseen with which one particle is not heavier than M fill
// an ellipse (H.-C. Cheng, Z. Han, JHEP 12 (2008) 063). The answer is the M at which both ellipses touch;
// whether they do is told by the roots of det(x A + B) (W. Wang, J. Wang, M.-S. Kim, CAGD 18 (2001) 531).
#include "expression/stransverse_mass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace skimline {
namespace {

// a x^2 + 2 b x y + c y^2 + 2 d x + 2 e y + f, which is negative inside.
struct Conic {
  double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
};

// A determinant of three columns.
double determinant_of(const double (&u)[3], const double (&v)[3], const double (&w)[3]) {
  return u[0] * (v[1] * w[2] - v[2] * w[1]) - v[0] * (u[1] * w[2] - u[2] * w[1]) +
         w[0] * (u[1] * v[2] - u[2] * v[1]);
}

double squared_energy(const SemiInvisible& side) {
  return side.mass * side.mass + side.px * side.px + side.py * side.py;
}

// Momenta of the unseen with which the particle has at most the mass.
Conic momenta_within(const SemiInvisible& side, double mass) {
  const double energy2 = squared_energy(side);
  const double room = (mass * mass - side.mass * side.mass - side.invisible * side.invisible) / 2;
  return {energy2 - side.px * side.px,
          -side.px * side.py,
          energy2 - side.py * side.py,
          -room * side.px,
          -room * side.py,
          energy2 * side.invisible * side.invisible - room * room};
}

// The same momenta, as what they leave over of (x, y).
Conic left_over(const Conic& of, double x, double y) {
  return {of.a,
          of.b,
          of.c,
          -of.d - of.a * x - of.b * y,
          -of.e - of.b * x - of.c * y,
          of.a * x * x + 2 * of.b * x * y + of.c * y * y + 2 * of.d * x + 2 * of.e * y + of.f};
}

// One of the roots is negative; the ellipses are apart where the two others are positive and differ.
bool are_apart(const Conic& p, const Conic& q) {
  const double a[3][3] = {{p.a, p.b, p.d}, {p.b, p.c, p.e}, {p.d, p.e, p.f}};
  const double b[3][3] = {{q.a, q.b, q.d}, {q.b, q.c, q.e}, {q.d, q.e, q.f}};
  const double lead = determinant_of(a[0], a[1], a[2]);
  const double square = (determinant_of(b[0], a[1], a[2]) + determinant_of(a[0], b[1], a[2]) +
                         determinant_of(a[0], a[1], b[2])) /
                        lead;
  const double linear = (determinant_of(a[0], b[1], b[2]) + determinant_of(b[0], a[1], b[2]) +
                         determinant_of(b[0], b[1], a[2])) /
                        lead;
  const double constant = determinant_of(b[0], b[1], b[2]) / lead;
  if (square >= 0 && linear >= 0) return false;
  const double discriminant = square * square * (linear * linear - 4 * square * constant) -
                              4 * linear * linear * linear + 18 * square * linear * constant -
                              27 * constant * constant;
  return discriminant > 0;
}

// The energies of both less the product of their momenta is taken from what is left of its square, where the
// difference would cancel.
double squared_mass_with(const SemiInvisible& side, double qx, double qy) {
  const double energy = std::sqrt(squared_energy(side));
  const double invisible_energy = std::sqrt(side.invisible * side.invisible + qx * qx + qy * qy);
  const double along = side.px * qx + side.py * qy;
  double product = energy * invisible_energy - along;
  if (along > 0) {
    const double across = side.px * qy - side.py * qx, by_mass = side.mass * invisible_energy,
                 by_invisible = side.invisible * std::sqrt(side.px * side.px + side.py * side.py);
    product = (by_mass * by_mass + by_invisible * by_invisible + across * across) /
              (energy * invisible_energy + along);
  }
  return side.mass * side.mass + side.invisible * side.invisible + 2 * product;
}

// The least value of a function that falls, then rises.
template <typename Function>
double least_between(double low, double high, Function function) {
  constexpr double kGolden = 0.6180339887498949;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = function(left), at_right = function(right);
  for (int i = 0; i < 75; ++i) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = function(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = function(right);
    }
  }
  return std::min(at_left, at_right);
}

// Momenta as if the x axis lay along (x, y), which has length 1.
SemiInvisible turned(const SemiInvisible& side, double x, double y) {
  return {side.mass, x * side.px + y * side.py, x * side.py - y * side.px, side.invisible};
}

double ninth_power(double x) {
  const double cube = x * x * x;
  return cube * cube * cube;
}

// The least over all momenta of the unseen: along the x axis, which both sides follow, and across it. Both
// parts may have any size, so that roots of them are searched.
double least_squared_mass(const SemiInvisible& a, const SemiInvisible& b, double x, double y) {
  constexpr double kLargest = 25;  // of a momentum of 4e12
  return least_between(-kLargest, kLargest, [&](double across_root) {
    const double across = ninth_power(across_root);
    return least_between(-kLargest, kLargest, [&](double along_root) {
      const double along = ninth_power(along_root);
      return std::max(squared_mass_with(a, along, across), squared_mass_with(b, x - along, y - across));
    });
  });
}

// Both particles, in units in which the largest momentum or mass is 1.
class DecayPair {
 public:
  DecayPair(const SemiInvisible& a, const SemiInvisible& b, double x, double y)
      : a_(a), b_(b), x_(x), y_(y) {}

  double smallest_mass() const {
    const double least = std::max(a_.mass + a_.invisible, b_.mass + b_.invisible);
    if (squared_energy(a_) == 0 || squared_energy(b_) == 0 || is_enough(least)) return least;
    if (is_delicate()) return mass_by_search(least);
    constexpr double kNearZero = 1e-3;
    const double mass = mass_by_ellipses(least);
    return mass < kNearZero ? mass_by_search(least) : mass;
  }

 private:
  double mass_by_ellipses(double least) const {
    double low = least, high = std::max(2 * least, 1.0);
    for (int i = 0; i < 100 && is_too_small(high); ++i) high *= 2;
    while (true) {
      const double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high) || high - low < 1e-14) return high;
      (is_too_small(middle) ? low : high) = middle;
    }
  }
  bool is_too_small(double mass) const {
    return are_apart(momenta_within(a_, mass), left_over(momenta_within(b_, mass), x_, y_));
  }

  // Ellipses of light sides are as good as parabolas, which meet at infinity if they have one axis; those of
  // small momenta beside large ones are huge. Then rounding decides which root is told from another.
  bool is_delicate() const {
    constexpr double kLight = 1e-3, kApart = 1e-3, kSmall = 1e-3;
    const double energy2_a = squared_energy(a_), energy2_b = squared_energy(b_);
    if (std::min(energy2_a, energy2_b) < kSmall * kSmall) return true;
    const bool are_light =
        a_.mass * a_.mass < kLight * kLight * energy2_a && b_.mass * b_.mass < kLight * kLight * energy2_b;
    const double along = a_.px * b_.px + a_.py * b_.py, across = a_.px * b_.py - a_.py * b_.px;
    return are_light && std::fabs(across) < kApart * std::fabs(along);
  }
  double mass_by_search(double least) const {
    const double x = a_.px + b_.px, y = a_.py + b_.py, length = std::sqrt(x * x + y * y);
    const double along = length > 0 ? x / length : 1, across = length > 0 ? y / length : 0;
    const double square = least_squared_mass(turned(a_, along, across), turned(b_, along, across),
                                             along * x_ + across * y_, along * y_ - across * x_);
    return std::max(std::sqrt(square), least);
  }

  // At its least mass a particle leaves the unseen one momentum only, or one direction.
  bool is_enough(double least) const {
    if (least == 0) {
      const double across = a_.px * b_.py - a_.py * b_.px;
      return (x_ * b_.py - y_ * b_.px) * across >= 0 && (a_.px * y_ - a_.py * x_) * across >= 0 &&
             across != 0;
    }
    return leaves_enough(a_, b_, least) || leaves_enough(b_, a_, least);
  }
  bool leaves_enough(const SemiInvisible& first, const SemiInvisible& other, double least) const {
    if (first.mass + first.invisible < least || first.mass == 0) return false;
    const double ratio = first.invisible / first.mass;
    return squared_mass_with(other, x_ - ratio * first.px, y_ - ratio * first.py) <= least * least;
  }

  SemiInvisible a_, b_;
  double x_, y_;
};

SemiInvisible in_units_of(double unit, const SemiInvisible& side) {
  return {std::max(side.mass, 0.0) / unit, side.px / unit, side.py / unit,
          std::max(side.invisible, 0.0) / unit};
}

double largest_of(const SemiInvisible& side) {
  return std::max({side.mass, std::fabs(side.px), std::fabs(side.py), side.invisible});
}

bool is_finite(const SemiInvisible& side) {
  return std::isfinite(side.mass) && std::isfinite(side.px) && std::isfinite(side.py) &&
         std::isfinite(side.invisible);
}

}  // namespace

double stransverse_mass(const SemiInvisible& a, const SemiInvisible& b, double missing_x, double missing_y) {
  if (!is_finite(a) || !is_finite(b) || !std::isfinite(missing_x) || !std::isfinite(missing_y))
    return std::numeric_limits<double>::quiet_NaN();
  const double unit = std::max({largest_of(a), largest_of(b), std::fabs(missing_x), std::fabs(missing_y)});
  if (!(unit > 0)) return 0;
  return unit * DecayPair(in_units_of(unit, a), in_units_of(unit, b), missing_x / unit, missing_y / unit)
                    .smallest_mass();
}

}  // namespace skimline
