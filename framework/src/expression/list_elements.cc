// SPDX-License-Identifier: BSD-3-Clause
#include "expression/list_elements.h"

#include "expression/list_copier.h"
#include "expression/moved_value.h"

namespace skimline {
namespace {

// The position of element `index[entry]` among all elements. Throws if the list has no such element.
class ElementFinder {
 public:
  explicit ElementFinder(const KernelCall& call)
      : offsets_(call.inputs[0].offsets),
        indexes_(call.inputs[1].data<std::int64_t>()),
        step_(call.inputs[1].is_constant ? 0 : 1) {}

  std::uint32_t operator()(std::size_t entry) const {
    const std::int64_t index = indexes_[entry * step_];
    const std::uint32_t size = offsets_[entry + 1] - offsets_[entry];
    // Negative indexes are huge as unsigned numbers.
    if (static_cast<std::uint64_t>(index) >= size) refuse_index(entry, index, size);
    return offsets_[entry] + static_cast<std::uint32_t>(index);
  }

 private:
  const std::uint32_t* offsets_;
  const std::int64_t* indexes_;
  std::size_t step_;
};

// The position of the first or the last element. Throws if there is none.
template <bool kLast>
class EndFinder {
 public:
  explicit EndFinder(const KernelCall& call) : offsets_(call.inputs[0].offsets) {}

  std::uint32_t operator()(std::size_t entry) const {
    if (offsets_[entry] == offsets_[entry + 1])
      throw EntryFault{entry, std::string(kLast ? "back" : "front") + " of an empty list"};
    return kLast ? offsets_[entry + 1] - 1 : offsets_[entry];
  }

 private:
  const std::uint32_t* offsets_;
};

template <typename T, typename Finder>
ColumnView element(const KernelCall& call) {
  const Finder position(call);
  T* result = call.results.values.reserve<T>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    store_value(result, entry, load_value<T>(call.inputs[0].values, position(entry)));
  return {call.type, call.length, result, nullptr, false};
}

// At most all elements are wanted, each entry's list being one of its own.
template <typename T, typename Finder>
ColumnView inner_list(const KernelCall& call) {
  const ColumnView lists = call.inputs[0].elements();
  const Finder position(call);
  ElementCounts room = counts_of(lists);
  room[0] = call.length;
  ListCopier<T> copier(call.type, room, call.results);
  for (std::size_t entry = 0; entry < call.length; ++entry) copier.copy(lists, position(entry));
  return copier.result();
}

// All elements are looked at in one loop, without a branch for the ends of short lists.
template <typename T>
ColumnView masked(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const bool* keep = call.inputs[1].data<bool>();
  const std::size_t num_values = list.num_values();
  T* result = call.results.values.reserve<T>(num_values);
  // How many are kept before each element.
  std::uint32_t* kept = call.results.inner_offsets.reserve<std::uint32_t>(num_values + 1);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < num_values; ++i) {
    store_value(result, count, load_value<T>(list.values, i));
    kept[i] = count;
    count += keep[i];
  }
  kept[num_values] = count;
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  for (std::size_t entry = 0; entry <= call.length; ++entry) offsets[entry] = kept[list.offsets[entry]];
  return {call.type, call.length, result, offsets, false};
}

template <typename T>
ColumnView masked_lists(const KernelCall& call) {
  const ColumnView& outer = call.inputs[0];
  const ColumnView lists = outer.elements();
  const bool* keep = call.inputs[1].data<bool>();
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  ListCopier<T> copier(lists.type, counts_of(lists), call.results, 1);
  std::uint32_t kept = 0;
  offsets[0] = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    for (std::uint32_t i = outer.offsets[entry]; i < outer.offsets[entry + 1]; ++i) {
      if (!keep[i]) continue;
      copier.copy(lists, i);
      ++kept;
    }
    offsets[entry + 1] = kept;
  }
  return copier.in_lists(call.length, offsets);
}

