// SPDX-License-Identifier: BSD-3-Clause
// Columns that are members of the same objects, and choices of these objects.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace skimline {

/// Columns whose lists have one element for each object of a collection.
struct MemberColumns {
  std::string name;         ///< "Jet"
  bool is_certain = false;  ///< whether all their lists have equal sizes, and others have sizes of their own
  std::vector<std::pair<std::string, std::string>> columns{};  ///< member and column: "pt" and "Jet_pt"
};

/// Objects of a collection that a condition chooses, in an order. In both expressions members of the
/// collection come before other names.
struct ObjectDefinition {
  std::string name;   ///< "good_jets"
  std::string from;   ///< "Jet", or what they are made of: "Combinations(Jet, 3)", "Concatenate(Muon, Tau)"
  std::string where;  ///< a mask; empty for all objects
  std::string sort;   ///< ascending by these numbers, equal ones as they are; empty to leave the order
  std::vector<std::string> fields{};  ///< names of the members of combinations; empty for a, b, c and so on
};

}  // namespace skimline
