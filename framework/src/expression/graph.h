// SPDX-License-Identifier: BSD-3-Clause
// The graph of typed operations that all expressions of a run share: identical sub-expressions are one node.
#pragma once

#include "expression/node.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace skimline {

class Graph {
 public:
  /// Returns the id of an equal node if there is one, else adds `node`.
  NodeId add(Node node);
  /// Computes the values of a node in another way. No node may be added after that: it could be taken for the
  /// one that was there.
  void substitute(NodeId id, Node node) { nodes_[id] = std::move(node); }
  /// Says what a node is called in plans and messages.
  void name(NodeId id, std::string text) { nodes_[id].text = std::move(text); }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  const Nodes& nodes() const { return nodes_; }

  /// Keeps a text for as long as the graph lives; equal texts are kept once.
  std::string_view intern(std::string_view text) { return *texts_.emplace(text).first; }

 private:
  Nodes nodes_;
  std::unordered_multimap<std::size_t, NodeId> by_hash_;
  std::unordered_set<std::string> texts_;
};

}  // namespace skimline
