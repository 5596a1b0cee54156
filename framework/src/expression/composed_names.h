// SPDX-License-Identifier: BSD-3-Clause
// What names mean in the steps of a function that is composed of others.
#pragma once

#include "expression/name_table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// The arguments of a call, a0, a1 and so on, and the steps so far. Nothing is said of what the user did not
/// write.
class ComposedNames : public NameTable {
 public:
  ComposedNames(const std::vector<NodeId>& arguments, const UserFunctions& functions)
      : functions_(functions) {
    for (std::size_t i = 0; i < arguments.size(); ++i) add("a" + std::to_string(i), arguments[i]);
  }

  void add(const std::string& name, NodeId node) { nodes_[name] = node; }

  std::optional<NodeId> find(std::string_view name) override {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> candidates_for(std::string_view) override { return {}; }
  std::vector<std::string> matching(std::string_view) const override { return {}; }
  const UserFunctions& functions() const override { return functions_; }
  std::vector<std::string> function_candidates() override { return {}; }
  void warn(ExpressionWarning) override {}
  std::optional<std::vector<NodeId>> conditions() const override { return std::nullopt; }

 private:
  const UserFunctions& functions_;
  std::map<std::string, NodeId, std::less<>> nodes_;
};

}  // namespace skimline
