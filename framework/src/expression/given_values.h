// SPDX-License-Identifier: BSD-3-Clause
// Values by name, for expressions of the code's own.
#pragma once

#include "expression/inner_names.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// Has all names that the expression uses, and no others.
class GivenValues : public InnerNames {
 public:
  GivenValues(std::map<std::string, NodeId, std::less<>> values, NameTable& outer)
      : InnerNames(outer), values_(std::move(values)) {}

  std::optional<NodeId> find(std::string_view name) override { return values_.find(name)->second; }
  std::vector<std::string> candidates_for(std::string_view) override { return {}; }
  std::vector<std::string> matching(std::string_view) const override { return {}; }
  void warn(ExpressionWarning) override {}

 private:
  std::map<std::string, NodeId, std::less<>> values_;
};

}  // namespace skimline
