// SPDX-License-Identifier: BSD-3-Clause
// Typed operations over the values of a batch. Kernels keep no state of their own and may run in any thread.
#pragma once

#include "skimline/framework/column.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  bool is_of_batch = false;  ///< whether it comes of all entries together: fewer might have an answer
};

/// A kernel on whole columns: sees lists, not only values. The result may use the offsets of an input.
struct KernelCall {
  std::span<const ColumnView> inputs;
  std::size_t length = 0;  ///< entries
  Type type;               ///< of the result
  ColumnBuffer& results;
  const void* state;  ///< Operation::state
};
using ColumnKernel = ColumnView (*)(const KernelCall& call);

/// What the lists of a kernel's inputs have to do with each other.
enum class ListSizes {
  kEqual,  ///< in every entry all lists have one size: checked before the kernel is called
  kFree,
};

/// An operation chosen for given types. Exactly one of `loop` and `kernel` is set.
struct Operation {
  std::string_view name;  ///< of the function or the operator; static
  Loop loop = nullptr;
  ColumnKernel kernel = nullptr;
  std::vector<ScalarType> operand_scalars;  ///< what the operands must be converted to
  ScalarType result = ScalarType::kDouble;
  int result_depth = 0;  ///< of column kernels; loops give the depth of their operands
  bool can_fail = false;
  ListSizes list_sizes = ListSizes::kEqual;
  /// Whether the result may hold many times the values of the inputs; batches are smaller then.
  bool expands = false;
  /// What the kernel needs beside its inputs. It must follow from constant inputs and from `external`.
  std::shared_ptr<const void> state;
  const void* external = nullptr;  ///< the function outside of the language that is called; kept by `state`
};

inline Operation loop_operation(Loop loop, std::vector<ScalarType> operands, ScalarType result) {
  Operation operation;
  operation.loop = loop;
  operation.operand_scalars = std::move(operands);
  operation.result = result;
  return operation;
}

inline Operation kernel_operation(ColumnKernel kernel, std::vector<ScalarType> operands, Type result) {
  Operation operation;
  operation.kernel = kernel;
  operation.operand_scalars = std::move(operands);
  operation.result = result.scalar;
  operation.result_depth = result.depth;
  return operation;
}

/// Value `i` of what a loop reads.
template <typename T>
T value_at(const Operand& operand, std::size_t i) {
  return static_cast<const T*>(operand.values)[operand.is_constant ? 0 : i];
}

/// The values of a flat column, by entry.
template <typename T>
class FlatValues {
 public:
  explicit FlatValues(const ColumnView& column)
      : values_(column.data<T>()), step_(column.is_constant ? 0 : 1) {}
  T operator[](std::size_t entry) const { return values_[entry * step_]; }

 private:
  const T* values_;
  std::size_t step_;
};

inline ColumnView flat_result(const KernelCall& call, const void* values) {
  return {call.type, call.length, values, nullptr, false};
}
inline ColumnView list_result(const KernelCall& call, const void* values, const std::uint32_t* offsets) {
  return {call.type, call.length, values, offsets, false};
}

}  // namespace skimline
