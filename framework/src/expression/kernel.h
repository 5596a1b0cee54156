// SPDX-License-Identifier: BSD-3-Clause
// Typed operations over the values of a batch. Kernels keep no state and may run in any thread.
#pragma once

#include "expression/syntax.h"

#include "skimline/framework/column.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// What an element-wise loop reads: an array, or one value that stands for all.
struct Operand {
  const void* values = nullptr;
  bool is_constant = false;
};

/// Computes `count` results from operands of equal length. Which scalar types, the loop's maker knows.
using Loop = void (*)(const Operand* operands, void* results, std::size_t count);

/// Thrown by kernels where an entry has no answer; the evaluator turns it into an EvaluationError.
struct EntryFault {
  std::size_t index;  ///< of the entry in the batch's selection, or of the value for loops
  std::string problem;
};

/// A kernel on whole columns: sees lists, not only values. The lists of all its inputs have equal sizes,
/// which is checked before it is called. The result may use the offsets of an input.
struct KernelCall {
  std::span<const ColumnView> inputs;
  std::size_t length = 0;  ///< entries
  Type type;               ///< of the result
  ColumnBuffer& results;
};
using ColumnKernel = ColumnView (*)(const KernelCall& call);

/// An operation chosen for given types. Exactly one of `loop` and `kernel` is set.
struct Operation {
  std::string_view name;
  Loop loop = nullptr;
  ColumnKernel kernel = nullptr;
  std::vector<ScalarType> operand_scalars;  ///< what the operands must be converted to
  ScalarType result = ScalarType::kDouble;
  int result_depth = 0;  ///< of column kernels; loops give the depth of their operands
  bool can_fail = false;
};

/// The loop that converts values as static_cast does; out-of-range reals give the nearest integer, NaN gives
/// 0.
Loop conversion_loop(ScalarType from, ScalarType to);

/// The type both operands of an arithmetic operator convert to: C++'s usual arithmetic conversions.
ScalarType common_type(ScalarType a, ScalarType b);

/// Integral promotion: types narrower than int become int.
ScalarType promoted(ScalarType scalar);

/// Chooses a binary operator for scalar operand types; `on_lists` makes comparison and logic give int, as
/// RVec does, instead of bool. Nothing if the operator does not take these types.
std::optional<Operation> binary_operation(Operator op, ScalarType a, ScalarType b, bool on_lists);
std::optional<Operation> unary_operation(Operator op, ScalarType a, bool on_lists);

/// Selects per value between two arrays: operands bool, T, T.
Operation selection_operation(ScalarType scalar);

/// The integer division or remainder that needs no checks, for divisors known to be neither 0 nor -1.
Operation unchecked_division(Operator op, ScalarType scalar);

/// `list[index]` and `list[mask]`.
Operation element_operation(ScalarType scalar);
Operation mask_operation(ScalarType scalar);

/// Repeats each flat value once per element of a list: operands flat T, list of anything.
Operation broadcast_operation(ScalarType scalar);

}  // namespace skimline
