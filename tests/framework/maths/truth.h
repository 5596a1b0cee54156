// SPDX-License-Identifier: BSD-3-Clause
// The functions of skimline::maths beside those of MPFR, which rounds correctly at any precision, and those
// of the C library.
#pragma once

#include <span>

#include <mpfr.h>

namespace skimline::testing {

struct UnaryFunction {
  const char* name;
  float (*of_float)(float);
  double (*of_double)(double);
  double (*of_library)(double);
  int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  void (*of_array)(const float*, std::size_t, float*);  ///< null where there is none
};

struct BinaryFunction {
  const char* name;
  float (*of_float)(float, float);
  double (*of_double)(double, double);
  int (*exact)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
};

std::span<const UnaryFunction> unary_functions();
std::span<const BinaryFunction> binary_functions();

/// Results rounded to the nearest float.
class FloatTruth {
 public:
  FloatTruth();
  ~FloatTruth();
  FloatTruth(const FloatTruth&) = delete;
  FloatTruth& operator=(const FloatTruth&) = delete;

  float of(const UnaryFunction& function, float x);
  float of(const BinaryFunction& function, float x, float y);

  /// The same, asked of the C library in double, whose error is below 2^-48, wherever that decides.
  float quickly(const UnaryFunction& function, float x);

 private:
  float rounded(int ternary);

  mpfr_t x_, y_, result_;
};

/// Errors of doubles.
class DoubleTruth {
 public:
  DoubleTruth();
  ~DoubleTruth();
  DoubleTruth(const DoubleTruth&) = delete;
  DoubleTruth& operator=(const DoubleTruth&) = delete;

  /// How far `result` is from the exact one, in units of its last place; 0 for the right special values, and
  /// infinite for wrong ones.
  double error(const UnaryFunction& function, double x, double result);
  double error(const BinaryFunction& function, double x, double y, double result);

 private:
  double error_of(double result);

  mpfr_t x_, y_, exact_, difference_;
};

}  // namespace skimline::testing
