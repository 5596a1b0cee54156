// SPDX-License-Identifier: BSD-3-Clause
// Which entries each selection of a plan is of: those of another one for which a condition is true.
#pragma once

#include "expression/graph.h"

#include "skimline/framework/plan.h"

#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skimline {

class SelectionTree {
 public:
  /// The selection of those entries of `parent`, if there is one.
  std::optional<SelectionId> find(SelectionId parent, NodeId condition) const {
    const auto found = known_.find({parent.index, condition});
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  void add(SelectionId selection, SelectionId parent, NodeId condition) {
    known_.emplace(std::pair(parent.index, condition), selection);
    narrowed_.emplace(selection.index, std::pair(parent.index, condition));
  }

  /// Those that hold for all of its entries, from the innermost outwards.
  std::vector<NodeId> conditions(SelectionId selection) const {
    std::vector<NodeId> all;
    for (auto each = narrowed_.find(selection.index); each != narrowed_.end();
         each = narrowed_.find(each->second.first))
      all.push_back(each->second.second);
    return all;
  }

 private:
  std::map<std::pair<std::size_t, NodeId>, SelectionId> known_;               // by parent and condition
  std::unordered_map<std::size_t, std::pair<std::size_t, NodeId>> narrowed_;  // parent and condition
};

}  // namespace skimline
