// SPDX-License-Identifier: BSD-3-Clause
// One typed operation of a graph, with what is known of its values.
#pragma once

#include "expression/constant.h"
#include "expression/kernel.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;

enum class NodeKind {
  kColumn,       ///< a column of the source
  kConstant,     ///< one value for all entries
  kEntry,        ///< the number of the entry
  kFile,         ///< the name of the file that holds the entry
  kLoop,         ///< an element-wise loop over inputs of one shape
  kKernel,       ///< a kernel on columns, on what is `outer_levels` lists deep in them
  kAnd,          ///< inputs[0] && inputs[1], the second only where the first is true
  kOr,           ///< inputs[0] || inputs[1], the second only where the first is false
  kConditional,  ///< inputs[0] ? inputs[1] : inputs[2], each only where it is chosen
};

/// Immutable once added.
struct Node {
  NodeKind kind = NodeKind::kConstant;
  std::string_view name;  ///< kLoop and kKernel: Operation::name
  Type type;
  std::vector<NodeId> inputs;
  std::size_t column = 0;         ///< kColumn
  Constant constant;              ///< kConstant
  Loop loop = nullptr;            ///< kLoop
  bool loop_can_fail = false;     ///< kLoop: whether it may, whatever its inputs are
  ColumnKernel kernel = nullptr;  ///< kKernel, and the following
  int outer_levels = 0;
  ListSizes list_sizes = ListSizes::kEqual;
  bool expands = false;
  std::shared_ptr<const void> state;
  const void* external = nullptr;
  bool can_fail = false;        ///< whether evaluating it for any entry may fail, inputs included
  bool is_costly = false;       ///< whether it reads lists: then it is worth skipping entries
  std::uint32_t height = 0;     ///< sides of `&&`, `||` and `?:` below it that lie in one another
  bool is_nonnegative = false;  ///< integers that cannot be negative
  NodeId difference = kNoNode;  ///< of unsigned numbers, that makes values huge: see unsigned_wrapping.h
  std::string text;             ///< of the expression it came from first, for messages
};

/// By NodeId; each comes after its inputs.
using Nodes = std::vector<Node>;

}  // namespace skimline
