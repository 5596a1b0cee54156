// SPDX-License-Identifier: BSD-3-Clause
// The functions of <cmath> with one definition: the same bits with any C library, compiler and processor.
// Those of floats are correctly rounded. Those of doubles have an error below 0.5001 units in the last place,
// but for `lgamma` next to its zeros below -2, where the error is 2^-65. For special values they give what
// annex F of the C standard says.
#pragma once

namespace skimline::maths {

float exp(float x);
float exp2(float x);
float expm1(float x);
float log(float x);
float log2(float x);
float log10(float x);
float log1p(float x);
float sin(float x);
float cos(float x);
float tan(float x);
float asin(float x);
float acos(float x);
float atan(float x);
float atan2(float y, float x);
float sinh(float x);
float cosh(float x);
float tanh(float x);
float asinh(float x);
float acosh(float x);
float atanh(float x);
float cbrt(float x);
float hypot(float x, float y);
float pow(float x, float y);
float erf(float x);
float erfc(float x);
float lgamma(float x);
float tgamma(float x);

double exp(double x);
double exp2(double x);
double expm1(double x);
double log(double x);
double log2(double x);
double log10(double x);
double log1p(double x);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double asinh(double x);
double acosh(double x);
double atanh(double x);
double cbrt(double x);
double hypot(double x, double y);
double pow(double x, double y);
double erf(double x);
double erfc(double x);
double lgamma(double x);
double tgamma(double x);

}  // namespace skimline::maths
