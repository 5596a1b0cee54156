// SPDX-License-Identifier: BSD-3-Clause
// Functions of ROOT's TMath that are formulas of real numbers, or of whole ones. Values are those of
// ROOT 6.40's TMath.h, TMathBase.h and TMath.cxx.
#include "expression/operators.h"
#include "expression/root_functions.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace skimline {
namespace {

// A formula has defaults for all its arguments, of which as many as kFewest must be given.

struct Gaussian {
  static constexpr std::size_t kFewest = 1;
  static constexpr std::array<double, 4> kDefaults = {0, 0, 1, 0};
  static double of(const std::array<double, 4>& arguments) {
    const auto [x, mean, sigma, is_normalised] = arguments;
    constexpr double kFarthest = 39, kNoWidth = 1e30, kRootOfTwoPi = 2.50662827463100024;
    if (sigma == 0) return kNoWidth;
    const double distance = (x - mean) / sigma;
    if (distance < -kFarthest || distance > kFarthest) return 0;
    const double height = maths::exp(-0.5 * distance * distance);
    return is_normalised != 0 ? height / (kRootOfTwoPi * sigma) : height;
  }
};

struct BreitWigner {
  static constexpr std::size_t kFewest = 1;
  static constexpr std::array<double, 3> kDefaults = {0, 0, 1};
  static double of(const std::array<double, 3>& arguments) {
    const auto [x, mean, width] = arguments;
    return width / ((x - mean) * (x - mean) + width * width / 4) / (2 * std::numbers::pi);
  }
};

struct Square {
  static constexpr std::size_t kFewest = 1;
  static constexpr std::array<double, 1> kDefaults = {0};
  static double of(const std::array<double, 1>& x) { return x[0] * x[0]; }
};

// Beyond 170 the product is infinite.
struct Factorial {
  static constexpr std::size_t kFewest = 1;
  static constexpr std::array<std::int32_t, 1> kDefaults = {0};
  static double of(const std::array<std::int32_t, 1>& n) {
    double product = 1;
    for (int factor = 2; factor <= std::min(n[0], 171); ++factor) product *= factor;
    return product;
  }
};

struct Finite {
  static constexpr std::size_t kFewest = 1;
  static constexpr std::array<double, 1> kDefaults = {0};
  static std::int32_t of(const std::array<double, 1>& x) { return std::isfinite(x[0]) ? 1 : 0; }
};

bool is_tiny(double difference) { return std::fabs(difference) < std::numeric_limits<double>::min(); }

struct EqualWithin {
  static constexpr std::size_t kFewest = 3;
  static constexpr std::array<double, 3> kDefaults = {};
  static bool of(const std::array<double, 3>& arguments) {
    const auto [a, b, limit] = arguments;
    return a == b || std::fabs(a - b) < limit || is_tiny(a - b);
  }
};

struct EqualRelatively {
  static constexpr std::size_t kFewest = 3;
  static constexpr std::array<double, 3> kDefaults = {};
  static bool of(const std::array<double, 3>& arguments) {
    const auto [a, b, precision] = arguments;
    return a == b || std::fabs(a - b) <= 0.5 * precision * (std::fabs(a) + std::fabs(b)) || is_tiny(a - b);
  }
};

// To the nearest whole number that an int can be, the even one of two; of NaN 0.
std::int32_t nearest_whole(double x) {
  constexpr double kLow = std::numeric_limits<std::int32_t>::min();
  constexpr double kHigh = std::numeric_limits<std::int32_t>::max();
  return std::isnan(x) ? 0 : static_cast<std::int32_t>(std::clamp(std::nearbyint(x), kLow, kHigh));
}

template <double (*kRounded)(double)>
struct Nearest {
  static constexpr std::size_t kFewest = 1;
  static constexpr std::array<double, 1> kDefaults = {0};
  static std::int32_t of(const std::array<double, 1>& x) { return nearest_whole(kRounded(x[0])); }
};

double unchanged(double x) { return x; }
double ceiling(double x) { return std::ceil(x); }
double floor_of(double x) { return std::floor(x); }

template <typename T>
constexpr ScalarType kScalarOf = std::is_same_v<T, double>         ? ScalarType::kDouble
                                 : std::is_same_v<T, std::int32_t> ? ScalarType::kInt32
                                                                   : ScalarType::kBool;

template <typename Formula, typename Result, std::size_t kGiven>
void formula_loop(const Operand* operands, void* results, std::size_t count) {
  auto arguments = Formula::kDefaults;
  using T = typename decltype(arguments)::value_type;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kGiven; ++k) arguments[k] = value_at<T>(operands[k], i);
    static_cast<Result*>(results)[i] = static_cast<Result>(Formula::of(arguments));
  }
}

template <typename Formula, std::size_t kGiven>
std::optional<Operation> choose_given(Arguments arguments) {
  if constexpr (kGiven < Formula::kFewest) {
    return std::nullopt;
  } else {
    if (arguments.size() < kGiven) return choose_given<Formula, kGiven - 1>(arguments);
    using Result = decltype(Formula::of(Formula::kDefaults));
    const bool is_mask = std::is_same_v<Result, bool> &&
                         std::any_of(arguments.begin(), arguments.end(),
                                     [](const Argument& each) { return each.type.is_jagged(); });
    const std::vector<ScalarType> operands(kGiven,
                                           kScalarOf<typename decltype(Formula::kDefaults)::value_type>);
    return is_mask ? loop_operation(formula_loop<Formula, std::int32_t, kGiven>, operands, ScalarType::kInt32)
                   : loop_operation(formula_loop<Formula, Result, kGiven>, operands, kScalarOf<Result>);
  }
}

