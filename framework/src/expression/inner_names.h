// SPDX-License-Identifier: BSD-3-Clause
// Names that hold in a part of an expression only.
#pragma once

#include "expression/name_table.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// Names of their own, and of all that is no name what the table outside says.
class InnerNames : public NameTable {
 public:
  explicit InnerNames(NameTable& outer) : outer_(outer) {}

  NameTable& outer() const { return outer_; }

  const UserFunctions& functions() const override { return outer_.functions(); }
  std::vector<std::string> function_candidates() override { return outer_.function_candidates(); }
  std::vector<std::string_view> descriptions_of(std::size_t column) const override {
    return outer_.descriptions_of(column);
  }
  void warn(ExpressionWarning warning) override { outer_.warn(std::move(warning)); }
  std::optional<std::vector<NodeId>> conditions() const override { return outer_.conditions(); }

 private:
  NameTable& outer_;
};

}  // namespace skimline
