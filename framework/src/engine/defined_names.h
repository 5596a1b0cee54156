// SPDX-License-Identifier: BSD-3-Clause
// The names that a plan knows: columns of the schema, their aliases, and definitions with what each of them
// needs.
#pragma once

#include "expression/graph.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline {

struct Definition {
  NodeId node = 0;
  std::string expression = {};       ///< empty if no variation changes it
  std::set<std::string> needs = {};  ///< the columns and definitions that it names
  bool is_constant = false;
  std::string original = {};  ///< of a column that is redefined, the name that it has without this
  std::size_t order = 0;      ///< which it is of all
};

class DefinedNames {
 public:
  /// The schema must outlive the names.
  explicit DefinedNames(const Schema& schema) : schema_(schema) {}

  /// Throws SchemaError for a name that there is already.
  void check_new(const std::string& name) const;
  Definition& add(const std::string& name, NodeId node);
  /// Calls a column that is redefined by another name, in what other definitions need too: what is there
  /// already was made with it, and stays so.
  void add_original(const std::string& column, const std::string& original, NodeId node);

  /// None if it is no definition.
  const Definition* find(const std::string& name) const;
  /// A definition's name, or that of a column as the schema has it; nothing if it is neither.
  std::optional<std::string> known_name(std::string_view name) const;
  SchemaError unknown(std::string_view name) const;

  /// Definitions in their order.
  const std::vector<std::string>& in_order() const { return defined_; }
  /// Columns, aliases and definitions.
  std::vector<std::string> all() const;
  /// One of all that would be a member of objects of that name.
  std::optional<std::string> member_of(const std::string& objects);
  /// What is needed where these are, by way of definitions too.
  std::set<std::string> needed_by(std::set<std::string> used) const;
  /// Definitions, constants apart, of which none is needed.
  std::vector<std::string> unused(const std::set<std::string>& needed) const;

 private:
  std::vector<std::string> schema_names() const;

  const Schema& schema_;
  std::unordered_map<std::string, Definition> definitions_;
  std::vector<std::string> defined_;
  // Of columns, aliases and so many definitions, once objects are defined.
  std::set<std::string> sorted_;
  std::size_t num_sorted_ = 0;
};

/// Calls one of the names otherwise.
void rename(std::set<std::string>& names, const std::string& from, const std::string& to);

}  // namespace skimline
