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

const Syntax* collection_of(const Syntax& objects, const NameTable& names) {
  const Syntax* bottom = &objects;
  while (bottom->kind == SyntaxKind::kIndex || is_choice(*bottom)) bottom = bottom->operands[0].get();
  const bool is_collection = bottom->kind == SyntaxKind::kName && names.counted_member(bottom->name);
  return is_collection ? bottom : nullptr;
}

// A column that has the name of a collection is a list itself.
std::optional<std::string> counted_member_of(const Syntax& objects, NameTable& names) {
  const Syntax* collection = collection_of(objects, names);
  if (!collection || names.find(collection->name)) return std::nullopt;
  return names.counted_member(collection->name)->substr(collection->name.size() + 1);
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

}  // namespace skimline
