// SPDX-License-Identifier: BSD-3-Clause
// What objects are made of: `Combinations(Jet, 3)`, `Combinations(electrons, muons)`, `Concatenate(electrons,
// muons)`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Combinations of objects, as they are written.
struct CombinedObjects {
  std::string text;
  std::vector<std::string> parts;   ///< the collection of each member
  std::vector<std::string> fields;  ///< the name of each member
  bool is_of_one = false;           ///< ascending choices of one collection, not one of each

  bool is_empty() const { return parts.empty(); }
};

/// The collections of `Concatenate(electrons, muons)`, each once; none for other texts. Throws
/// ExpressionError where an argument is no name, or is there twice.
std::vector<std::string> merged_objects(const std::string& text);

/// Reads combinations of collections. Members without names are a, b, c and so on. Throws ExpressionError
/// where the text is none, or the names do not fit.
CombinedObjects combined_objects(const std::string& text, const std::vector<std::string>& fields);

/// Whether this is a quantity of the summed momenta of combinations, which they have as a member: "mass".
bool is_combined_quantity(std::string_view member);

/// These quantities.
std::vector<std::string> combined_quantities();

}  // namespace skimline
