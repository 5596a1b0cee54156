// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/maths.h"

#include "maths/estimates.h"
#include "maths/nearest_float.h"
#include "maths/precise_functions.h"
#include "maths/quick_functions.h"

namespace skimline::maths {
namespace {

template <double (*kQuick)(double), DoubleDouble (*kPrecise)(double)>
float rounded(float x) {
  const auto argument = static_cast<double>(x);
  const float quick = nearest_float(kQuick(argument));
  return std::isnan(quick) ? rounded_to_float(kPrecise(argument)) : quick;
}

template <double (*kQuick)(double, double), DoubleDouble (*kPrecise)(double, double)>
float rounded(float x, float y, double relative_error = kQuickError) {
  const auto first = static_cast<double>(x), second = static_cast<double>(y);
  const float quick = nearest_float(kQuick(first, second), relative_error);
  return std::isnan(quick) ? rounded_to_float(kPrecise(first, second)) : quick;
}

template <estimate::Estimate (*kEstimate)(double), DoubleDouble (*kPrecise)(double)>
double rounded(double x) {
  const double estimated = estimate::rounded(kEstimate(x));
  return std::isnan(estimated) ? kPrecise(x).high : estimated;
}

template <estimate::Estimate (*kEstimate)(double, double), DoubleDouble (*kPrecise)(double, double)>
double rounded(double x, double y) {
  const double estimated = estimate::rounded(kEstimate(x, y));
  return std::isnan(estimated) ? kPrecise(x, y).high : estimated;
}

}  // namespace

float exp(float x) { return rounded<quick::exp, precise::exp>(x); }
float exp2(float x) { return rounded<quick::exp2, precise::exp2>(x); }
float expm1(float x) { return rounded<quick::expm1, precise::expm1>(x); }
float log(float x) { return rounded<quick::log, precise::log>(x); }
float log2(float x) { return rounded<quick::log2, precise::log2>(x); }
float log10(float x) { return rounded<quick::log10, precise::log10>(x); }
float log1p(float x) { return rounded<quick::log1p, precise::log1p>(x); }
float sin(float x) { return rounded<quick::sin, precise::sin>(x); }
float cos(float x) { return rounded<quick::cos, precise::cos>(x); }
float tan(float x) { return rounded<quick::tan, precise::tan>(x); }
float asin(float x) { return rounded<quick::asin, precise::asin>(x); }
float acos(float x) { return rounded<quick::acos, precise::acos>(x); }
float atan(float x) { return rounded<quick::atan, precise::atan>(x); }
float sinh(float x) { return rounded<quick::sinh, precise::sinh>(x); }
float cosh(float x) { return rounded<quick::cosh, precise::cosh>(x); }
float tanh(float x) { return rounded<quick::tanh, precise::tanh>(x); }
float asinh(float x) { return rounded<quick::asinh, precise::asinh>(x); }
float acosh(float x) { return rounded<quick::acosh, precise::acosh>(x); }
float atanh(float x) { return rounded<quick::atanh, precise::atanh>(x); }
float atan2(float y, float x) { return rounded<quick::atan2, precise::atan2>(y, x); }
float hypot(float x, float y) { return rounded<quick::hypot, precise::hypot>(x, y); }
float pow(float x, float y) { return rounded<quick::pow, precise::pow>(x, y, 4 * kQuickError); }
float cbrt(float x) { return rounded_to_float(precise::cbrt(static_cast<double>(x))); }
float erf(float x) { return rounded_to_float(precise::erf(static_cast<double>(x))); }
float erfc(float x) { return rounded_to_float(precise::erfc(static_cast<double>(x))); }
float lgamma(float x) { return rounded_to_float(precise::lgamma(static_cast<double>(x))); }
float tgamma(float x) { return rounded_to_float(precise::tgamma(static_cast<double>(x))); }

double exp(double x) { return rounded<estimate::exp, precise::exp>(x); }
double exp2(double x) { return precise::exp2(x).high; }
double expm1(double x) { return precise::expm1(x).high; }
double log(double x) { return rounded<estimate::log, precise::log>(x); }
double log2(double x) { return rounded<estimate::log2, precise::log2>(x); }
double log10(double x) { return rounded<estimate::log10, precise::log10>(x); }
double log1p(double x) { return precise::log1p(x).high; }
double sin(double x) { return rounded<estimate::sin, precise::sin>(x); }
double cos(double x) { return rounded<estimate::cos, precise::cos>(x); }
double tan(double x) { return precise::tan(x).high; }
double asin(double x) { return precise::asin(x).high; }
double acos(double x) { return precise::acos(x).high; }
double atan(double x) { return rounded<estimate::atan, precise::atan>(x); }
double atan2(double y, double x) { return rounded<estimate::atan2, precise::atan2>(y, x); }
double sinh(double x) { return rounded<estimate::sinh, precise::sinh>(x); }
double cosh(double x) { return precise::cosh(x).high; }
double tanh(double x) { return precise::tanh(x).high; }
double asinh(double x) { return precise::asinh(x).high; }
double acosh(double x) { return precise::acosh(x).high; }
double atanh(double x) { return precise::atanh(x).high; }
double cbrt(double x) { return precise::cbrt(x).high; }
double hypot(double x, double y) { return precise::hypot(x, y).high; }
double pow(double x, double y) { return rounded<estimate::pow, precise::pow>(x, y); }
double erf(double x) { return precise::erf(x).high; }
double erfc(double x) { return precise::erfc(x).high; }
double lgamma(double x) { return precise::lgamma(x).high; }
double tgamma(double x) { return precise::tgamma(x).high; }

}  // namespace skimline::maths
