// SPDX-License-Identifier: BSD-3-Clause
#include "expression/misspellings.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace skimline {
namespace {

using Meant = std::pair<std::string_view, std::string_view>;

// Whose names mean something else without the namespace.
constexpr Meant kQualifiedFunctions[] = {
    {"TMath::Range", "clamp(x, low, high)"},
    {"TMath::Sq", "x * x"},
    {"TMath::Sign", "copysign(x, y)"},
    {"TMath::Infinity", "INFINITY"},
    {"TMath::QuietNaN", "NAN"},
    {"TMath::Nint", "int(rint(x))"},
    {"TMath::FloorNint", "int(floor(x))"},
    {"TMath::CeilNint", "int(ceil(x))"},
    {"TMath::Gaus", "exp(-(x - mean) * (x - mean) / (2 * sigma * sigma))"},
    {"TMath::LocMax", "ArgMax(x)"},
    {"TMath::LocMin", "ArgMin(x)"},
    {"TMath::MaxElement", "Max(x)"},
    {"TMath::MinElement", "Min(x)"},
    {"TMath::Mean", "Mean(x)"},
    {"TMath::StdDev", "StdDev(x)"},
    {"TMath::Finite", "isfinite(x)"},
    {"TMath::Factorial", "tgamma(n + 1)"},
    {"TMath::Gamma", "tgamma(x)"},
    {"TMath::LnGamma", "lgamma(x)"},
    {"TMath::NormQuantile", "normal_quantile(p)"},
    {"ROOT::Math::VectorUtil::InvariantMass", "(v + w).mass()"},
};

// Without the namespaces of ROOT, numpy and awkward in front.
constexpr Meant kMeantFunctions[] = {
    {"len", "x.size()"},
    {"num", "x.size()"},
    {"count_nonzero", "Sum(x != 0)"},
    {"power", "pow(x, y)"},
    {"arctan2", "atan2(y, x)"},
    {"arccos", "acos(x)"},
    {"arcsin", "asin(x)"},
    {"arctan", "atan(x)"},
    {"absolute", "abs(x)"},
    {"range", "Range(n)"},
    {"sorted", "Sort(x)"},
    {"first", "x.front()"},
    {"firsts", "x.front()"},
    {"last", "x.back()"},
    {"push_back", "Concatenate(x, y)"},
    {"begin", "x.front()"},
    {"even", "x % 2 == 0"},
    {"odd", "x % 2 != 0"},
    {"isnull", "x.empty()"},
    {"InvMass", "InvariantMass(pt, eta, phi, mass)"},
    {"invmass", "InvariantMass(pt, eta, phi, mass)"},
    {"Phi_mpi_pi", "TVector2::Phi_mpi_pi(x)"},
    {"Phi_0_2pi", "TVector2::Phi_0_2pi(x)"},
    {"DegToRad", "TMath::DegToRad()"},
    {"RadToDeg", "TMath::RadToDeg()"},
    {"TwoPi", "TMath::TwoPi()"},
    {"PiOver2", "TMath::PiOver2()"},
    {"TLorentzVector", "P4(pt, eta, phi, mass)"},
    {"PtEtaPhiMVector", "P4(pt, eta, phi, mass)"},
    {"PtEtaPhiEVector", "P4PtEtaPhiE(pt, eta, phi, energy)"},
    {"PxPyPzEVector", "P4PxPyPzE(px, py, pz, energy)"},
    {"XYZTVector", "P4PxPyPzE(px, py, pz, energy)"},
    {"LorentzVector", "P4(pt, eta, phi, mass)"},
    {"Construct", "P4(pt, eta, phi, mass)"},
    {"Map", "the expression itself, which works element by element"},
    {"Filter", "x[condition]"},
    {"str", "a text as it is"},
    {"string", "a text as it is"},
    {"find", "contains(s, text)"},
    {"strstr", "contains(s, text)"},
    {"substr", "starts_with(s, text), ends_with(s, text) or regex_search(s, \"pattern\")"},
    {"compare", "s == text"},
    {"accumulate", "Sum(x)"},
    {"count", "Sum(x == y)"},
    {"count_if", "Sum(condition)"},
    {"any_of", "Any(condition)"},
    {"all_of", "All(condition)"},
    {"max_element", "Max(x)"},
    {"min_element", "Min(x)"},
    {"rand", "rndm(seed, run, event, index)"},
    {"Linspace", "start + Range(n) * step"},
    {"Logspace", "pow(10, start + Range(n) * step)"},
    {"Arange", "Range(a, b, step)"},
    {"PxPyPzMVector", "P4PxPyPzE(px, py, pz, sqrt(px * px + py * py + pz * pz + m * m))"},
    {"TVector2", "the formula, as in sqrt(x * x + y * y)"},
    {"TVector3", "the formula, or Angle(x1, y1, z1, x2, y2, z2)"},
};

constexpr Meant kValues[] = {
    {"True", "write true"},
    {"False", "write false"},
    {"None", "there is no value for nothing"},
    {"nullptr", "there is no value for nothing"},
    {"null", "there is no value for nothing"},
    {"NULL", "there is no value for nothing"},
    {"rdfslot_", "results do not depend on which thread computes them"},
    {"gRandom", "random numbers are rndm(seed, run, event, index)"},
    {"pi", "write M_PI"},
    {"np", "write the function without it"},
    {"numpy", "write the function without it"},
    {"ak", "write the function without it"},
    {"math", "write the function without it"},
    {"nan", "write NAN"},
    {"inf", "write INFINITY"},
    {"lambda", "functions of a job have names: see \"functions\""},
};

template <std::size_t N>
std::string_view meant(std::string_view name, const Meant (&table)[N]) {
  for (const auto& [written, instead] : table)
    if (written == name) return instead;
  return {};
}

std::string lower_case(std::string_view name) {
  std::string lower(name);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

}  // namespace

std::string meant_function(std::string_view name, const std::vector<std::string>& known) {
  const std::size_t qualified = name.rfind(':');
  const std::string_view plain = qualified == std::string_view::npos ? name : name.substr(qualified + 1);
  const std::string lower = lower_case(plain);
  if (const std::string_view instead = meant(name, kQualifiedFunctions); !instead.empty())
    return ": write " + std::string(instead);
  for (const std::string_view each : {plain, std::string_view(lower)})
    if (const std::string_view instead = meant(each, kMeantFunctions); !instead.empty())
      return ": write " + std::string(instead);
  for (const std::string& each : {std::string(plain), lower})
    if (plain != name && std::find(known.begin(), known.end(), each) != known.end()) return ": write " + each;
  return did_you_mean(qualified == std::string_view::npos ? plain : name, known);
}

std::string meant_value(std::string_view name) {
  const std::size_t dot = name.find('.');
  const bool is_of_module = dot != std::string_view::npos && !meant(name.substr(0, dot), kValues).empty();
  std::string_view instead = meant(is_of_module ? name.substr(dot + 1) : name, kValues);
  if (is_of_module && instead.empty()) instead = meant(name.substr(0, dot), kValues);
  return instead.empty() ? std::string() : " (" + std::string(instead) + ")";
}

}  // namespace skimline
