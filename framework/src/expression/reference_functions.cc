// SPDX-License-Identifier: BSD-3-Clause
// Functions of indexes into a list of which a mask keeps some elements.
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/list_elements.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace skimline {
namespace {

// Which elements of a list are kept, and where they come to lie.
class KeptElements {
 public:
  explicit KeptElements(const ColumnView& mask) : mask_(mask), before_(mask.num_values() + 1) {
    const bool* keep = mask.data<bool>();
    for (std::size_t i = 0; i < mask.num_values(); ++i) before_[i + 1] = before_[i] + (keep[i] ? 1 : 0);
  }

  std::uint32_t num_kept(std::size_t entry) const {
    return before_[mask_.offsets[entry + 1]] - before_[mask_.offsets[entry]];
  }

  template <typename T>
  bool has(std::size_t entry, T index) const {
    if constexpr (std::is_signed_v<T>) {
      if (index < 0) return false;
    }
    return static_cast<std::uint64_t>(index) < size_at(mask_, entry) &&
           mask_.data<bool>()[mask_.offsets[entry] + static_cast<std::size_t>(index)];
  }

  template <typename T>
  T place_of(std::size_t entry, T index) const {
    const std::size_t first = mask_.offsets[entry];
    return static_cast<T>(before_[first + static_cast<std::size_t>(index)] - before_[first]);
  }

 private:
  const ColumnView& mask_;
  std::vector<std::uint32_t> before_;  // how many are kept in front of each
};

// In an unsigned type "none" is the largest number, which must be no element.
template <typename T>
T no_element(std::size_t entry, std::uint32_t num_kept) {
  constexpr T kNone = static_cast<T>(-1);
  if constexpr (std::is_unsigned_v<T>) {
    if (num_kept > kNone)
      throw EntryFault{entry, "the type of the indexes has no number for \"none\" beside " +
                                  std::to_string(num_kept) + " elements"};
  }
  return kNone;
}

// Where the indexes of an entry begin among all.
std::size_t first_value(const ColumnView& column, std::size_t entry) {
  std::size_t first = entry;
  for (int level = 0; level < column.type.depth; ++level) first = column.offsets_at(level)[first];
  return first;
}

template <typename T>
ColumnView reindexed(const KernelCall& call) {
  const ColumnView& indexes = call.inputs[0];
  const KeptElements kept(call.inputs[1]);
  const std::size_t count = first_value(indexes, call.length);
  const std::size_t step = indexes.is_constant ? 0 : 1;
  T* result = call.results.values.reserve<T>(count);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t num_kept = kept.num_kept(entry);
    const std::size_t end = first_value(indexes, entry + 1);
    for (std::size_t i = first_value(indexes, entry); i < end; ++i) {
      const T index = indexes.data<T>()[i * step];
      result[i] = kept.has(entry, index) ? kept.place_of(entry, index) : no_element<T>(entry, num_kept);
    }
  }
  ColumnView reindexed = indexes;
  reindexed.values = result;
  reindexed.is_constant = false;
  return reindexed;
}

bool is_mask(const Argument& argument) {
  return argument.type.depth == 1 && is_integer(argument.type.scalar);
}

std::optional<Operation> choose_reindex(Arguments arguments) {
  if (arguments.size() != 2 || !is_mask(arguments[1])) return std::nullopt;
  const Type indexes = arguments[0].type;
  if (!is_integer(indexes.scalar) || indexes.scalar == ScalarType::kBool) return std::nullopt;
  const auto kernel = visit_scalar(indexes.scalar, [](auto tag) -> ColumnKernel {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return reindexed<T>;
    else
      return nullptr;
  });
  Operation operation = kernel_operation(kernel, {indexes.scalar, ScalarType::kBool}, indexes);
  operation.can_fail = true;
  operation.list_sizes = ListSizes::kFree;
  return operation;
}

// Adds to the kept elements of one entry all that they can be followed to.
class Ancestors {
 public:
  explicit Ancestors(const KernelCall& call) : parents_(call.inputs.subspan(1)) {}

  void add(std::size_t first, std::uint32_t size, std::int32_t* kept) {
    for (std::uint32_t i = 0; i < size; ++i)
      if (kept[i]) open_.push_back(i);
    while (!open_.empty()) {
      const std::size_t child = first + open_.back();
      open_.pop_back();
      for (const ColumnView& parent : parents_) visit(parent.data<std::int64_t>()[child], size, kept);
    }
  }

 private:
  // Read as signed numbers, indexes that are no elements are huge as unsigned ones.
  void visit(std::int64_t parent, std::uint32_t size, std::int32_t* kept) {
    if (static_cast<std::uint64_t>(parent) >= size || kept[parent]) return;
    kept[parent] = 1;
    open_.push_back(static_cast<std::uint32_t>(parent));
  }

  std::span<const ColumnView> parents_;
  std::vector<std::uint32_t> open_;  // kept, and not yet followed
};

ColumnView with_ancestors(const KernelCall& call) {
  const ColumnView& mask = call.inputs[0];
  const bool* keep = mask.data<bool>();
  std::int32_t* result = call.results.values.reserve<std::int32_t>(mask.num_values());
  std::copy(keep, keep + mask.num_values(), result);
  Ancestors ancestors(call);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    ancestors.add(mask.offsets[entry], size_at(mask, entry), result + mask.offsets[entry]);
  return list_result(call, result, mask.offsets);
}

ScalarType as_index(const Argument& argument) {
  return argument.type.scalar == ScalarType::kUInt64 ? ScalarType::kUInt64 : ScalarType::kInt64;
}

std::optional<Operation> choose_with_ancestors(Arguments arguments) {
  if (arguments.size() < 2 || !std::all_of(arguments.begin(), arguments.end(), is_mask)) return std::nullopt;
  std::vector<ScalarType> operands{ScalarType::kBool};
  for (const Argument& parents : arguments.subspan(1)) operands.push_back(as_index(parents));
  Operation operation = kernel_operation(with_ancestors, std::move(operands), jagged(ScalarType::kInt32));
  operation.can_fail = true;  // the lists may differ in size
  return operation;
}

// For each element of a list the first one that its indexes lead to and for which `is_found(element,
// ancestor)`, or -1. Indexes that lead in a circle end after as many steps as there are elements.
template <typename IsFound>
ColumnView first_ancestors(const KernelCall& call, IsFound is_found) {
  const ColumnView& parents = call.inputs[1];
  const auto* const parent_of = parents.data<std::int64_t>();
  auto* const result = call.results.values.reserve<std::int64_t>(parents.num_values());
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::size_t first = parents.offsets[entry];
    const std::uint32_t size = size_at(parents, entry);
    for (std::size_t element = first; element < first + size; ++element) {
      std::int64_t ancestor = parent_of[element];
      result[element] = -1;
      for (std::uint32_t steps = 0; steps < size && static_cast<std::uint64_t>(ancestor) < size; ++steps) {
        if (is_found(element, first + static_cast<std::size_t>(ancestor))) {
          result[element] = ancestor;
          break;
        }
        ancestor = parent_of[first + static_cast<std::size_t>(ancestor)];
      }
    }
  }
  return list_result(call, result, parents.offsets);
}