template <typename Formula>
std::optional<Operation> choose_formula(Arguments arguments) {
  if (!are_numbers(arguments) || arguments.size() > Formula::kDefaults.size()) return std::nullopt;
  return choose_given<Formula, Formula::kDefaults.size()>(arguments);
}

void scaled_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<double*>(results)[i] =
        std::ldexp(value_at<double>(operands[0], i), value_at<std::int32_t>(operands[1], i));
}

std::optional<Operation> choose_scaled(Arguments arguments) {
  if (arguments.size() != 2 || !are_numbers(arguments)) return std::nullopt;
  return loop_operation(scaled_loop, {ScalarType::kDouble, ScalarType::kInt32}, ScalarType::kDouble);
}

template <typename T>
T with_sign(T size, bool is_negative) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::copysign(size, is_negative ? T{-1} : T{1});
  } else {
    // The smallest number has no opposite.
    using Bits = std::make_unsigned_t<T>;
    return (size < 0) == is_negative ? size : static_cast<T>(-static_cast<Bits>(size));
  }
}

template <typename T>
void sign_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<T*>(results)[i] =
        with_sign(value_at<T>(operands[0], i), std::signbit(value_at<double>(operands[1], i)));
}

// The result has the type of the first argument, an integer that of a sum.
std::optional<Operation> choose_sign(Arguments arguments) {
  if (arguments.size() != 2 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType size = promoted(arguments[0].type.scalar);
  switch (size) {
    case ScalarType::kFloat:
      return loop_operation(sign_loop<float>, {size, ScalarType::kDouble}, size);
    case ScalarType::kDouble:
      return loop_operation(sign_loop<double>, {size, ScalarType::kDouble}, size);
    case ScalarType::kInt32:
      return loop_operation(sign_loop<std::int32_t>, {size, ScalarType::kDouble}, size);
    default:
      return loop_operation(sign_loop<std::int64_t>, {ScalarType::kInt64, ScalarType::kDouble},
                            ScalarType::kInt64);
  }
}

template <typename T>
void limited_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T low = value_at<T>(operands[0], i), high = value_at<T>(operands[1], i);
    const T x = value_at<T>(operands[2], i);
    static_cast<T*>(results)[i] = x < low ? low : x > high ? high : x;
  }
}

// Limits come first, unlike those of clamp().
std::optional<Operation> choose_limited(Arguments arguments) {
  if (arguments.size() != 3 || !are_numbers(arguments)) return std::nullopt;
  ScalarType common = promoted(arguments[0].type.scalar);
  for (const Argument& each : arguments.subspan(1)) common = common_type(common, each.type.scalar);
  switch (common) {
    case ScalarType::kInt32:
      return loop_operation(limited_loop<std::int32_t>, {common, common, common}, common);
    case ScalarType::kUInt32:
    case ScalarType::kInt64:
      return loop_operation(limited_loop<std::int64_t>, {3, ScalarType::kInt64}, ScalarType::kInt64);
    case ScalarType::kUInt64:
      return loop_operation(limited_loop<std::uint64_t>, {common, common, common}, common);
    default:
      return loop_operation(limited_loop<double>, {3, ScalarType::kDouble}, ScalarType::kDouble);
  }
}

}  // namespace

std::span<const Function> root_formulas() {
  static constexpr Function kFormulas[] = {
      {"TMath::Gaus", "TMath::Gaus(x, mean, sigma, norm)", choose_formula<Gaussian>},
      {"TMath::BreitWigner", "TMath::BreitWigner(x, mean, gamma)", choose_formula<BreitWigner>},
      {"TMath::Sq", "TMath::Sq(x)", choose_formula<Square>},
      {"TMath::Factorial", "TMath::Factorial(n)", choose_formula<Factorial>},
      {"TMath::Finite", "TMath::Finite(x)", choose_formula<Finite>},
      {"TMath::AreEqualAbs", "TMath::AreEqualAbs(a, b, epsilon)", choose_formula<EqualWithin>},
      {"TMath::AreEqualRel", "TMath::AreEqualRel(a, b, precision)", choose_formula<EqualRelatively>},
      {"TMath::Nint", "TMath::Nint(x)", choose_formula<Nearest<unchanged>>},
      {"TMath::CeilNint", "TMath::CeilNint(x)", choose_formula<Nearest<ceiling>>},
      {"TMath::FloorNint", "TMath::FloorNint(x)", choose_formula<Nearest<floor_of>>},
      {"TMath::Ldexp", "TMath::Ldexp(x, exponent)", choose_scaled},
      {"TMath::Sign", "TMath::Sign(a, b)", choose_sign},
      {"TMath::Range", "TMath::Range(low, high, x)", choose_limited},
  };
  return kFormulas;
}

}  // namespace skimline
