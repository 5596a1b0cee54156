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
    {"TMath::LocMax", "ArgMax(x)"},
    {"TMath::LocMin", "ArgMin(x)"},
    {"TMath::MaxElement", "Max(x)"},
    {"TMath::MinElement", "Min(x)"},
    {"TMath::Mean", "Mean(x)"},
    {"TMath::StdDev", "StdDev(x)"},
    {"TMath::RMS", "StdDev(x)"},
    {"TMath::GeomMean", "exp(Mean(log(x)))"},
    {"TMath::Gamma", "tgamma(x); the incomplete one is not offered"},
    {"TMath::LnGamma", "lgamma(x)"},
    {"TMath::Beta", "exp(lgamma(a) + lgamma(b) - lgamma(a + b))"},
    {"TMath::Freq", "0.5 * erfc(-x / M_SQRT2)"},
    {"TMath::Binomial", "round(exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)))"},
    {"TMath::Poisson", "exp(x * log(mean) - lgamma(x + 1) - mean)"},
    {"TMath::PoissonI", "exp(floor(x) * log(mean) - lgamma(floor(x) + 1) - mean)"},
    {"TMath::LaplaceDist", "exp(-abs((x - mean) / width)) / (2 * width)"},
    {"TMath::CauchyDist", "1 / (M_PI * s * (1 + pow((x - t) / s, 2)))"},
    {"TMath::SqrtPi", "sqrt(M_PI)"},
    {"TMath::Cross", "the formula of each component"},
    {"TMath::NormQuantile", "normal_quantile(p)"},
    {"TVector2::Phi", "atan2(y, x)"},
    {"ROOT::Math::VectorUtil::InvariantMass", "(v + w).mass()"},
    {"std::find", "Any(x == y)"},
};

