// SPDX-License-Identifier: BSD-3-Clause
#include "maths/truth.h"

#include "maths/float_arrays.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skimline::testing {
namespace {

int exact_lgamma(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(result, &sign, x, rounding);
}

#define SKIMLINE_ARRAY_FUNCTION(name) \
  { #name, maths::name, maths::name, std::name, mpfr_##name, float_arrays::name }
#define SKIMLINE_UNARY_FUNCTION(name, exact) \
  { #name, maths::name, maths::name, std::name, exact, nullptr }

constexpr UnaryFunction kUnary[] = {
    SKIMLINE_ARRAY_FUNCTION(exp),
    SKIMLINE_ARRAY_FUNCTION(exp2),
    SKIMLINE_ARRAY_FUNCTION(expm1),
    SKIMLINE_ARRAY_FUNCTION(log),
    SKIMLINE_ARRAY_FUNCTION(log2),
    SKIMLINE_ARRAY_FUNCTION(log10),
    SKIMLINE_ARRAY_FUNCTION(log1p),
    SKIMLINE_ARRAY_FUNCTION(sin),
    SKIMLINE_ARRAY_FUNCTION(cos),
    SKIMLINE_ARRAY_FUNCTION(tan),
    SKIMLINE_ARRAY_FUNCTION(asin),
    SKIMLINE_ARRAY_FUNCTION(acos),
    SKIMLINE_ARRAY_FUNCTION(atan),
    SKIMLINE_ARRAY_FUNCTION(sinh),
    SKIMLINE_ARRAY_FUNCTION(cosh),
    SKIMLINE_ARRAY_FUNCTION(tanh),
    SKIMLINE_ARRAY_FUNCTION(asinh),
    SKIMLINE_ARRAY_FUNCTION(acosh),
    SKIMLINE_ARRAY_FUNCTION(atanh),
    SKIMLINE_UNARY_FUNCTION(cbrt, mpfr_cbrt),
    SKIMLINE_UNARY_FUNCTION(erf, mpfr_erf),
    SKIMLINE_UNARY_FUNCTION(erfc, mpfr_erfc),
    SKIMLINE_UNARY_FUNCTION(lgamma, exact_lgamma),
    SKIMLINE_UNARY_FUNCTION(tgamma, mpfr_gamma),
};

constexpr BinaryFunction kBinary[] = {
    {"atan2", maths::atan2, maths::atan2, mpfr_atan2},
    {"hypot", maths::hypot, maths::hypot, mpfr_hypot},
    {"pow", maths::pow, maths::pow, mpfr_pow},
};

// Exponents of MPFR's numbers, whose mantissas lie between 1/2 and 1, from the smallest float on.
constexpr mpfr_exp_t kLowestOfFloat = -148, kHighestOfFloat = 128;

// Numbers are rounded to what there is of subnormal ones only within the exponents of the type.
class ExponentRange {
 public:
  ExponentRange(mpfr_exp_t lowest, mpfr_exp_t highest) {
    mpfr_set_emin(lowest);
    mpfr_set_emax(highest);
  }
  ~ExponentRange() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;
};

}  // namespace

std::span<const UnaryFunction> unary_functions() { return kUnary; }
std::span<const BinaryFunction> binary_functions() { return kBinary; }

FloatTruth::FloatTruth() { mpfr_inits2(24, x_, y_, result_, static_cast<mpfr_ptr>(nullptr)); }
FloatTruth::~FloatTruth() { mpfr_clears(x_, y_, result_, static_cast<mpfr_ptr>(nullptr)); }

float FloatTruth::rounded(int ternary) {
  ternary = mpfr_check_range(result_, ternary, MPFR_RNDN);
  mpfr_subnormalize(result_, ternary, MPFR_RNDN);
  return mpfr_get_flt(result_, MPFR_RNDN);
}

float FloatTruth::of(const UnaryFunction& function, float x) {
  const ExponentRange range(kLowestOfFloat, kHighestOfFloat);
  mpfr_set_flt(x_, x, MPFR_RNDN);
  return rounded(function.exact(result_, x_, MPFR_RNDN));
}

float FloatTruth::of(const BinaryFunction& function, float x, float y) {
  const ExponentRange range(kLowestOfFloat, kHighestOfFloat);
  mpfr_set_flt(x_, x, MPFR_RNDN);
  mpfr_set_flt(y_, y, MPFR_RNDN);
  return rounded(function.exact(result_, x_, y_, MPFR_RNDN));
}

float FloatTruth::quickly(const UnaryFunction& function, float x) {
  const double library = function.of_library(static_cast<double>(x));
  const auto below = static_cast<float>(library * (1 - 0x1p-48));
  const auto above = static_cast<float>(library * (1 + 0x1p-48));
  return below == above || std::isnan(library) ? below : of(function, x);
}

DoubleTruth::DoubleTruth() {
  mpfr_inits2(53, x_, y_, static_cast<mpfr_ptr>(nullptr));
  mpfr_inits2(160, exact_, difference_, static_cast<mpfr_ptr>(nullptr));
}
DoubleTruth::~DoubleTruth() { mpfr_clears(x_, y_, exact_, difference_, static_cast<mpfr_ptr>(nullptr)); }

double DoubleTruth::error_of(double result) {
  const double nearest = mpfr_get_d(exact_, MPFR_RNDN);
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  if (std::isnan(nearest)) return std::isnan(result) ? 0 : kEndless;
  if (!(std::fabs(nearest) < kEndless) || nearest == 0)
    return result == nearest && std::signbit(result) == std::signbit(nearest) ? 0 : kEndless;
  if (!(std::fabs(result) < kEndless)) return kEndless;
  mpfr_sub_d(difference_, exact_, result, MPFR_RNDN);
  // In distances of doubles of this size.
  mpfr_mul_2si(difference_, difference_, 52 - std::max(std::ilogb(nearest), -1022), MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference_, MPFR_RNDN));
}

double DoubleTruth::error(const UnaryFunction& function, double x, double result) {
  mpfr_set_d(x_, x, MPFR_RNDN);
  function.exact(exact_, x_, MPFR_RNDN);
  return error_of(result);
}

double DoubleTruth::error(const BinaryFunction& function, double x, double y, double result) {
  mpfr_set_d(x_, x, MPFR_RNDN);
  mpfr_set_d(y_, y, MPFR_RNDN);
  function.exact(exact_, x_, y_, MPFR_RNDN);
  return error_of(result);
}

}  // namespace skimline::testing
