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

constexpr double kSpeedOfLight = 2.99792458e8;
constexpr double kGravity = 6.67430e-11;
constexpr double kPlanck = 6.62607015e-34;
constexpr double kPlanckOverTwoPi = 1.054571817e-34;
constexpr double kBoltzmann = 1.380649e-23;
constexpr double kAvogadro = 6.02214076e+23;
constexpr double kWeightOfAir = 28.9644;

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
    {"TMath::C", kSpeedOfLight},
    {"TMath::Ccgs", 100 * kSpeedOfLight},
    {"TMath::G", kGravity},
    {"TMath::Gcgs", kGravity * 1000},
    {"TMath::GhbarC", 6.70883e-39},
    {"TMath::Gn", 9.80665},
    {"TMath::H", kPlanck},
    {"TMath::Hcgs", 1e7 * kPlanck},
    {"TMath::Hbar", kPlanckOverTwoPi},
    {"TMath::Hbarcgs", 1e7 * kPlanckOverTwoPi},
    {"TMath::HC", kPlanck* kSpeedOfLight},
    {"TMath::HCcgs", 1e7 * kPlanck*(100 * kSpeedOfLight)},
    {"TMath::K", kBoltzmann},
    {"TMath::Kcgs", 1e7 * kBoltzmann},
    {"TMath::Sigma", 5.670373e-8},
    {"TMath::Na", kAvogadro},
    {"TMath::R", kBoltzmann* kAvogadro},
    {"TMath::MWair", kWeightOfAir},
    {"TMath::Rgair", 1000 * (kBoltzmann * kAvogadro) / kWeightOfAir},
    {"TMath::EulerGamma", std::numbers::egamma},
    {"TMath::Qe", 1.602176634e-19},
    {"TMath::Infinity", std::numeric_limits<double>::infinity()},
    {"TMath::QuietNaN", std::numeric_limits<double>::quiet_NaN()},
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

std::vector<std::string> called_constant_names() {
  std::vector<std::string> names;
  for (const auto& [name, value] : kCalled) names.emplace_back(name);
  return names;
}

}  // namespace skimline
