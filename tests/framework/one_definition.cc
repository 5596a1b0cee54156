// SPDX-License-Identifier: BSD-3-Clause
// The functions of skimline::maths by the names of the C library. Loaded before that, they are what ROOT
// calls: all else that its expressions do can be compared bit by bit.
#include "skimline/framework/maths.h"

#include <cmath>

#define SKIMLINE_C_FUNCTION(name)                            \
  double name(double x) { return skimline::maths::name(x); } \
  float name##f(float x) { return skimline::maths::name(x); }
#define SKIMLINE_C_FUNCTION2(name)                                        \
  double name(double x, double y) { return skimline::maths::name(x, y); } \
  float name##f(float x, float y) { return skimline::maths::name(x, y); }

extern "C" {

SKIMLINE_C_FUNCTION(exp)
SKIMLINE_C_FUNCTION(exp2)
SKIMLINE_C_FUNCTION(expm1)
SKIMLINE_C_FUNCTION(log)
SKIMLINE_C_FUNCTION(log2)
SKIMLINE_C_FUNCTION(log10)
SKIMLINE_C_FUNCTION(log1p)
SKIMLINE_C_FUNCTION(sin)
SKIMLINE_C_FUNCTION(cos)
SKIMLINE_C_FUNCTION(tan)
SKIMLINE_C_FUNCTION(asin)
SKIMLINE_C_FUNCTION(acos)
SKIMLINE_C_FUNCTION(atan)
SKIMLINE_C_FUNCTION(sinh)
SKIMLINE_C_FUNCTION(cosh)
SKIMLINE_C_FUNCTION(tanh)
SKIMLINE_C_FUNCTION(asinh)
SKIMLINE_C_FUNCTION(acosh)
SKIMLINE_C_FUNCTION(atanh)
SKIMLINE_C_FUNCTION(cbrt)
SKIMLINE_C_FUNCTION(erf)
SKIMLINE_C_FUNCTION(erfc)
SKIMLINE_C_FUNCTION(lgamma)
SKIMLINE_C_FUNCTION(tgamma)
SKIMLINE_C_FUNCTION2(atan2)
SKIMLINE_C_FUNCTION2(hypot)
SKIMLINE_C_FUNCTION2(pow)

// Compilers call these for a sine and a cosine of one angle.
void sincos(double x, double* sine, double* cosine) {
  *sine = skimline::maths::sin(x);
  *cosine = skimline::maths::cos(x);
}
void sincosf(float x, float* sine, float* cosine) {
  *sine = skimline::maths::sin(x);
  *cosine = skimline::maths::cos(x);
}
}
