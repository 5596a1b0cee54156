// SPDX-License-Identifier: BSD-3-Clause
#include "expression/list_values.h"

#include "expression/list_layout.h"

#include <algorithm>
#include <string>

namespace skimline {
namespace {

template <typename T>
ColumnView listed(const KernelCall& call) {
  const std::size_t count = call.inputs.size();
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) layout.add(entry, count);
  T* result = call.results.values.reserve<T>(layout.num_elements());
  for (std::size_t i = 0; i < count; ++i) {
    const FlatValues<T> values(call.inputs[i]);
    for (std::size_t entry = 0; entry < call.length; ++entry) result[entry * count + i] = values[entry];
  }
  return list_result(call, result, layout.offsets());
}

template <typename T>
ColumnView repeated(const KernelCall& call) {
  const FlatValues<std::int64_t> sizes(call.inputs[0]);
  const FlatValues<T> values(call.inputs[1]);
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    if (sizes[entry] < 0) throw EntryFault{entry, "a list of " + std::to_string(sizes[entry]) + " values"};
    layout.add(entry, static_cast<std::uint64_t>(sizes[entry]));
  }
  T* result = call.results.values.reserve<T>(layout.num_elements());
  for (std::size_t entry = 0; entry < call.length; ++entry)
    std::fill(result + layout.offsets()[entry], result + layout.offsets()[entry + 1], values[entry]);
  return list_result(call, result, layout.offsets());
}

}  // namespace

Operation list_of_values(ScalarType scalar, std::size_t count) {
  const auto kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return listed<typename decltype(tag)::type>; });
  Operation operation = kernel_operation(kernel, std::vector(count, scalar), Type{scalar, 1});
  operation.name = "list of values";
  return operation;
}

Operation repeated_value(ScalarType scalar) {
  const auto kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return repeated<typename decltype(tag)::type>; });
  Operation operation = kernel_operation(kernel, {ScalarType::kInt64, scalar}, Type{scalar, 1});
  operation.name = "list of one value";
  operation.can_fail = true;
  operation.expands = true;
  return operation;
}

}  // namespace skimline