ColumnView ancestor(const KernelCall& call) {
  const bool* const is_kept = call.inputs[0].data<bool>();
  return first_ancestors(call, [&](std::size_t, std::size_t found) { return is_kept[found]; });
}

ColumnView distinct_parent(const KernelCall& call) {
  const auto* const ids = call.inputs[0].data<std::int64_t>();
  return first_ancestors(call,
                         [&](std::size_t element, std::size_t found) { return ids[found] != ids[element]; });
}

std::optional<Operation> choose_ancestor(Arguments arguments) {
  if (arguments.size() != 2 || !std::all_of(arguments.begin(), arguments.end(), is_mask)) return std::nullopt;
  Operation operation =
      kernel_operation(ancestor, {ScalarType::kBool, as_index(arguments[1])}, jagged(ScalarType::kInt64));
  operation.can_fail = true;  // the lists may differ in size
  return operation;
}

std::optional<Operation> choose_distinct_parent(Arguments arguments) {
  if (arguments.size() != 2 || !std::all_of(arguments.begin(), arguments.end(), is_mask)) return std::nullopt;
  Operation operation = kernel_operation(distinct_parent, {as_index(arguments[0]), as_index(arguments[1])},
                                         jagged(ScalarType::kInt64));
  operation.can_fail = true;  // the lists may differ in size
  return operation;
}

}  // namespace

std::span<const Function> reference_functions() {
  static constexpr Function kFunctions[] = {
      {"Reindex", "Reindex(indexes, mask)", choose_reindex, InnerLists::kWhole},
      {"WithAncestors", "WithAncestors(mask, parents, ...)", choose_with_ancestors, InnerLists::kWhole},
      {"Ancestor", "Ancestor(mask, parents)", choose_ancestor, InnerLists::kWhole},
      {"DistinctParent", "DistinctParent(ids, parents)", choose_distinct_parent, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
