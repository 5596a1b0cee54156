// SPDX-License-Identifier: BSD-3-Clause
#include "generated_functions.h"

#include <algorithm>
#include <cctype>

namespace skimline::testing {
namespace {

constexpr GeneratedFunction kFunctions[] = {
    {"abs", "x", 'x', true},
    {"fabs", "x", 'x', false},
    {"sqrt", "x", 'x', true},
    {"cbrt", "x", 'x', true},
    {"exp", "x", 'x', true},
    {"exp2", "x", 'x', true},
    {"expm1", "x", 'x', true},
    {"log", "x", 'x', true},
    {"log2", "x", 'x', true},
    {"log10", "x", 'x', true},
    {"log1p", "x", 'x', true},
    {"sin", "x", 'x', true},
    {"cos", "x", 'x', true},
    {"tan", "x", 'x', true},
    {"asin", "x", 'x', true},
    {"acos", "x", 'x', true},
    {"atan", "x", 'x', true},
    {"sinh", "x", 'x', true},
    {"cosh", "x", 'x', true},
    {"tanh", "x", 'x', true},
    {"asinh", "x", 'x', true},
    {"acosh", "x", 'x', true},
    {"atanh", "x", 'x', true},
    {"floor", "x", 'x', true},
    {"ceil", "x", 'x', true},
    {"trunc", "x", 'x', true},
    {"round", "x", 'x', true},
    {"erf", "x", 'x', true},
    {"erfc", "x", 'x', true},
    {"tgamma", "x", 'x', true},
    {"pow", "xx", 'x', true},
    {"atan2", "xx", 'x', true},
    {"hypot", "xx", 'x', true},
    {"fmod", "xx", 'x', true},
    {"remainder", "xx", 'x', true},
    {"fdim", "xx", 'x', true},
    {"min", "xx", 'x', false},
    {"max", "xx", 'x', false},
    {"min", "ii", 'i', false},
    {"max", "ii", 'i', false},
    {"DeltaPhi", "xx", 'x', true},
    {"DeltaR", "xxxx", 'x', true},
    {"DeltaPhi", "vv", 'x', false},
    {"DeltaR", "vv", 'x', false},
    {"P4", "xxxx", 'v', false},
    {"P4PtEtaPhiE", "xxxx", 'v', false},
    {"P4PxPyPzE", "xxxx", 'v', false},
    {"pt", "v", 'x', false},
    {"eta", "v", 'x', false},
    {"phi", "v", 'x', false},
    {"mass", "v", 'x', false},
    {"energy", "v", 'x', false},
    {"px", "v", 'x', false},
    {"py", "v", 'x', false},
    {"pz", "v", 'x', false},
    {"p", "v", 'x', false},
    {"mt", "v", 'x', false},
    {"rapidity", "v", 'x', false},
    {"theta", "v", 'x', false},
    {"Pt", "v", 'x', false},
    {"Eta", "v", 'x', false},
    {"Phi", "v", 'x', false},
    {"M", "v", 'x', false},
    {"E", "v", 'x', false},
    {"Px", "v", 'x', false},
    {"Py", "v", 'x', false},
    {"Pz", "v", 'x', false},
    {"P", "v", 'x', false},
    {"Mt", "v", 'x', false},
    {"Rapidity", "v", 'x', false},
    {"Theta", "v", 'x', false},
    {"BoostToRestFrame", "vv", 'v', false},
    {"Boost", "vxxx", 'v', false},
    {"CosThetaCollinsSoper", "vv", 'x', false},
    {"PhiCollinsSoper", "vv", 'x', false},
    {"TransverseMass", "xxxx", 'x', false},
    {"MT2", "vvxxxx", 'x', false},
    {"regex_match", "sp", 'i', false},
    {"regex_search", "sp", 'i', false},
    {"starts_with", "ss", 'i', false},
    {"ends_with", "ss", 'i', false},
    {"contains", "ss", 'i', false},
    {"rint", "x", 'x', false},
    {"nearbyint", "x", 'x', false},
    {"lround", "x", 'x', false},
    {"llround", "x", 'x', false},
    {"lgamma", "x", 'x', true},
    {"fmin", "xx", 'x', false},
    {"fmax", "xx", 'x', false},
    {"copysign", "xc", 'x', false},
    {"min", "xxx", 'x', false},
    {"max", "xxx", 'x', false},
    {"clamp", "xxx", 'x', false},
    {"isnan", "x", 'i', false},
    {"isinf", "x", 'i', false},
    {"isfinite", "x", 'i', false},
    {"signbit", "c", 'i', false},
    {"DeltaR2", "xxxx", 'x', true},
    {"Angle", "xxxxxx", 'x', true},
    {"Angle", "vv", 'x', false},
    {"InvariantMasses", "xxxxxxxx", 'x', true},
    {"InvariantMasses_PxPyPzM", "xxxxxxxx", 'x', true},
    {"length", "s", 'i', false},
    {"stoi", "n", 'i', false},
    {"stol", "n", 'i', false},
    {"stoll", "n", 'i', false},
    {"stoul", "n", 'i', false},
    {"stoull", "n", 'i', false},
    {"stof", "n", 'x', false},
    {"stod", "n", 'x', false},
    {"rndm", "iiii", 'x', false},
    {"rndm_normal", "iiii", 'x', false},
    {"normal_quantile", "x", 'x', false},
    {"HT", "XX", 'x', false},
    {"ST", "Xx", 'x', false},
    {"Sphericity", "V", 'x', false},
    {"Aplanarity", "V", 'x', false},
    {"TransverseSphericity", "V", 'x', false},
    {"Product", "X", 'x', true},
    {"Product", "Xx", 'x', true},
    {"Mean", "X", 'x', true},
    {"Mean", "Xx", 'x', true},
    {"Var", "X", 'x', true},
    {"StdDev", "X", 'x', true},
    {"ArgMin", "X", 'i', true},
    {"ArgMax", "X", 'i', true},
    {"Dot", "XX", 'x', true},
    {"Sum", "Xx", 'x', false},
    {"empty", "X", 'i', false},
    {"front", "X", 'x', false},
    {"back", "X", 'x', false},
    {"front", "I", 'i', false},
    {"back", "V", 'v', false},
    {"Sort", "X", 'X', true},
    {"StableSort", "X", 'X', true},
    {"Argsort", "X", 'I', true},
    {"StableArgsort", "X", 'I', true},
    {"Reverse", "X", 'X', true},
    {"Reverse", "I", 'I', true},
    {"Nonzero", "X", 'I', true},
    {"Intersect", "XX", 'X', false},
    {"IsIn", "XX", 'I', false},
    {"IsIn", "II", 'I', false},
    {"Concatenate", "XX", 'X', true},
    {"Concatenate", "VV", 'V', false},
    {"Enumerate", "X", 'I', true},
    {"MinDeltaR", "VV", 'X', false},
    {"Nearest", "VV", 'I', false},
    {"Match", "VV", 'I', false},
    {"BestPair", "VIIx", 'I', false},
    {"Take", "", 'X', true},
    {"Drop", "", 'X', true},
    {"at", "", 'x', false},
    {"Reindex", "", 'I', false},
    {"WithAncestors", "", 'I', false},
    {"Ancestor", "", 'I', false},
    {"DistinctParent", "", 'I', false},
    {"Where", "", 'X', true},
    {"Range", "", 'I', false},
    {"Sizes", "", 'I', false},
    {"Flatten", "", 'X', false},
    {"ForEach", "", 'X', false},
    {"Combinations", "", 'I', true},
    {"Sum", "X", 'x', true},
    {"Sum", "I", 'i', true},
    {"Sum", "V", 'v', false},
    {"Any", "X", 'i', true},
    {"All", "X", 'i', true},
    {"Min", "X", 'x', true},
    {"Max", "X", 'x', true},
    {"Min", "I", 'i', true},
    {"Max", "I", 'i', true},
    {"size", "X", 'i', false},
    {"InvariantMass", "XXXX", 'x', true},
};

// Whether integers stand only where RVec takes them: for sizes of momenta, masses and pseudorapidities of
// distances.
bool have_real_directions(std::string_view function, const std::vector<Type>& types) {
  const auto is_real_at = [&](std::size_t i) {
    if (function == "DeltaR" || function == "DeltaR2") return i >= 2;
    if (function == "InvariantMass" || function == "InvariantMasses") return i % 4 == 1 || i % 4 == 2;
    return function != "InvariantMasses_PxPyPzM" || i % 4 != 3;
  };
  for (std::size_t i = 0; i < types.size(); ++i)
    if (is_real_at(i) && !is_floating(types[i].scalar)) return false;
  return true;
}

bool is_list(char letter) { return std::isupper(static_cast<unsigned char>(letter)) != 0; }

}  // namespace

std::span<const GeneratedFunction> generated_functions() { return kFunctions; }

bool is_elementwise(const GeneratedFunction& function) {
  return !function.arguments.empty() &&
         std::none_of(function.arguments.begin(), function.arguments.end(), is_list) &&
         !is_list(function.result);
}

bool is_reduction(const GeneratedFunction& function) {
  return std::any_of(function.arguments.begin(), function.arguments.end(), is_list) &&
         !is_list(function.result);
}

bool gives_list(const GeneratedFunction& function) {
  return !function.arguments.empty() && is_list(function.result);
}

bool fails_if_empty(const GeneratedFunction& function) {
  constexpr std::string_view kNames[] = {"Min", "Max", "ArgMin", "ArgMax", "front", "back"};
  return std::find(std::begin(kNames), std::end(kNames), function.name) != std::end(kNames);
}

bool is_same_in_rdataframe(const GeneratedFunction& function, const std::vector<std::string>& arguments,
                           const std::function<Type(const std::string&)>& type_of) {
  std::vector<Type> types;
  for (const std::string& argument : arguments) types.push_back(type_of(argument));
  const auto are = [&](auto test) { return std::all_of(types.begin(), types.end(), test); };
  // Not of unsigned integers.
  if (function.name == "abs")
    return types[0].scalar != ScalarType::kUInt32 && types[0].scalar != ScalarType::kUInt64;
  // A sum of bools saturates there.
  if (function.name == "Sum") return types[0].scalar != ScalarType::kBool;
  // Of integers the sums of RVec wrap around.
  if (function.name == "Mean" || function.name == "Var" || function.name == "StdDev")
    return is_floating(types[0].scalar) && types.back().scalar == types[0].scalar;
  // Of bools it gives bools.
  if (function.name == "Enumerate") return types[0].scalar != ScalarType::kBool;
  if (function.name == "Product")
    return types[0].scalar != ScalarType::kBool && types.back().scalar == types[0].scalar;
  if (function.name == "Concatenate") return are([&](Type type) { return type == types[0]; });
  // Of one shape; directions are floating-point numbers.
  constexpr std::string_view kKinematic[] = {"DeltaPhi",
                                             "DeltaR",
                                             "DeltaR2",
                                             "Angle",
                                             "InvariantMass",
                                             "InvariantMasses",
                                             "InvariantMasses_PxPyPzM"};
  if (std::find(std::begin(kKinematic), std::end(kKinematic), function.name) != std::end(kKinematic))
    return have_real_directions(function.name, types) &&
           (function.name != "Angle" || are([&](Type type) { return type.scalar == types[0].scalar; }) ||
            !types[0].is_jagged()) &&
           (types[0].is_jagged() || (function.name != "InvariantMasses" && function.name != "DeltaR2")) &&
           are([&](Type type) { return type.depth == types[0].depth; });
  return true;
}

}  // namespace skimline::testing
