// SPDX-License-Identifier: BSD-3-Clause
#include "expression/graph.h"

#include "expression/unsigned_wrapping.h"

#include <algorithm>
#include <functional>

namespace skimline {
namespace {

void mix(std::size_t& hash, std::size_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
}

std::size_t hash_of(const Node& node) {
  std::size_t hash = static_cast<std::size_t>(node.kind);
  mix(hash, static_cast<std::size_t>(node.type.scalar));
  mix(hash, static_cast<std::size_t>(node.type.depth));
  mix(hash, node.column);
  const auto* bytes = reinterpret_cast<const char*>(node.constant.bytes.data());
  mix(hash, std::hash<std::string_view>{}({bytes, node.constant.bytes.size()}));
  mix(hash, std::hash<Loop>{}(node.loop));
  mix(hash, std::hash<ColumnKernel>{}(node.kernel));
  for (const NodeId input : node.inputs) mix(hash, input);
  return hash;
}

// Whether inputs behind the first are for some of the entries only.
bool is_evaluated_apart(const Node& node) {
  return node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr || node.kind == NodeKind::kConditional;
}

bool is_same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.type == b.type && a.column == b.column && a.constant == b.constant &&
         a.loop == b.loop && a.kernel == b.kernel && a.outer_levels == b.outer_levels &&
         a.external == b.external && a.inputs == b.inputs;
}

}  // namespace

NodeId Graph::add(Node node) {
  const std::size_t hash = hash_of(node);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate)
    if (is_same(nodes_[candidate->second], node)) return candidate->second;
  for (const NodeId input : node.inputs) {
    node.can_fail |= nodes_[input].can_fail;
    node.is_costly |= nodes_[input].is_costly;
    const bool is_apart = is_evaluated_apart(node) && input != node.inputs.front();
    node.height = std::max(node.height, nodes_[input].height + (is_apart ? 1 : 0));
  }
  node.is_costly |= node.type.is_jagged();
  const auto id = static_cast<NodeId>(nodes_.size());
  node.is_nonnegative = cannot_be_negative(node, nodes_);
  node.difference = difference_in(node, id, nodes_);
  nodes_.push_back(std::move(node));
  by_hash_.emplace(hash, id);
  return id;
}

}  // namespace skimline
