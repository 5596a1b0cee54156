// SPDX-License-Identifier: BSD-3-Clause
#include "expression/object_syntax.h"

#include <algorithm>
#include <iterator>

namespace skimline {

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

const char* mass_or_energy_of(const std::string& collection, NameTable& names) {
  for (const char* member : {"mass", "m", "energy", "e"})
    if (names.find(collection + "." + member)) return member;
  return nullptr;
}

bool has_momentum(const std::string& collection, NameTable& names) {
  const auto has = [&](const char* member) { return names.find(collection + "." + member).has_value(); };
  return has("pt") && has("eta") && has("phi") && mass_or_energy_of(collection, names);
}

}  // namespace skimline
