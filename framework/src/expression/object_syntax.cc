// SPDX-License-Identifier: BSD-3-Clause
#include "expression/object_syntax.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>

namespace skimline {
namespace {

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

// As writers of ntuples have them: "pt", "Pt" and "PT".
std::string spelled(std::string member, std::size_t num_capitals) {
  std::transform(member.begin(), member.begin() + static_cast<std::ptrdiff_t>(num_capitals), member.begin(),
                 upper);
  return member;
}

}  // namespace

bool is_choice(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::kCall && !syntax.operands.empty() &&
         (syntax.name == "Take" || syntax.name == "Reverse");
}

bool takes_sizes(std::string_view function) {
  constexpr std::string_view kFunctions[] = {"size", "Combinations", "Enumerate", "empty"};
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

std::optional<std::string> collection_of(const Syntax& objects, const NameTable& names) {
  std::string path;
  const Syntax* bottom = &objects;
  for (; bottom->kind != SyntaxKind::kName; bottom = bottom->operands[0].get()) {
    const bool is_member = bottom->kind == SyntaxKind::kMember;
    if (!is_member && bottom->kind != SyntaxKind::kIndex && !is_choice(*bottom)) return std::nullopt;
    if (is_member) path = "." + bottom->name + path;
  }
  const std::string name = bottom->name + path;
  return names.counted_member(name) ? std::optional(name) : std::nullopt;
}

// A column that has the name of a collection is a list itself.
std::optional<std::string> counted_member_of(const Syntax& objects, NameTable& names) {
  const auto collection = collection_of(objects, names);
  if (!collection || names.find(*collection)) return std::nullopt;
  return names.counted_member(*collection)->substr(collection->size() + 1);
}

std::size_t num_directed_objects(const Syntax& call, NameTable& names) {
  constexpr std::string_view kFunctions[] = {"MinDeltaR", "Nearest", "Match"};
  if (std::find(std::begin(kFunctions), std::end(kFunctions), call.name) == std::end(kFunctions)) return 0;
  const bool are_objects = call.operands.size() >= 2 && counted_member_of(*call.operands[0], names) &&
                           counted_member_of(*call.operands[1], names);
  return are_objects ? 2 : 0;
}

std::optional<std::string> member_spelled(const std::string& collection,
                                          std::initializer_list<std::string_view> choices, NameTable& names) {
  for (const std::size_t most_capitals : {0, 1, 8})
    for (const std::string_view choice : choices) {
      std::string member = spelled(std::string(choice), std::min(most_capitals, choice.size()));
      if (names.find(collection + "." + member)) return member;
    }
  return std::nullopt;
}

std::optional<MomentumMembers> momentum_members(const std::string& collection, NameTable& names) {
  const auto named = [&](std::initializer_list<std::string_view> choices) {
    return member_spelled(collection, choices, names);
  };
  const auto energy = named({"energy", "e"});
  if (const auto pt = named({"pt"}), eta = named({"eta"}), phi = named({"phi"}); pt && eta && phi) {
    if (const auto mass = named({"mass", "m"})) return MomentumMembers{"P4", {*pt, *eta, *phi, *mass}};
    if (energy) return MomentumMembers{"P4PtEtaPhiE", {*pt, *eta, *phi, *energy}};
  }
  const auto px = named({"px"}), py = named({"py"}), pz = named({"pz"});
  if (px && py && pz && energy) return MomentumMembers{"P4PxPyPzE", {*px, *py, *pz, *energy}};
  return std::nullopt;
}

}  // namespace skimline
