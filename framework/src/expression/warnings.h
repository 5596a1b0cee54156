// SPDX-License-Identifier: BSD-3-Clause
// What C++ allows and users seldom mean.
#pragma once

#include "expression/graph.h"
#include "expression/syntax.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace skimline {

/// Of a quotient of integers, which loses its fraction.
std::optional<std::string> warning_of_division(Operator op, const Node& left, const Node& right);

/// Of comparing signed with unsigned numbers, or with a number beyond the type.
std::optional<std::string> warning_of_comparison(Operator op, const Node& left, const Node& right);
/// Of `a < b < c` and `a == b == c`, which compare 0 or 1. The text is that of the whole expression.
std::optional<std::string> warning_of_chain(const Syntax& comparison, std::string_view text, const Node& left,
                                            const Node& right);
/// Of `!a == b`, where `!(a == b)` is another thing and may be meant.
std::optional<std::string> warning_of_negation(const Syntax& comparison, std::string_view text, NodeId left,
                                               NodeId right, const Nodes& nodes);

/// Of `a & b == c` with bits as a number, where `(a & b) == c` is meant. The text is that of the whole
/// expression.
std::optional<std::string> warning_of_bits(const Syntax& bits, std::string_view text, const Node& left,
                                           const Node& right);

/// Of `~condition`, which is true whether the condition is or not.
std::string warning_of_inverted_condition();
/// Whether values of an integer type are conditions, 0 or 1, also as joined by operators of bits.
bool is_zero_or_one(NodeId id, const Nodes& nodes);

/// Of a choice of `c ? a : b`, without a function's name, or an argument of a function such as `max` or
/// `Where` that is negative and becomes unsigned.
std::optional<std::string> warning_of_choice(std::string_view function, const Node& choice,
                                             ScalarType converted);

/// Of a sum, a product or a mean of integers that is an integer narrower than int.
std::optional<std::string> warning_of_narrow_sum(const Operation& operation);

/// Of `list[index]` with indexes in place of a mask, or a condition in place of an index.
std::optional<std::string> warning_of_index(NodeId index, const Nodes& nodes);
/// Of an argument of a function that takes indexes, and is given a mask or a condition.
std::optional<std::string> warning_of_indexes(std::string_view function, std::size_t argument,
                                              const Node& indexes);

/// Whether the size of an operand matters that is converted to another type, or only its value modulo 2^32.
bool shows_size(Operator op, ScalarType operand, ScalarType converted);
/// The same of an argument of a function, given with some type.
bool shows_size(const Operation& operation, std::size_t argument, ScalarType given);

}  // namespace skimline