// Repeats value i for the elements offsets[i] .. offsets[i + 1].
template <typename T>
void repeat(const ColumnView& column, const std::uint32_t* offsets, std::size_t count, T* result) {
  const std::size_t step = column.is_constant ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const T value = load_value<T>(column.values, i * step);
    // Whole chunks, which the next list overwrites, or which end in the padding of the buffer.
    for (std::uint32_t place = offsets[i]; place < offsets[i + 1]; place += kChunkOf<T>)
      for (std::uint32_t k = 0; k < kChunkOf<T>; ++k) store_value(result, place + k, value);
  }
}

template <typename T>
ColumnView broadcast_to_elements(const KernelCall& call) {
  const ColumnView& column = call.inputs[0];
  const ColumnView& like = call.inputs[1];
  ColumnView shape = shaped_like(like, call.type);
  T* result = call.results.values.reserve<T>(shape.num_values());
  shape.values = result;
  repeat(column, like.offsets_at(column.type.depth), like.num_elements(column.type.depth), result);
  return shape;
}

// Through several levels of lists.
template <typename T>
ColumnView broadcast_through(const KernelCall& call) {
  const ColumnView& column = call.inputs[0];
  ColumnView shape = shaped_like(call.inputs[1], call.type);
  const std::size_t step = column.is_constant ? 0 : 1;
  T* result = call.results.values.reserve<T>(shape.num_values());
  shape.values = result;
  const std::size_t count = shape.num_elements(column.type.depth);
  for (std::size_t i = 0; i < count; ++i) {
    const T value = load_value<T>(column.values, i * step);
    std::size_t place = i, last = i + 1;
    for (int level = column.type.depth; level < call.type.depth; ++level) {
      place = shape.offsets_at(level)[place];
      last = shape.offsets_at(level)[last];
    }
    for (; place < last; ++place) store_value(result, place, value);
  }
  return shape;
}

ColumnView first_input(const KernelCall& call) { return call.inputs[0]; }

template <typename Finder>
Operation found_element(Type list, std::vector<ScalarType> operands) {
  const auto kernel = visit_moved(list.scalar, [list](auto tag) -> ColumnKernel {
    using T = typename decltype(tag)::type;
    return list.depth == 1 ? element<T, Finder> : inner_list<T, Finder>;
  });
  Operation operation = kernel_operation(kernel, std::move(operands), {list.scalar, list.depth - 1});
  operation.can_fail = true;
  return operation;
}

}  // namespace

void refuse_index(std::size_t entry, std::int64_t index, std::uint64_t size) {
  throw EntryFault{
      entry, "index " + std::to_string(index) + " is out of range of a list of size " + std::to_string(size)};
}

Operation element_operation(Type list) {
  return found_element<ElementFinder>(list, {list.scalar, ScalarType::kInt64});
}

Operation front_operation(Type list) { return found_element<EndFinder<false>>(list, {list.scalar}); }

Operation back_operation(Type list) { return found_element<EndFinder<true>>(list, {list.scalar}); }

Operation mask_operation(Type list) {
  Operation operation;
  operation.kernel = visit_moved(list.scalar, [list](auto tag) -> ColumnKernel {
    using T = typename decltype(tag)::type;
    return list.depth == 1 ? masked<T> : masked_lists<T>;
  });
  operation.operand_scalars = {list.scalar, ScalarType::kBool};
  operation.result = list.scalar;
  operation.result_depth = list.depth;
  operation.can_fail = true;
  return operation;
}

Operation broadcast_operation(Type from, int depth) {
  Operation operation;
  operation.kernel = visit_moved(from.scalar, [from, depth](auto tag) -> ColumnKernel {
    using T = typename decltype(tag)::type;
    return depth == from.depth + 1 ? broadcast_to_elements<T> : broadcast_through<T>;
  });
  operation.result = from.scalar;
  operation.result_depth = depth;
  operation.can_fail = from.depth > 0;  // the outer lists may differ in size
  return operation;
}

Operation sized_operation(Type list, const std::vector<ScalarType>& others) {
  std::vector<ScalarType> operands{list.scalar};
  operands.insert(operands.end(), others.begin(), others.end());
  Operation operation = kernel_operation(first_input, std::move(operands), list);
  operation.can_fail = true;
  return operation;
}

}  // namespace skimline
