// SPDX-License-Identifier: BSD-3-Clause
// Names of C++ types, taken apart.
#pragma once

#include "skimline/framework/type.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// "vector<pair<int,float> >" is "vector" with one argument that has two. Namespaces std and ROOT::VecOps,
/// const, a pointer's star and superfluous blanks are left out.
struct TypeName {
  std::string name;
  std::vector<TypeName> arguments;
  bool is_pointer = false;

  /// Blanks only where they must be: "vector<unsigned int>".
  std::string text() const;
};

/// Brackets that do not fit, or too many of them, give a name without arguments.
TypeName parse_type_name(std::string_view text);

/// What ROOT stores numbers of this name as; nothing if it is no number, or one of reduced precision.
std::optional<ScalarType> number_called(std::string_view name);

/// Whether items of this type follow a count: vector, list, deque, set, RVec.
bool is_sequence(const TypeName& type);
/// Whether pairs do: map, multimap, unordered_map.
bool is_map(const TypeName& type);
/// Whether it is a collection: a sequence, a map or a bitset.
bool is_collection(const TypeName& type);

}  // namespace skimline::io
