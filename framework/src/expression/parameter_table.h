// SPDX-License-Identifier: BSD-3-Clause
// What names mean in the body of a function that is called.
#pragma once

#include "expression/name_table.h"
#include "expression/user_functions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// The parameters of a function, bound to the arguments of one call.
class ParameterTable : public NameTable {
 public:
  ParameterTable(const UserFunction& function, const std::vector<NodeId>& arguments, NameTable& outer)
      : function_(function), arguments_(arguments), outer_(outer) {}

  std::optional<NodeId> find(std::string_view name) override {
    const auto& names = function_.parameters;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return arguments_[static_cast<std::size_t>(found - names.begin())];
  }
  std::vector<std::string> candidates_for(std::string_view) override { return function_.parameters; }
  std::vector<std::string> matching(std::string_view) const override { return {}; }
  const UserFunctions& functions() const override { return outer_.functions(); }
  std::string_view description_of(std::size_t column) const override { return outer_.description_of(column); }
  void warn(ExpressionWarning warning) override { outer_.warn(std::move(warning)); }
  std::optional<std::vector<NodeId>> conditions() const override { return outer_.conditions(); }

 private:
  const UserFunction& function_;
  const std::vector<NodeId>& arguments_;
  NameTable& outer_;
};

}  // namespace skimline
