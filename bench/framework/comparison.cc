// SPDX-License-Identifier: BSD-3-Clause
#include "comparison.h"

#include <stdexcept>

namespace skimline::bench {

Kernel::Kernel(Operation operation, Inputs inputs) : operation_(std::move(operation)) {
  for (const Batch& batch : batches()) inputs_.push_back(inputs(batch));
}

ColumnView Kernel::operator()(std::size_t batch, ColumnBuffer& results) const {
  const std::vector<ColumnView>& inputs = inputs_[batch];
  if (operation_.loop) return run_loop(inputs, results);
  const Type type{operation_.result, operation_.result_depth};
  return operation_.kernel({inputs, kBatch, type, results, operation_.state.get()});
}

ColumnView Kernel::run_loop(std::span<const ColumnView> inputs, ColumnBuffer& results) const {
  std::array<Operand, 8> operands;
  ColumnView result = inputs[0];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    operands[i] = {inputs[i].values, inputs[i].is_constant};
    if (inputs[i].type.is_jagged()) result = inputs[i];
  }
  result.type.scalar = operation_.result;
  result.is_constant = false;
  const std::size_t count = result.num_values();
  void* values = results.values.reserve_bytes(count * size_of(operation_.result));
  operation_.loop(operands.data(), values, count);
  result.values = values;
  return result;
}

Kernel called(std::string_view function, Kernel::Inputs inputs, std::string_view text) {
  const Function* found = find_function(function);
  const Constant constant = Constant::of(text);
  std::vector<Argument> arguments;
  for (const ColumnView& input : inputs(batches()[0])) {
    const bool is_text = input.is_constant && input.type.scalar == ScalarType::kString;
    arguments.push_back({input.type, is_text ? &constant : nullptr});
  }
  const auto operation = found ? found->choose(arguments) : std::nullopt;
  if (!operation) throw std::invalid_argument("no function " + std::string(function) + " for these types");
  return {*operation, inputs};
}

Operation operation_of(ColumnKernel kernel, Type result) { return kernel_operation(kernel, {}, result); }

}  // namespace skimline::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  skimline::bench::add_arithmetic();
  skimline::bench::add_reductions();
  skimline::bench::add_list_outputs();
  skimline::bench::add_kinematics();
  skimline::bench::add_moves();
  skimline::bench::add_texts_and_random_numbers();
  benchmark::RunSpecifiedBenchmarks();
}