// With the modules of Python in front.
constexpr Meant kModuleFunctions[] = {
    {"max", "Max(x)"},
    {"min", "Min(x)"},
    {"count", "x.size()"},
    {"fmax", "fmax(x, y)"},
    {"maximum", "max(x, y)"},
    {"fmin", "fmin(x, y)"},
    {"minimum", "min(x, y)"},
    {"prod", "Product(x)"},
    {"std", "StdDev(x), which divides by size - 1"},
    {"var", "Var(x), which divides by size - 1"},
    {"argsort", "Argsort(x), or Argsort(-x) for the largest first"},
    {"sort", "Sort(x), or -Sort(-x) for the largest first"},
    {"where", "Where(mask, x, y) of lists, c ? x : y of one value"},
    {"combinations", "Combinations(x, 2)"},
    {"argcombinations", "Combinations(x, 2)"},
    {"cartesian", "Combinations(x, y)"},
    {"argcartesian", "Combinations(x, y)"},
    {"concatenate", "Concatenate(x, y)"},
    {"flatten", "Flatten(x) of lists of lists"},
    {"firsts", "x.at(0, y), with y for what is missing"},
    {"fill_none", "x.at(0, y), with y for what is missing"},
    {"pad_none", "Take(x, n, y), with y for what is missing"},
    {"is_none", "x.empty()"},
    {"drop_none", "x[condition]"},
    {"mask", "x[condition]"},
    {"local_index", "Enumerate(x)"},
    {"zip", "the members of the collection, Muon.pt"},
    {"with_field", "a definition for the new column"},
    {"ones_like", "x * 0 + 1"},
    {"zeros_like", "x * 0"},
    {"full_like", "x * 0 + y"},
    {"ones", "one value, which stands for all elements beside lists"},
    {"zeros", "one value, which stands for all elements beside lists"},
    {"broadcast_arrays", "the values as they are: one value stands for all elements beside lists"},
    {"values_astype", "a cast, float(x)"},
    {"isin", "IsIn(x, list), or x == 1 || x == 2"},
    {"isclose", "abs(x - y) < 1e-6"},
    {"logical_and", "x && y"},
    {"logical_or", "x || y"},
    {"logical_not", "!x"},
    {"logical_xor", "x != y"},
    {"invert", "!x"},
    {"square", "x * x"},
    {"sign", "copysign(1., x), or (x > 0) - (x < 0), which is 0 of 0"},
    {"clip", "clamp(x, low, high)"},
    {"mod", "x - y * floor(x / y), which has the sign of y; of angles TVector2::Phi_mpi_pi(x)"},
    {"remainder", "x - y * floor(x / y), which has the sign of y; of angles TVector2::Phi_mpi_pi(x)"},
    {"round", "rint(x), as halves go to the even number"},
    {"around", "rint(x), as halves go to the even number"},
    {"deg2rad", "x * TMath::DegToRad()"},
    {"radians", "x * TMath::DegToRad()"},
    {"rad2deg", "x * TMath::RadToDeg()"},
    {"degrees", "x * TMath::RadToDeg()"},
    {"nan_to_num", "isnan(x) ? y : x"},
    {"norm", "sqrt(x * x + y * y)"},
    {"float32", "float(x)"},
    {"float64", "double(x)"},
    {"int32", "int(x)"},
    {"int64", "long(x)"},
    {"uint32", "unsigned(x)"},
    {"bool_", "bool(x)"},
    {"array", "Concatenate(x, y) of lists"},
    {"uniform", "rndm(seed, run, event, index)"},
    {"random", "rndm(seed, run, event, index)"},
    {"normal", "rndm_normal(seed, run, event, index)"},
    {"gauss", "rndm_normal(seed, run, event, index)"},
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
    {"arccosh", "acosh(x)"},
    {"arcsinh", "asinh(x)"},
    {"arctanh", "atanh(x)"},
    {"absolute", "abs(x)"},
    {"range", "Range(n)"},
    {"sorted", "Sort(x)"},
    {"first", "x.front()"},
    {"hasFlags", "bits(GenPart.statusFlags, \"isLastCopy\")"},
    {"firsts", "x.front()"},
    {"last", "x.back()"},
    {"push_back", "Concatenate(x, y)"},
    {"begin", "x.front()"},
    {"even", "x % 2 == 0"},
    {"odd", "x % 2 != 0"},
    {"isnull", "x.empty()"},
    {"zip", "the lists side by side: operations work on them element by element"},
    {"enumerate", "Enumerate(x)"},
    {"sq", "x * x"},
    {"sqr", "x * x"},
    {"sign", "copysign(1., x)"},
    {"inRange", "x >= low && x < high"},
    {"between", "x >= low && x < high"},
    {"InvMass", "InvariantMass(pt, eta, phi, mass)"},
    {"invmass", "InvariantMass(pt, eta, phi, mass)"},
    {"delta_r", "DeltaR(v, w), of momenta such as Muon.p4(), or DeltaR(eta, eta, phi, phi)"},
    {"delta_phi",
     "DeltaPhi(v, w), the angle of w less that of v, of momenta such as Muon.p4(), or DeltaPhi(phi, phi)"},
    {"delta_r2", "DeltaR2(eta, eta, phi, phi)"},
    {"closest", "Nearest(Jet, Muon)"},
    {"metric_table", "MinDeltaR(Jet, Muon)"},
    {"Phi_mpi_pi", "TVector2::Phi_mpi_pi(x)"},
    {"Phi_0_2pi", "TVector2::Phi_0_2pi(x)"},
    {"DegToRad", "TMath::DegToRad()"},
    {"RadToDeg", "TMath::RadToDeg()"},
    {"TwoPi", "TMath::TwoPi()"},
    {"PiOver2", "TMath::PiOver2()"},
    {"TLorentzVector", "P4(pt, eta, phi, mass)"},
    {"Alt", "at(x, i, default)"},
    {"PtEtaPhiMVector", "P4(pt, eta, phi, mass)"},
    {"PtEtaPhiEVector", "P4PtEtaPhiE(pt, eta, phi, energy)"},
    {"PxPyPzEVector", "P4PxPyPzE(px, py, pz, energy)"},
    {"XYZTVector", "P4PxPyPzE(px, py, pz, energy)"},
    {"LorentzVector", "P4(pt, eta, phi, mass)"},
    {"Construct", "P4(pt, eta, phi, mass)"},
    {"Object", "the column itself, MET.pt"},
    {"Collection", "the column itself, Muon.pt"},
    {"getattr", "the column itself"},
    {"isnormal", "isfinite(x) && x != 0"},
    {"fma", "a * b + c"},
    {"lerp", "a + t * (b - a)"},
    {"midpoint", "(a + b) / 2"},
    {"ldexp", "TMath::Ldexp(x, n)"},
    {"Map", "the expression itself, which works element by element"},
    {"transform", "the expression itself, which works element by element"},
    {"Filter", "x[condition]"},
    {"copy_if", "x[condition]"},
    {"remove_if", "x[condition]"},
    {"str", "a text as it is"},
    {"string", "a text as it is"},
    {"TString", "a text as it is"},
    {"to_string", "a text as it is: numbers are compared as numbers"},
    {"Form", "a text as it is: numbers are compared as numbers"},
    {"find", "contains(s, text)"},
    {"strstr", "contains(s, text)"},
    {"Contains", "contains(s, text) of a text, Any(x == y) of a list"},
    {"BeginsWith", "starts_with(s, text)"},
    {"startswith", "starts_with(s, text)"},
    {"endswith", "ends_with(s, text)"},
    {"Index", "contains(s, text)"},
    {"substr", "starts_with(s, text), ends_with(s, text) or regex_search(s, \"pattern\")"},
    {"compare", "s == text"},
    {"strcmp", "s == text"},
    {"strlen", "s.size()"},
    {"atoi", "stoi(s)"},
    {"atol", "stol(s)"},
    {"atof", "stod(s)"},
    {"strtod", "stod(s)"},
    {"stold", "stod(s)"},
    {"accumulate", "Sum(x)"},
    {"count", "Sum(x == y)"},
    {"count_if", "Sum(condition)"},
    {"any_of", "Any(condition)"},
    {"all_of", "All(condition)"},
    {"none_of", "!Any(condition)"},
    {"find_if", "x[condition].front()"},
    {"distance", "the index, as ArgMax(x) and Nonzero(x) give it"},
    {"max_element", "Max(x)"},
    {"min_element", "Min(x)"},
    {"minmax_element", "Min(x), Max(x)"},
    {"rand", "rndm(seed, run, event, index)"},
    {"TRandom3", "rndm(seed, run, event, index), or rndm_normal"},
    {"TRandom", "rndm(seed, run, event, index), or rndm_normal"},
    {"Linspace", "start + Range(n) * step"},
    {"Logspace", "pow(10, start + Range(n) * step)"},
    {"Arange", "Range(a, b, step)"},
    {"PxPyPzMVector", "P4PxPyPzE(px, py, pz, sqrt(px * px + py * py + pz * pz + m * m))"},
    {"TVector2", "the formula, as in sqrt(x * x + y * y)"},
    {"TVector3", "the formula, or Angle(x1, y1, z1, x2, y2, z2)"},
    {"XYZVector", "the formula, as in sqrt(x * x + y * y + z * z)"},
};

