// SPDX-License-Identifier: BSD-3-Clause
#include "expression/hints.h"

#include "expression/object_syntax.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace skimline {
namespace {

// What code calls the record or the table of events.
constexpr std::string_view kEvents[] = {"event", "events", "Events", "ev",    "evt",   "tree",
                                        "t",     "df",     "self",   "chain", "arrays"};

bool is_name_of_events(std::string_view name) {
  return std::find(std::begin(kEvents), std::end(kEvents), name) != std::end(kEvents);
}

bool is_quantity_of_momenta(std::string_view name) {
  const std::span<const Function> functions = lorentz_vector_functions();
  return !name.starts_with("P4") && std::any_of(functions.begin(), functions.end(),
                                                [&](const Function& each) { return each.name == name; });
}

// The collection and the member of "Jet.px" and "Jet_px".
std::pair<std::string, std::string> parts_of_member(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t end = dot == std::string::npos ? name.find('_') : dot;
  if (end == std::string::npos) return {};
  return {name.substr(0, end), name.substr(end + 1)};
}

// What coffea calls the objects that indexes lead to, which are named by the indexes here.
constexpr std::pair<std::string_view, std::string_view> kReferences[] = {{"parent", "genPartMother"},
                                                                         {"matched_gen", "genPart"},
                                                                         {"matched_gen", "genJet"},
                                                                         {"matched_gen", "genJetAK8"},
                                                                         {"matched_jet", "jet"},
                                                                         {"matched_electron", "electron"},
                                                                         {"matched_photon", "photon"},
                                                                         {"matched_fsrPhoton", "fsrPhoton"},
                                                                         {"matched_muons", "muon1"},
                                                                         {"matched_gen", "genVisTau"},
                                                                         {"matched_electrons", "electron1"}};

std::string hint_at_reference(const std::string& name, NameTable& names) {
  for (const auto& [called, meant] : kReferences) {
    const std::string part = "." + std::string(called) + ".";
    const std::size_t at = name.find(part);
    if (at == std::string::npos) continue;
    std::string other = name;
    other.replace(at + 1, called.size(), meant);
    if (names.find(other)) return " (write " + other + ")";
  }
  return {};
}

// Names that are equal but for dots and underscores.
std::string hint_at_spelling(const std::string& name, const NameTable& names) {
  if (has_wildcards(name)) return {};
  const std::vector<std::string> columns = names.matching(name);
  if (columns.size() < 2) return {};
  std::string all;
  for (const std::string& column : columns) all += (all.empty() ? "" : " or ") + in_expression(column);
  return " (write " + all + ", which are several columns)";
}

}  // namespace

std::string hint_at_operator(Operator op, ScalarType left, ScalarType right) {
  const auto is_either = [&](auto test) { return test(left) || test(right); };
  const bool have_texts = is_either([](ScalarType each) { return each == ScalarType::kString; });
  if (op == Operator::kPlus && have_texts)
    return ": texts are not put together; compare each by itself, s == \"a\" && t == \"b\"";
  if (have_texts && is_number(left) != is_number(right))
    return ": a text becomes a number by stoi(s), stof(s) and stod(s)";
  if (!is_either(is_floating) || have_texts) return {};
  if (op == Operator::kBitXor) return ": it is \"exclusive or\" of bits; a power is pow(x, y)";
  if (op == Operator::kModulo)
    return ": write fmod(x, y), which has the sign of x, or x - y * floor(x / y), as Python has it";
  if (op == Operator::kBitAnd) return ": it is \"and\" of bits; of conditions it is \"&&\"";
  if (op == Operator::kBitOr) return ": it is \"or\" of bits; of conditions it is \"||\"";
  return {};
}

std::string hint_at_arguments(std::string_view function, Arguments arguments) {
  struct Meant {
    std::string_view function;
    bool is_of_list;
    std::string_view instead;
  };
  constexpr Meant kMeant[] = {
      {"max", true, "of one list it is Max(x)"},
      {"min", true, "of one list it is Min(x)"},
      {"Max", false, "of numbers it is max(x, y)"},
      {"Min", false, "of numbers it is min(x, y)"},
      {"IsIn", false, "write x == y"},
      {"Mt", false, "see TransverseMass(pt, phi, pt, phi)"},
      {"Any", false, "write x || y"},
      {"All", false, "write x && y"},
  };
  const bool is_of_list = is_one_list(arguments);
  for (const Meant& each : kMeant)
    if (each.function == function && each.is_of_list == is_of_list) return ": " + std::string(each.instead);
  return {};
}

std::string hint_at_column(const std::string& name, NameTable& names) {
  const auto is_known = [&](const std::string& other) {
    return names.find(other).has_value() || names.counted_member(other).has_value();
  };
  if (std::string spelled = hint_at_spelling(name, names); !spelled.empty()) return spelled;
  if (std::string reference = hint_at_reference(name, names); !reference.empty()) return reference;
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos && is_name_of_events(name.substr(0, dot)) && is_known(name.substr(dot + 1)))
    return " (write " + name.substr(dot + 1) + ")";
  if (name.starts_with("n") && names.counted_member(name.substr(1)))
    return " (write " + name.substr(1) + ".size())";
  const auto [collection, member] = parts_of_member(name);
  if (!is_quantity_of_momenta(member) || !names.counted_member(collection)) return {};
  if (member_spelled(collection, {member}, names)) return {};  // the nearest name
  if (momentum_members(collection, names)) return " (write " + collection + ".p4()." + member + "())";
  // Combinations have it, of members that do not.
  const std::vector<std::string> known = names.candidates_for(name);
  const bool is_of_combined = std::find(known.begin(), known.end(), name) != known.end();
  return is_of_combined ? ": its members have no momenta, which are made of " + std::string(kMembersOfMomenta)
                        : "";
}

std::string hint_at_member(const Syntax& objects, std::string_view member) {
  const bool is_computed = objects.kind == SyntaxKind::kBinary || objects.kind == SyntaxKind::kCall;
  if (!is_computed || !is_quantity_of_momenta(member)) return {};
  return ": of momenta it is a function, (Jet[0].p4() + Jet[1].p4())." + std::string(member) + "()";
}

std::string hint_at_index(const Syntax& syntax) {
  if (syntax.operands[1]->kind != SyntaxKind::kString) return {};
  return "columns are named without brackets: write " + syntax.operands[1]->string;
}

std::string hint_at_momenta(const std::string& collection, NameTable& names) {
  return momentum_members(collection, names) ? ", or its momenta, " + collection + ".p4()" : "";
}

}  // namespace skimline
