// SPDX-License-Identifier: BSD-3-Clause
// Where values of unsigned types would be negative and are huge instead.
#pragma once

#include "expression/node.h"

#include <string>

namespace skimline {

/// Whether integers of a node cannot be negative, whatever is read. Its inputs must be known.
bool cannot_be_negative(const Node& node, const Nodes& nodes);

/// The difference of unsigned numbers that makes values of a node huge where it would be negative: the node
/// `itself`, one that it passes on, or kNoNode. Its inputs must be known.
NodeId difference_in(const Node& node, NodeId itself, const Nodes& nodes);

/// Whether a condition compares what a difference is taken of, so that it is seen to.
bool sees_to(NodeId condition, NodeId difference, const Nodes& nodes);

/// Whether a value is not the same after conversion to another type if it has wrapped around.
bool shows_wrapping(ScalarType from, ScalarType to);

/// What is to be said of a difference whose size matters.
std::string warning_of_difference(NodeId difference, const Nodes& nodes);

}  // namespace skimline
