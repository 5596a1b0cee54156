// SPDX-License-Identifier: BSD-3-Clause
#include "expression_generator.h"

#include "generated_functions.h"

#include <algorithm>
#include <array>

namespace skimline::testing {
namespace {

using Names = std::vector<std::string>;
using Part = std::pair<std::string, std::string>;

Names flat_columns(Kind kind) {
  if (kind == Kind::kString) return {"s"};
  Names integers{"b", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "k", "n", "m", "q"};
  if (kind == Kind::kInteger) return integers;
  for (const char* real : {"f", "d", "x", "y", "x", "y", "f", "d"}) integers.emplace_back(real);
  return integers;
}

Names list_columns(Kind kind, char family) {
  if (family == 'a') {
    if (kind == Kind::kString) return {"a_s"};
    Names integers{"a_b",   "a_i8",  "a_u8",  "a_i16",  "a_u16", "a_i32",
                   "a_u32", "a_i64", "a_u64", "charge", "tight"};
    if (kind == Kind::kInteger) return integers;
    for (const char* real : {"a_f", "a_d", "pt", "eta", "phi", "mass", "pt", "a_d"})
      integers.emplace_back(real);
    return integers;
  }
  if (family == 'c')
    return kind == Kind::kInteger ? Names{"c_b", "c_i32", "c_u64"} : Names{"c_f", "c_d", "c_i32"};
  return kind == Kind::kInteger ? Names{"g_b", "g_i32"} : Names{"g_f", "g_i32"};
}

bool suits(Kind kind, ScalarType scalar) {
  if (kind == Kind::kString) return scalar == ScalarType::kString;
  if (kind == Kind::kVector) return scalar == ScalarType::kLorentzVector;
  return kind == Kind::kInteger ? is_integer(scalar) : is_number(scalar);
}

std::string call(std::string_view name, const std::string& arguments) {
  return std::string(name) + "(" + arguments + ")";
}

// Parts in a braced list are drawn from left to right, whatever the compiler; operands of + are not.
std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& ExpressionGenerator::user_functions() {
  static const std::vector<std::pair<std::string, std::string>> kFunctions = {
      {"twice(a)", "a + a"},
      {"is_between(low, a, high)", "low < a && a <= high"},
      {"first_or(list, other)", "list.size() > 0 ? list[0] : other"},
      {"nested_call(a, b)", "twice(a) * b - twice(b)"},
      {"second(a, b)", "b"},
  };
  return kFunctions;
}

std::vector<std::string> ExpressionGenerator::function_names() {
  std::vector<std::string> names;
  for (const GeneratedFunction& function : generated_functions()) names.emplace_back(function.name);
  return names;
}

std::string ExpressionGenerator::expression() {
  const int depth = 1 + static_cast<int>(random_() % 5);
  constexpr Kind kKinds[] = {Kind::kInteger, Kind::kNumber, Kind::kNumber,
                             Kind::kInteger, Kind::kString, Kind::kVector};
  Kind kind = choose(kKinds);
  if (language_.of_rdataframe) kind = one_in(2) ? Kind::kInteger : Kind::kNumber;
  switch (random_() % 5) {
    case 0:
    case 1:
      return flat(kind, depth);
    case 2:
      if (kind != Kind::kString && !language_.of_rdataframe)
        return one_in(3) ? any_triple(kind, depth) : nested(kind, depth);
      [[fallthrough]];
    default:
      return any_list(kind, depth);
  }
}

std::string ExpressionGenerator::literal(Kind kind) {
  if (kind == Kind::kString) return choose(Names{"\"muon\"", "'electron'", "\"\"", "\"HLT_Mu50\""});
  if (kind == Kind::kVector) return "P4PxPyPzE(1., 2, -0.5f, 4)";
  if (kind == Kind::kInteger || one_in(2))
    return choose(Names{"0", "1", "2", "3", "7", "100", "1u", "3l", "2ul", "0xff", "true", "false",
                        "2147483647", "2147483648", "4294967295u", "9223372036854775807"});
  return choose(Names{"0.", "0.5", "2.5", "1e3", "0.1f", "3.f", "1e-3", "1e38f", ".5", "1e300", "1.5f"});
}

std::optional<std::string> ExpressionGenerator::known_name(Kind kind, int list_depth) {
  if (names_.empty() || !one_in(4)) return std::nullopt;
  const Name name = choose(names_);
  if (name.type.depth != list_depth || !suits(kind, name.type.scalar)) return std::nullopt;
  return name.name;
}

std::string ExpressionGenerator::flat_leaf(Kind kind) {
  if (const auto name = known_name(kind, 0)) return *name;
  if (kind == Kind::kVector) return one_in(4) ? literal(kind) : "P4(x, y, f, d)";
  if (kind == Kind::kInteger && !language_.of_rdataframe) {
    if (one_in(16)) return choose(Names{"AnyOf(\"b\")", "AllOf(\"b\", \"u*\")", "AnyOf(\"i?\", 'k')"});
    if (one_in(16)) return "entry_";
  }
  return one_in(4) && kind != Kind::kString ? literal(kind) : choose(flat_columns(kind));
}

std::string ExpressionGenerator::list_leaf(Kind kind, const Family& family) {
  const std::string mask = family.mask.empty() ? "" : "[" + family.mask + "]";
  if (kind == Kind::kVector) {
    if (family.name != 'a')
      return "P4PxPyPzE(" + choose(list_columns(Kind::kNumber, family.name)) + mask + ", 1, y, 5.f)";
    return one_in(3) ? "P4PxPyPzE(a_d, pt, eta, a_i32)" + mask : "P4(pt, eta, phi, mass)" + mask;
  }
  return choose(list_columns(kind, kind == Kind::kString ? 'a' : family.name)) + mask;
}

std::string ExpressionGenerator::nested_leaf(Kind kind) {
  if (kind == Kind::kVector) return "P4(h_f, h_d, g_f, x)";
  if (const auto name = known_name(kind, 2); name && one_in(8)) return *name;
  if (kind == Kind::kInteger) return choose(Names{"h_b", "h_i8", "h_i32", "h_u64"});
  return choose(Names{"h_f", "h_d", "h_i32", "h_u64"});
}

Family ExpressionGenerator::random_family(int depth) {
  Family family{choose(std::string_view("aaach")), ""};
  if (depth > 0 && one_in(3)) family.mask = mask(depth - 1, family);
  return family;
}

std::string ExpressionGenerator::mask(int depth, const Family& family) {
  if (!language_.of_rdataframe) return list(Kind::kInteger, depth, family);
  // RVec adds up the values of a mask to know the size of the result.
  return comparison(1, depth, family);
}

std::string ExpressionGenerator::flat(Kind kind, int depth) {
  if (depth <= 0) return flat_leaf(kind);
  switch (random_() % 12) {
    case 0:
      return flat_leaf(kind);
    case 1:
    case 2:
      return reduction(0, kind, depth);
    case 3:
      return element(kind, depth - 1);
    case 4:
      return conditional(0, kind, depth - 1, {});
    case 5:
      return kind == Kind::kInteger ? short_circuit(depth - 1) : user_call(0, kind, depth - 1, {});
    case 6:
    case 7:
      return function(0, kind, depth - 1, {});
    default:
      return operation(0, kind, depth - 1, {});
  }
}

std::string ExpressionGenerator::list(Kind kind, int depth, const Family& family) {
  if (depth <= 0 || (kind == Kind::kString && one_in(2))) return list_leaf(kind, family);
  switch (random_() % 8) {
    case 0:
      return list_leaf(kind, family);
    case 1:
      return conditional(1, kind, depth - 1, family);
    case 2:
    case 3:
      return function(1, kind, depth - 1, family);
    case 4:
      if (family.name == 'h' && family.mask.empty() && !language_.of_rdataframe && kind != Kind::kString)
        return reduction(1, kind, depth);
      return user_call(1, kind, depth - 1, family);
    default:
      return operation(1, kind, depth - 1, family);
  }
}

// A list of whatever size.
std::string ExpressionGenerator::any_list(Kind kind, int depth) {
  if (const auto name = known_name(kind, 1)) return *name;
  if (kind == Kind::kString) return list(kind, depth, {});
  if (depth > 0) {
    const Family family = random_family(0);
    switch (random_() % 8) {
      case 0:
      case 1:
        return joined({"(", list(kind, depth - 1, family), ")[", mask(depth - 1, family), "]"});
      case 2:
        if (language_.of_rdataframe) {
          const std::string lists = nested_leaf(kind);
          return "(q > 1 ? " + lists + "[1] : " + lists + "[0])";
        }
        return joined({"(q > 1 ? (", nested(kind, depth - 1), ")[1] : (", nested(kind, depth - 1), ")[q])"});
      case 3:
        return list_function_call(kind, depth - 1);
      default:
        break;
    }
  }
  return list(kind, depth, random_family(depth));
}

std::string ExpressionGenerator::nested(Kind kind, int depth) {
  const Family family{'h', ""};
  if (depth <= 0) return nested_leaf(kind);
  switch (random_() % 10) {
    case 0:
      return nested_leaf(kind);
    case 1:
      return joined({"(", nested(kind, depth - 1), ")[", mask(depth - 1, family), "]"});
    case 2:
      return joined({"(", nested(kind, depth - 1), ")[", nested(Kind::kInteger, depth - 1), "]"});
    case 3:
      return conditional(2, kind, depth - 1, family);
    case 4:
    case 5:
      return function(2, kind, depth - 1, family);
    case 6:
      if (one_in(2)) return reduction(2, kind, depth);
      [[fallthrough]];
    default:
      return operation(2, kind, depth - 1, family);
  }
}

std::string ExpressionGenerator::of_depth(int list_depth, Kind kind, int depth, const Family& family) {
  if (list_depth == 0) return flat(kind, depth);
  if (list_depth == 3) return triple(kind, depth);
  return list_depth == 1 ? list(kind, depth, family) : nested(kind, depth);
}

// Two operands, of which at least one is of the depth.
Part ExpressionGenerator::pair(int list_depth, Kind first, Kind second, int depth, const Family& family) {
  int other_depth = list_depth;
  if (list_depth > 0 && one_in(3))
    other_depth = static_cast<int>(random_() % static_cast<unsigned>(list_depth));
  const bool is_swapped = one_in(2);
  // Now and then lists of different sizes.
  const Family other_family = one_in(60) && !language_.of_rdataframe ? random_family(1) : family;
  return {of_depth(is_swapped ? other_depth : list_depth, first, depth, family),
          of_depth(is_swapped ? list_depth : other_depth, second, depth, other_family)};
}

std::string ExpressionGenerator::operation(int list_depth, Kind kind, int depth, const Family& family) {
  if (kind == Kind::kVector) return vector_operation(list_depth, depth, family);
  if (kind == Kind::kString) return of_depth(list_depth, kind, 0, family);
  if (kind == Kind::kNumber) return number_operation(list_depth, depth, family);
  return one_in(2) ? comparison(list_depth, depth, family) : integer_operation(list_depth, depth, family);
}

std::string ExpressionGenerator::number_operation(int list_depth, int depth, const Family& family) {
  if (one_in(8))
    return joined(
        {choose(Names{"(-", "(+", "(- -"}), of_depth(list_depth, Kind::kNumber, depth, family), ")"});
  if (one_in(8)) return cast(list_depth, Kind::kNumber, depth, family);
  const auto [a, b] = pair(list_depth, Kind::kNumber, Kind::kNumber, depth, family);
  return "(" + a + choose(Names{" + ", " - ", " * ", " / "}) + b + ")";
}

std::string ExpressionGenerator::integer_operation(int list_depth, int depth, const Family& family) {
  if (one_in(6)) {
    const bool is_cxx = language_.of_rdataframe && list_depth > 0;
    return joined({choose(is_cxx ? Names{"(-", "(!"} : Names{"(-", "(+", "(!", "(~"}),
                   of_depth(list_depth, Kind::kInteger, depth, family), ")"});
  }
  if (one_in(8)) return cast(list_depth, Kind::kInteger, depth, family);
  if (language_.of_rdataframe && one_in(4))
    return joined({"(", of_depth(list_depth, Kind::kInteger, depth, family),
                   choose(Names{" % 7", " / 3", " % 100", " / 10"}), ")"});
  const auto [a, b] = pair(list_depth, Kind::kInteger, Kind::kInteger, depth, family);
  Names operators{" + ", " - ", " * ", " & ", " | ", " ^ ", " / ", " % "};
  // RVec has no shifts.
  if (list_depth == 0 || !language_.of_rdataframe) operators.insert(operators.end(), {" << ", " >> "});
  return "(" + a + choose(operators) + b + ")";
}

std::string ExpressionGenerator::comparison(int list_depth, int depth, const Family& family) {
  const bool is_of_strings = one_in(10) && list_depth < 2 && family.name == 'a' && !language_.of_rdataframe;
  if (one_in(3)) {
    const auto [a, b] = pair(list_depth, Kind::kNumber, Kind::kNumber, depth, family);
    return "(" + a + choose(Names{" && ", " || ", " and ", " or "}) + b + ")";
  }
  const Kind kind = is_of_strings ? Kind::kString : Kind::kNumber;
  const auto [a, b] = pair(list_depth, kind, kind, depth, family);
  return "(" + a + choose(Names{" < ", " <= ", " > ", " >= ", " == ", " != "}) + b + ")";
}

std::string ExpressionGenerator::vector_operation(int list_depth, int depth, const Family& family) {
  if (one_in(6)) return "(-" + of_depth(list_depth, Kind::kVector, depth, family) + ")";
  if (one_in(4)) {
    const auto [a, b] = pair(list_depth, Kind::kVector, Kind::kNumber, depth, family);
    return one_in(2) ? "(" + a + " * " + b + ")" : "(" + b + " * " + a + ")";
  }
  const auto [a, b] = pair(list_depth, Kind::kVector, Kind::kVector, depth, family);
  return "(" + a + choose(Names{" + ", " - "}) + b + ")";
}

std::string ExpressionGenerator::cast(int list_depth, Kind kind, int depth, const Family& family) {
  if (language_.of_rdataframe && list_depth > 0) return of_depth(list_depth, kind, depth, family);
  const Names integers{"int",     "unsigned", "long",    "bool",     "short",   "int8_t",   "uint8_t",
                       "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t"};
  const std::string type =
      kind == Kind::kInteger ? choose(integers) : choose(Names{"float", "double", "float", "int"});
  return call(type, of_depth(list_depth, Kind::kNumber, depth, family));
}

// An argument of an element-wise function: capital letters are lists, which only reductions have.
std::string ExpressionGenerator::argument(char letter, int list_depth, int depth, const Family& family) {
  switch (letter) {
    case 'v':
      return of_depth(list_depth, Kind::kVector, depth, family);
    case 's':
      return of_depth(std::min(list_depth, 1), Kind::kString, depth, family);
    case 'n': {
      const Names texts{"\"12\"",  "' -7 GeV'", "\"+3.25e1x\"", "'0x1F'", "\"99999999999999\"",
                        "'1e400'", "'m'"};
      return joined(
          {"(", choose(flat_columns(Kind::kInteger)), " ? ", choose(texts), " : ", choose(texts), ")"});
    }
    case 'p':
      return choose(Names{"'HLT_(Iso)?Mu[0-9]+'", "\"m\"", "'.*n$'", "\"a|e\""});
    case 'i':
      return of_depth(list_depth, Kind::kInteger, depth, family);
    case 'c':
      // The sign of a computed NaN is not defined, that of a stored one is.
      if (list_depth == 0) return choose(flat_columns(Kind::kNumber));
      if (list_depth == 3) return triple_leaf(Kind::kNumber);
      return list_depth == 1 ? list_leaf(Kind::kNumber, family) : choose(Names{"h_f", "h_d", "h_i32"});
    default:
      // A function of constants is folded by compilers, in their own way.
      return language_.of_rdataframe && depth == 0 && list_depth == 0
                 ? choose(flat_columns(Kind::kNumber))
                 : of_depth(list_depth, Kind::kNumber, depth, family);
  }
}

std::string ExpressionGenerator::function(int list_depth, Kind kind, int depth, const Family& family) {
  const char wanted = kind == Kind::kVector ? 'v' : kind == Kind::kInteger ? 'i' : 'x';
  if (kind == Kind::kString) return of_depth(list_depth, kind, 0, family);
  const auto suits_here = [&](const GeneratedFunction& function) {
    const bool has_strings = function.arguments.find('s') != std::string_view::npos;
    if (function.arguments == "n" && list_depth > 0) return false;
    return function.result == wanted && (!language_.of_rdataframe || function.is_of_rdataframe) &&
           is_elementwise(function) &&
           (!has_strings || list_depth == 0 || (list_depth == 1 && family.name == 'a'));
  };
  std::vector<GeneratedFunction> candidates;
  std::copy_if(generated_functions().begin(), generated_functions().end(), std::back_inserter(candidates),
               suits_here);
  if (candidates.empty()) return operation(list_depth, kind, depth, family);
  const GeneratedFunction chosen = choose(candidates);
  // Any of the arguments but one may be of less depth.
  const std::size_t deepest = random_() % chosen.arguments.size();
  const bool is_pattern = chosen.arguments[deepest] == 'p';
  Names arguments;
  for (std::size_t i = 0; i < chosen.arguments.size(); ++i) {
    const bool is_less =
        i != deepest && !is_pattern && list_depth > 0 && one_in(4) && !language_.of_rdataframe;
    arguments.push_back(argument(chosen.arguments[i], is_less ? 0 : list_depth, depth, family));
  }
  std::string text;
  for (const std::string& each : arguments) text += (text.empty() ? "" : ", ") + each;
  if (chosen.arguments == "v" && one_in(2)) return text + "." + std::string(chosen.name) + "()";
  // Of flat values only their namespace tells where they are.
  const bool needs_namespace = language_.of_rdataframe && chosen.arguments.size() > 1 && chosen.name[0] < 'a';
  const std::string made = call((needs_namespace ? "ROOT::VecOps::" : "") + std::string(chosen.name), text);
  if (!language_.of_rdataframe || is_same_in_rdataframe(chosen, arguments, language_.type_of)) return made;
  return of_depth(list_depth, kind, 0, family);
}

// A value for each list, where these are `list_depth` lists deep.
std::string ExpressionGenerator::reduction(int list_depth, Kind kind, int depth) {
  if (kind == Kind::kString) return of_depth(list_depth, kind, 0, {});
  const char wanted = kind == Kind::kVector ? 'v' : kind == Kind::kInteger ? 'i' : 'x';
  std::vector<GeneratedFunction> candidates;
  for (const GeneratedFunction& function : generated_functions())
    if (function.result == wanted && is_reduction(function) &&
        (!language_.of_rdataframe || function.is_of_rdataframe))
      candidates.push_back(function);
  if (candidates.empty()) return of_depth(list_depth, kind, 0, {});
  const GeneratedFunction chosen = choose(candidates);
  Names arguments;
  const Family family = list_depth == 0 ? random_family(depth) : Family{'h', ""};
  for (const char letter : chosen.arguments) {
    const Kind element = letter == 'V' ? Kind::kVector : letter == 'I' ? Kind::kInteger : Kind::kNumber;
    if (letter == 'x') {
      arguments.push_back(flat(Kind::kNumber, depth - 1));
    } else if (list_depth > 0) {
      arguments.push_back(of_depth(list_depth + 1, element, depth - 1, family));
    } else {
      arguments.push_back(chosen.arguments.size() == 1 ? any_list(element, depth - 1)
                                                       : list(element, depth - 1, family));
    }
  }
  std::string text;
  for (const std::string& each : arguments) text += (text.empty() ? "" : ", ") + each;
  const std::string made = call(chosen.name, text);
  if (language_.of_rdataframe && !is_same_in_rdataframe(chosen, arguments, language_.type_of))
    return of_depth(list_depth, kind, 0, {});
  // Of an empty list these have no answer; mostly that is asked first.
  if (list_depth == 0 && fails_if_empty(chosen) && !one_in(8))
    return "((" + arguments[0] + ").size() > 0 ? " + made + " : " + literal(kind) + ")";
  return made;
}

// A list that a function makes of lists; it may have any size.
std::string ExpressionGenerator::list_function_call(Kind kind, int depth) {
  const Family family = random_family(depth);
  const std::string values = list(kind, depth, family);
  const std::string order = "Argsort(" + list(Kind::kNumber, depth, family) + ")";
  const bool is_cxx = language_.of_rdataframe;
  switch (random_() % 10) {
    case 0:
      return "Take(" + values + ", " + order + ")";
    case 1:
      return "(" + values + ".size() > 1 ? Take(" + values + ", " + choose(Names{"2", "-2", "1"}) +
             ") : " + values + ")";
    case 2:
      return "Drop(" + values + ", Nonzero(" + mask(depth, family) + "))";
    case 3: {
      const std::string other = list(kind, depth, family);
      if (is_cxx && language_.type_of(values) != language_.type_of(other)) return values;
      return "Where(" + mask(depth, family) + ", " + values + ", " + other + ")";
    }
    case 4: {
      const std::string other = any_list(Kind::kNumber, depth);
      const std::string combinations = "Combinations(" + list(Kind::kNumber, 0, family) + ", " + other + ")";
      if (kind != Kind::kVector) return is_cxx && kind == Kind::kNumber ? values : combinations + "[1]";
      return "Take(" + list_leaf(kind, family) + ", " + combinations + "[0])";
    }
    case 5:
      if (is_cxx)
        return "(" + values + ".size() > 2 ? Take(" + values + ", Combinations(" + values +
               ", 2)[1]) : " + values + ")";
      return only_ours(kind, depth, values);
    case 6:
      if (!is_cxx) return only_ours(kind, depth, values);
      [[fallthrough]];
    default:
      return list_function(kind, depth, values, family);
  }
}

// What RDataFrame does not have.
std::string ExpressionGenerator::only_ours(Kind kind, int depth, const std::string& values) {
  if (kind == Kind::kInteger) {
    const Family family = random_family(depth);
    const std::string indexes = list(Kind::kInteger, depth, family);
    if (one_in(5)) return "Reindex(" + indexes + ", " + mask(depth, random_family(depth)) + ")";
    if (one_in(5))
      return joined({"WithAncestors(", mask(depth, family), ", ", indexes, ", ",
                     list(Kind::kInteger, depth, family), ")"});
    if (one_in(8)) return joined({"Ancestor(", mask(depth, family), ", ", indexes, ")"});
    if (one_in(8))
      return joined({"DistinctParent(", list(Kind::kInteger, depth, family), ", ", indexes, ")"});
    if (one_in(3)) return "Sizes(" + nested(Kind::kNumber, depth) + ")";
    if (one_in(2))
      return choose(Names{"Range(n)", "Range(k, q)", "Range(k - 1)", "Range(m, k, -1)", "Range(k, 9, k)",
                          "Range(1, n, 2)"});
    return "Combinations(h_i32, 1)[0]";
  }
  const std::string index = choose(Names{"Range(3)", "5", "-5", "a_i8", "k"});
  switch (random_() % 5) {
    case 0:
      return "Flatten(" + nested(kind, depth) + ")";
    case 1:
      return kind == Kind::kVector
                 ? values
                 : "Take(" + values + ", " + index + ", " + flat(Kind::kNumber, depth) + ")";
    case 2:
      return "Take(" + values + ", " + index + ")";
    case 3:
      return kind == Kind::kVector ? values : "Take(" + nested(kind, depth) + ", Argsort(h_d))[0]";
    default:
      return kind == Kind::kVector ? values
                                   : "Sum(" + values + " + Flatten(ForEach(" + values + ", " + values +
                                         ")).size() + ForEach(g_f, " + values + "))";
  }
}

std::string ExpressionGenerator::list_function(Kind kind, int depth, const std::string& values,
                                               const Family& family) {
  const char wanted = kind == Kind::kVector ? 'V' : kind == Kind::kInteger ? 'I' : 'X';
  std::vector<GeneratedFunction> candidates;
  for (const GeneratedFunction& function : generated_functions())
    if (gives_list(function) && function.result == wanted &&
        (!language_.of_rdataframe || function.is_of_rdataframe))
      candidates.push_back(function);
  if (candidates.empty()) return values;
  const GeneratedFunction chosen = choose(candidates);
  Names arguments;
  for (const char letter : chosen.arguments)
    arguments.push_back(letter == 'V'   ? list(Kind::kVector, depth, family)
                        : letter == 'I' ? list(Kind::kInteger, depth, family)
                        : letter == 'x' ? flat(Kind::kNumber, 0)
                                        : any_list(Kind::kNumber, depth));
  if (language_.of_rdataframe && !is_same_in_rdataframe(chosen, arguments, language_.type_of)) return values;
  std::string text;
  for (const std::string& each : arguments) text += (text.empty() ? "" : ", ") + each;
  return call(chosen.name, text);
}

std::string ExpressionGenerator::element(Kind kind, int depth) {
  const Family family = random_family(depth);
  const std::string values = kind == Kind::kString ? list(kind, depth, {}) : list(kind, depth, family);
  const std::string index = choose(Names{"0", "1", "k", "n - 1", "2u", "b"});
  const std::string other = kind == Kind::kString ? "'none'" : flat(kind, 0);
  switch (random_() % 12) {
    case 3:
      if (!language_.of_rdataframe && (kind == Kind::kInteger || kind == Kind::kNumber))
        return "at(" + values + ", " + index + ", " + flat(Kind::kInteger, 0) + ")";
      [[fallthrough]];
    case 0:  // may be out of range
      return "(" + values + ")[" + (one_in(2) ? index : flat(Kind::kInteger, depth)) + "]";
    case 1:
      return "((" + values + ").size() <= 1 ? " + other + " : (" + values + ")[1])";
    case 2:
      if (!language_.of_rdataframe && kind != Kind::kString)
        return "(q > 0 && h_f[q - 1].size() > 0 ? (" + nested(kind, depth) + ")[q - 1][0] : " + other + ")";
      [[fallthrough]];
    default:
      return "(" + index + " < (" + values + ").size() ? (" + values + ")[" + index + "] : " + other + ")";
  }
}

std::string ExpressionGenerator::conditional(int list_depth, Kind kind, int depth, const Family& family) {
  const std::string condition = flat(one_in(4) ? Kind::kNumber : Kind::kInteger, depth);
  const std::string first = of_depth(list_depth, kind, depth, family),
                    second = of_depth(list_depth, kind, depth, family);
  // Lists do not convert to each other in C++.
  if (language_.of_rdataframe && list_depth > 0 && language_.type_of(first) != language_.type_of(second))
    return first;
  return "(" + condition + " ? " + first + " : " + second + ")";
}

// The right side may fail in entries that the left side decides.
std::string ExpressionGenerator::short_circuit(int depth) {
  const Family family = random_family(depth);
  const std::string values = list(Kind::kNumber, depth, family);
  const std::string index = choose(Names{"0", "1", "k", "3"});
  const std::string test =
      joined({"(", values, ")[", index, "]", choose(Names{" > ", " <= ", " != "}), flat(Kind::kNumber, 0)});
  if (one_in(2)) return "((" + values + ").size() > " + index + " && " + test + ")";
  if (one_in(3))
    return joined({"(k != 0 && ", flat(Kind::kInteger, depth), " / k", choose(Names{" > 1)", " < 3u)"})});
  return "((" + values + ").size() <= " + index + " || " + test + ")";
}

std::string ExpressionGenerator::user_call(int list_depth, Kind kind, int depth, const Family& family) {
  if (language_.of_rdataframe || kind == Kind::kString) return of_depth(list_depth, kind, depth, family);
  const auto part = [&](Kind wanted) { return of_depth(list_depth, wanted, depth, family); };
  if (kind == Kind::kVector) return call("twice", part(kind));
  switch (random_() % 5) {
    case 0:
      return call("is_between",
                  joined({flat(Kind::kNumber, 0), ", ", part(Kind::kNumber), ", ", part(Kind::kNumber)}));
    case 1:
      if (list_depth == 0) return call("first_or", joined({any_list(kind, depth), ", ", part(kind)}));
      [[fallthrough]];
    case 2:
      return call("second", joined({flat(Kind::kNumber, depth), ", ", part(kind)}));
    case 3:
      return call("nested_call", joined({part(kind), ", ", part(kind)}));
    default:
      return call("twice", part(kind));
  }
}

}  // namespace skimline::testing
