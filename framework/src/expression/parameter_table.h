// SPDX-License-Identifier: BSD-3-Clause
// What names mean in the body of a function that is called.
#pragma once

#include "expression/inner_names.h"
#include "expression/user_functions.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// The parameters of a function, bound to the arguments of one call.
class ParameterTable : public InnerNames {
 public:
  ParameterTable(const UserFunction& function, const std::vector<NodeId>& arguments, NameTable& outer)
      : InnerNames(outer), function_(function), arguments_(arguments) {}

  std::optional<NodeId> find(std::string_view name) override {
    const std::optional<std::size_t> number = function_.parameter(name);
    return number ? std::optional(arguments_[*number]) : std::nullopt;
  }
  const Declaration* declaration(std::string_view name) const override {
    const std::optional<std::size_t> number = function_.parameter(name);
    return number ? &function_.parameters[*number] : nullptr;
  }
  std::vector<std::string> candidates_for(std::string_view) override {
    return function_.names_of_parameters();
  }
  std::vector<std::string> matching(std::string_view) const override { return {}; }

 private:
  const UserFunction& function_;
  const std::vector<NodeId>& arguments_;
};

}  // namespace skimline