// What ROOT and Python have, and expressions in no way.
constexpr std::string_view kNotOffered[] = {
    "TMath::Landau",
    "TMath::LandauI",
    "TMath::Prob",
    "TMath::ErfInverse",
    "TMath::ErfcInverse",
    "TMath::Voigt",
    "TMath::Vavilov",
    "TMath::VavilovI",
    "TMath::BinomialI",
    "TMath::BetaCf",
    "TMath::BetaDist",
    "TMath::BetaDistI",
    "TMath::BetaIncomplete",
    "TMath::LaplaceDistI",
    "TMath::LogNormal",
    "TMath::GammaDist",
    "TMath::Student",
    "TMath::StudentI",
    "TMath::StudentQuantile",
    "TMath::FDist",
    "TMath::FDistI",
    "TMath::KolmogorovProb",
    "TMath::KolmogorovTest",
    "TMath::ChisquareQuantile",
    "TMath::Quantiles",
    "TMath::Median",
    "TMath::ModeHalfSample",
    "TMath::Normalize",
    "TMath::NormCross",
    "TMath::Normal2Plane",
    "TMath::BinarySearch",
    "TMath::DiLog",
    "TMath::BesselI",
    "TMath::BesselI0",
    "TMath::BesselI1",
    "TMath::BesselJ0",
    "TMath::BesselJ1",
    "TMath::BesselK",
    "TMath::BesselK0",
    "TMath::BesselK1",
    "TMath::BesselY0",
    "TMath::BesselY1",
    "TMath::StruveH0",
    "TMath::StruveH1",
    "TMath::StruveL0",
    "TMath::StruveL1",
    "cumsum",
    "CumSum",
    "Cumsum",
    "median",
    "Median",
    "unique",
    "Unique",
    "diff",
    "percentile",
    "quantile",
    "unflatten",
    "run_lengths",
    "expint",
    "riemann_zeta",
    "legendre",
    "sph_legendre",
    "cyl_bessel_j",
    "popcount",
    "gcd",
    "lcm",
    "nextafter",
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
    {"Pi", "write M_PI"},
    {"PI", "write M_PI"},
    {"M_PIl", "write M_PI"},
    {"std::numbers::pi", "write M_PI"},
    {"std::numbers::e", "write M_E"},
    {"std::string::npos", "write contains(s, text)"},
    {"kTRUE", "write true"},
    {"kFALSE", "write false"},
    {"TRUE", "write true"},
    {"FALSE", "write false"},
    {"DBL_MAX", "write std::numeric_limits<double>::max()"},
    {"FLT_MAX", "write std::numeric_limits<float>::max()"},
    {"INT_MAX", "write std::numeric_limits<int>::max()"},
    {"UINT_MAX", "write std::numeric_limits<unsigned>::max()"},
    {"DBL_EPSILON", "write std::numeric_limits<double>::epsilon()"},
    {"FLT_EPSILON", "write std::numeric_limits<float>::epsilon()"},
    {"rdfsampleinfo_", "the name of the sample is sample_"},
    {"std::cout", "nothing is printed: skimline show prints values of events"},
    {"np", "write the function without it"},
    {"numpy", "write the function without it"},
    {"ak", "write the function without it"},
    {"awkward", "write the function without it"},
    {"random", "write rndm(seed, run, event, index)"},
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

// "TMath::Sqrt" is "TMath" and "Sqrt"; nothing is in front of most names.
std::pair<std::string_view, std::string_view> qualified(std::string_view name) {
  const std::size_t end = name.rfind("::");
  if (end == std::string_view::npos) return {{}, name};
  return {name.substr(0, end), name.substr(end + 2)};
}

std::string_view meant_of_tables(std::string_view name) {
  const auto [space, plain] = qualified(name);
  if (const std::string_view instead = meant(name, kQualifiedFunctions); !instead.empty()) return instead;
  if (is_module(space))
    if (const std::string_view instead = meant(plain, kModuleFunctions); !instead.empty()) return instead;
  if (const std::string_view instead = meant(plain, kMeantFunctions); !instead.empty()) return instead;
  return meant(lower_case(plain), kMeantFunctions);
}

bool is_not_offered(std::string_view name) {
  const auto is = [&](std::string_view each) { return each == name || each == qualified(name).second; };
  return std::any_of(std::begin(kNotOffered), std::end(kNotOffered), is);
}

}  // namespace

