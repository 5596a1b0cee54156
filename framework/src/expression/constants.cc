// SPDX-License-Identifier: BSD-3-Clause
#include "expression/constants.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace skimline {
namespace {

constexpr double kPi = std::numbers::pi;

// Those of <cmath>. Clang and gcc have the same values.
constexpr std::pair<std::string_view, double> kNamed[] = {
    {"M_PI", kPi},
    {"M_PI_2", kPi / 2},
    {"M_PI_4", kPi / 4},
    {"M_1_PI", std::numbers::inv_pi},
    {"M_2_PI", 2 * std::numbers::inv_pi},
    {"M_2_SQRTPI", 2 * std::numbers::inv_sqrtpi},
    {"M_E", std::numbers::e},
    {"M_LN2", std::numbers::ln2},
    {"M_LN10", std::numbers::ln10},
    {"M_LOG2E", std::numbers::log2e},
    {"M_LOG10E", std::numbers::log10e},
    {"M_SQRT2", std::numbers::sqrt2},
    {"M_SQRT1_2", std::numbers::sqrt2 / 2},
};

// Those of ROOT's TMath.h, by its formulas.
constexpr std::pair<std::string_view, double> kCalled[] = {
    {"TMath::Pi", kPi},
    {"TMath::TwoPi", 2 * kPi},
    {"TMath::PiOver2", kPi / 2},
    {"TMath::PiOver4", kPi / 4},
    {"TMath::InvPi", 1 / kPi},
    {"TMath::RadToDeg", 180 / kPi},
    {"TMath::DegToRad", kPi / 180},
    {"TMath::E", std::numbers::e},
    {"TMath::Sqrt2", std::numbers::sqrt2},
    {"TMath::Ln10", std::numbers::ln10},
    {"TMath::LogE", std::numbers::log10e},
    {"TMath::C", 2.99792458e8},
};

template <std::size_t N>
std::optional<Constant> find_value(const std::pair<std::string_view, double> (&constants)[N],
                                   std::string_view name) {
  for (const auto& [known, value] : constants)
    if (known == name) return Constant::of(value);
  return std::nullopt;
}

}  // namespace

std::optional<Constant> numeric_limit(ScalarType scalar, std::string_view name) {
  return visit_scalar(scalar, [&](auto tag) -> std::optional<Constant> {
    using Limits = std::numeric_limits<typename decltype(tag)::type>;
    if (name == "max") return Constant::of(Limits::max());
    if (name == "min") return Constant::of(Limits::min());
    if (name == "lowest") return Constant::of(Limits::lowest());
    if (name == "epsilon") return Constant::of(Limits::epsilon());
    if (name == "infinity") return Constant::of(Limits::infinity());
    if (name == "quiet_NaN") return Constant::of(Limits::quiet_NaN());
    return std::nullopt;
  });
}

std::optional<Constant> named_constant(std::string_view name) {
  if (name == "NAN") return Constant::of(static_cast<float>(NAN));
  if (name == "INFINITY") return Constant::of(static_cast<float>(INFINITY));
  return find_value(kNamed, name);
}

std::optional<Constant> called_constant(std::string_view name) { return find_value(kCalled, name); }

}  // namespace skimline
