// SPDX-License-Identifier: BSD-3-Clause
// What names mean in the body of a function that is called.
#pragma once

#include "expression/inner_names.h"
#include "expression/user_functions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// The parameters of a function, bound to the arguments of one call.
class ParameterTable : public InnerNames {
 public:
  ParameterTable(const UserFunction& function, const std::vector<NodeId>& arguments, NameTable& outer)
      : InnerNames(outer), function_(function), arguments_(arguments) {}

  std::optional<NodeId> find(std::string_view name) override {
    const auto& names = function_.parameters;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return arguments_[static_cast<std::size_t>(found - names.begin())];
  }
  std::vector<std::string> candidates_for(std::string_view) override { return function_.parameters; }
  std::vector<std::string> matching(std::string_view) const override { return {}; }

 private:
  const UserFunction& function_;
  const std::vector<NodeId>& arguments_;
};

}  // namespace skimline