bool is_module(std::string_view name) {
  constexpr std::string_view kModules[] = {"np", "numpy", "ak", "awkward", "math"};
  const std::string_view first = name.substr(0, name.find_first_of(".:"));
  return std::find(std::begin(kModules), std::end(kModules), first) != std::end(kModules);
}

std::string meant_function(std::string_view name, const std::vector<std::string>& known) {
  const auto [space, plain] = qualified(name);
  if (const std::string_view instead = meant_of_tables(name); !instead.empty())
    return ": write " + std::string(instead);
  if (is_not_offered(name)) return ": there is no such function here, but one of Python can be called";
  const std::string lower = lower_case(plain);
  if (!space.empty()) {
    for (const std::string& each : {std::string(plain), lower})
      if (std::find(known.begin(), known.end(), each) != known.end()) return ": write " + each;
    if (is_module(space))
      for (const std::string& each : known)
        if (lower_case(each) == lower) return ": write " + each;
  }
  return did_you_mean(space.empty() ? plain : name, known);
}

std::string meant_value(std::string_view name) {
  const std::size_t dot = name.find('.');
  const bool is_of_module = dot != std::string_view::npos && !meant(name.substr(0, dot), kValues).empty();
  std::string_view instead = meant(is_of_module ? name.substr(dot + 1) : name, kValues);
  if (is_of_module && instead.empty()) instead = meant(name.substr(0, dot), kValues);
  return instead.empty() ? std::string() : " (" + std::string(instead) + ")";
}

}  // namespace skimline
