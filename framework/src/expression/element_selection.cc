// SPDX-License-Identifier: BSD-3-Clause
// Functions that pick and join elements of lists. As with RVec, the elements of lists of lists are the inner
// lists, unless the indexes are lists of lists too.
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/list_copier.h"
#include "expression/list_elements.h"
#include "expression/list_layout.h"
#include "expression/list_output.h"
#include "expression/moved_value.h"
#include "expression/operators.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace skimline {
namespace {

[[noreturn]] void refuse_first_outside(std::size_t entry, const std::int64_t* index, std::uint32_t size) {
  while (static_cast<std::uint64_t>(*index) < size) ++index;
  refuse_index(entry, *index, size);
}

// Indexes are read as signed numbers of 64 bits: negative ones, and unsigned ones beyond any size, are then
// huge as unsigned numbers alike.
template <bool kOrDefault>
ColumnView take_indexes(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const ColumnView& indexes = call.inputs[1];
  const auto* index = indexes.data<std::int64_t>();
  const std::size_t num_indexes = indexes.num_values();
  Positions positions(call, num_indexes);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = list.offsets[entry], size = size_at(list, entry);
    const std::uint32_t begin = indexes.offsets[entry], end = indexes.offsets[entry + 1];
    const auto place = [&](std::uint32_t i) {
      const bool is_inside = static_cast<std::uint64_t>(index[i]) < size;
      const std::uint32_t position = first + static_cast<std::uint32_t>(index[i]);
      positions[i] = kOrDefault && !is_inside ? kNoPosition : position;
      return is_inside;
    };
    bool are_inside = true;
    std::uint32_t i = begin;
    if (begin + Positions::kChunk <= num_indexes)
      for (; i < begin + Positions::kChunk; ++i) are_inside &= place(i) | (i >= end);
    for (; i < end; ++i) are_inside &= place(i);
    if (!kOrDefault && !are_inside) refuse_first_outside(entry, index + begin, size);
  }
  return kOrDefault ? picked_elements_or(call, indexes.offsets, positions.data(), 2)
                    : picked_elements(call, indexes.offsets, positions.data());
}

// The magnitude, which for the most negative number does not fit into its type.
std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

// The offsets of lists of one size; none if a list of the input is smaller, or there is not enough room.
const std::uint32_t* lay_out_equal(const KernelCall& call, std::uint64_t size) {
  std::uint32_t smallest = ~std::uint32_t{0};
  for (std::size_t entry = 0; entry < call.length; ++entry)
    smallest = std::min(smallest, size_at(call.inputs[0], entry));
  if (smallest < size || size > ListLayout::kMaxListSize || size * call.length > ListLayout::kMaxElements)
    return nullptr;
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  for (std::size_t entry = 0; entry <= call.length; ++entry)
    offsets[entry] = static_cast<std::uint32_t>(entry * size);
  return offsets;
}

[[noreturn]] void refuse_number(std::size_t entry, std::uint64_t wanted, std::uint32_t size) {
  throw EntryFault{entry,
                   std::to_string(wanted) + " elements are taken of a list of size " + std::to_string(size)};
}

// Numbers are read as signed ones: an unsigned one beyond any size would count from the end.
void check_numbers(const KernelCall& call, const FlatValues<std::int64_t>& numbers) {
  if (call.inputs[1].type.scalar != ScalarType::kUInt64) return;
  for (std::size_t entry = 0; entry < call.length; ++entry)
    if (numbers[entry] < 0)
      refuse_number(entry, static_cast<std::uint64_t>(numbers[entry]), size_at(call.inputs[0], entry));
}

// The offsets of lists with as many elements as are wanted, which must be there unless there is a default.
template <bool kOrDefault = false>
const std::uint32_t* lay_out_taken(const KernelCall& call, const FlatValues<std::int64_t>& numbers) {
  const ColumnView& list = call.inputs[0];
  check_numbers(call, numbers);
  if (!kOrDefault && call.inputs[1].is_constant)
    if (const std::uint32_t* offsets = lay_out_equal(call, magnitude(numbers[0]))) return offsets;
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint64_t wanted = magnitude(numbers[entry]);
    if (!kOrDefault && wanted > size_at(list, entry)) refuse_number(entry, wanted, size_at(list, entry));
    layout.add(entry, wanted);
  }
  return layout.offsets();
}

// The first elements of each list, or with a negative number the last.
template <typename T>
ColumnView take_number_of_values(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const FlatValues<std::int64_t> numbers(call.inputs[1]);
  const std::uint32_t* offsets = lay_out_taken(call, numbers);
  const std::uint32_t num_values = list.offsets[call.length];
  T* const result = call.results.values.reserve<T>(offsets[call.length]);
  const auto copy = [&](std::uint32_t first, std::uint32_t taken, std::size_t place) {
    if (taken <= kChunkOf<T> && first + kChunkOf<T> <= num_values)
      copy_values<T>(list.values, first, kChunkOf<T>, result, place);
    else
      copy_values<T>(list.values, first, taken, result, place);
  };
  if (call.inputs[1].is_constant) {
    const auto taken = static_cast<std::uint32_t>(magnitude(numbers[0]));
    const std::uint32_t* const from = list.offsets + (numbers[0] < 0 ? 1 : 0);
    const std::uint32_t before = numbers[0] < 0 ? taken : 0;
    for (std::size_t entry = 0; entry < call.length; ++entry)
      copy(from[entry] - before, taken, entry * taken);
  } else {
    for (std::size_t entry = 0; entry < call.length; ++entry) {
      const std::uint32_t taken = offsets[entry + 1] - offsets[entry];
      copy(numbers[entry] < 0 ? list.offsets[entry + 1] - taken : list.offsets[entry], taken, offsets[entry]);
    }
  }
  return list_result(call, result, offsets);
}

// The same of lists of lists too; or what lacks is the default, on the far side.
template <bool kOrDefault>
ColumnView take_number(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const FlatValues<std::int64_t> numbers(call.inputs[1]);
  const std::uint32_t* offsets = lay_out_taken<kOrDefault>(call, numbers);
  Positions positions(call, offsets[call.length]);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t begin = offsets[entry], end = offsets[entry + 1];
    const std::uint32_t taken = std::min(end - begin, size_at(list, entry));
    const bool from_end = numbers[entry] < 0;
    const std::uint32_t source = from_end ? list.offsets[entry + 1] - taken : list.offsets[entry];
    const std::uint32_t place = from_end ? end - taken : begin;
    for (std::uint32_t chunk = 0; chunk < taken; chunk += Positions::kChunk)
      for (std::uint32_t i = chunk; i < chunk + Positions::kChunk; ++i) positions[place + i] = source + i;
    for (std::uint32_t i = begin; i < place; ++i) positions[i] = kNoPosition;
    for (std::uint32_t i = place + taken; i < end; ++i) positions[i] = kNoPosition;
  }
  return kOrDefault ? picked_elements_or(call, offsets, positions.data(), 2)
                    : picked_elements(call, offsets, positions.data());
}

// Indexes of elements that are not there drop nothing, as with RVec.
ColumnView drop(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const ColumnView& indexes = call.inputs[1];
  const auto* index = indexes.data<std::int64_t>();
  std::vector<std::uint8_t> is_dropped(list.offsets[call.length], 0);
  std::vector<std::uint32_t> positions;
  positions.reserve(is_dropped.size());
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    for (std::uint32_t i = indexes.offsets[entry]; i < indexes.offsets[entry + 1]; ++i)
      if (static_cast<std::uint64_t>(index[i]) < size_at(list, entry))
        is_dropped[list.offsets[entry] + static_cast<std::uint32_t>(index[i])] = 1;
    const std::size_t before = positions.size();
    for (std::uint32_t i = list.offsets[entry]; i < list.offsets[entry + 1]; ++i)
      if (!is_dropped[i]) positions.push_back(i);
    layout.add(entry, positions.size() - before);
  }
  return picked_elements(call, layout.offsets(), positions.data());
}

template <typename T>
ColumnView nonzero(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const T* values = list.data<T>();
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(list.num_values());
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  std::uint32_t found = 0;
  offsets[0] = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = list.offsets[entry];
    for (std::uint32_t i = first; i < list.offsets[entry + 1]; ++i) {
      result[found] = i - first;
      found += values[i] != T{0};
    }
    offsets[entry + 1] = found;
  }
  return list_result(call, result, offsets);
}

// NaN is in no list. Short lists are searched as they are, long ones sorted.
template <typename T>
class Members {
 public:
  void set(const T* first, const T* last) {
    first_ = first;
    last_ = last;
    is_sorted_ = last - first > kShort;
    if (!is_sorted_) return;
    sorted_.clear();
    std::copy_if(first, last, std::back_inserter(sorted_), [](T value) { return value == value; });
    std::sort(sorted_.begin(), sorted_.end());
  }
  bool contain(T value) const {
    if (!is_sorted_) return std::find(first_, last_, value) != last_;
    return value == value && std::binary_search(sorted_.begin(), sorted_.end(), value);
  }

 private:
  static constexpr std::ptrdiff_t kShort = 16;

  const T* first_ = nullptr;
  const T* last_ = nullptr;
  bool is_sorted_ = false;
  std::vector<T> sorted_;
};

template <typename T>
ColumnView intersection(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const ColumnView& other = call.inputs[1];
  T* result = call.results.values.reserve<T>(list.num_values());
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  Members<T> members;
  std::uint32_t kept = 0;
  offsets[0] = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    members.set(other.data<T>() + other.offsets[entry], other.data<T>() + other.offsets[entry + 1]);
    for (std::uint32_t i = list.offsets[entry]; i < list.offsets[entry + 1]; ++i)
      if (members.contain(list.data<T>()[i])) result[kept++] = list.data<T>()[i];
    offsets[entry + 1] = kept;
  }
  return list_result(call, result, offsets);
}

// For each value whether the list of its entry has it: of a list a mask.
template <typename T>
ColumnView membership(const KernelCall& call) {
  const ColumnView& values = call.inputs[0];
  const ColumnView& list = call.inputs[1];
  Members<T> members;
  const auto search = [&](auto* result) {
    const FlatValues<T> value(values);
    for (std::size_t entry = 0; entry < call.length; ++entry) {
      members.set(list.data<T>() + list.offsets[entry], list.data<T>() + list.offsets[entry + 1]);
      const std::size_t first = values.type.is_jagged() ? values.offsets[entry] : entry;
      const std::size_t end = values.type.is_jagged() ? values.offsets[entry + 1] : entry + 1;
      for (std::size_t i = first; i < end; ++i) result[i] = members.contain(value[i]) ? 1 : 0;
    }
  };
  if (values.type.is_jagged()) {
    auto* mask = call.results.values.reserve<std::int32_t>(values.num_values());
    search(mask);
    return list_result(call, mask, values.offsets);
  }
  bool* result = call.results.values.reserve<bool>(call.length);
  search(result);
  return flat_result(call, result);
}

ColumnView concatenated(const KernelCall& call) {
  const ColumnView& first = call.inputs[0];
  const ColumnView& second = call.inputs[1];
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    layout.add(entry, std::uint64_t{size_at(first, entry)} + size_at(second, entry));
  void* result = call.results.values.reserve_bytes(layout.num_elements() * size_of(call.type.scalar));
  visit_moved(call.type.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t entry = 0; entry < call.length; ++entry) {
      const std::uint32_t place = layout.offsets()[entry], size = size_at(first, entry);
      copy_values<T>(first.values, first.offsets[entry], size, result, place);
      copy_values<T>(second.values, second.offsets[entry], size_at(second, entry), result, place + size);
    }
  });
  return list_result(call, result, layout.offsets());
}

ColumnView concatenated_lists(const KernelCall& call) {
  const ColumnView* const sides[] = {&call.inputs[0], &call.inputs[1]};
  const ColumnView lists[] = {sides[0]->elements(), sides[1]->elements()};
  ListLayout layout(call.results.offsets, call.length);
  ListCounter counter;
  const auto for_each_list = [&](std::size_t entry, auto action) {
    for (const int side : {0, 1})
      for (std::uint32_t i = sides[side]->offsets[entry]; i < sides[side]->offsets[entry + 1]; ++i)
        action(lists[side], i);
  };
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    layout.add(entry, std::uint64_t{size_at(*sides[0], entry)} + size_at(*sides[1], entry));
    for_each_list(entry, [&](const ColumnView& from, std::uint32_t i) { counter.add(entry, from, i); });
  }
  return visit_moved(call.type.scalar, [&](auto tag) {
    ListCopier<typename decltype(tag)::type> copier(lists[0].type, counter.counts(), call.results, 1);
    for (std::size_t entry = 0; entry < call.length; ++entry)
      for_each_list(entry, [&](const ColumnView& from, std::uint32_t i) { copier.copy(from, i); });
    return copier.in_lists(call.length, layout.offsets());
  });
}

ColumnView element_or(const KernelCall& call) {
  const ColumnView list = call.inputs[0];
  const FlatValues<std::int64_t> indexes(call.inputs[1]);
  const void* const others = call.inputs[2].values;
  const std::size_t length = call.length, step = call.inputs[2].is_constant ? 0 : 1;
  void* result = call.results.values.reserve_bytes(call.length * size_of(call.type.scalar));
  visit_moved(call.type.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t entry = 0; entry < length; ++entry) {
      const auto index = static_cast<std::uint64_t>(indexes[entry]);
      store_value(result, entry,
                  index < size_at(list, entry) ? load_value<T>(list.values, list.offsets[entry] + index)
                                               : load_value<T>(others, entry * step));
    }
  });
  return flat_result(call, result);
}

ColumnView is_empty_list(const KernelCall& call) {
  bool* result = call.results.values.reserve<bool>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] = size_at(call.inputs[0], entry) == 0;
  return flat_result(call, result);
}

// The type indexes are read in: see take_indexes.
ScalarType index_type(const Argument& indexes) {
  return indexes.type.scalar == ScalarType::kUInt64 ? ScalarType::kUInt64 : ScalarType::kInt64;
}

// What values of both types are converted to; nothing if they have no type in common.
std::optional<ScalarType> joint_type(const Argument& a, const Argument& b) {
  const ScalarType first = a.type.scalar, second = b.type.scalar;
  if (first != second && !(is_number(first) && is_number(second))) return std::nullopt;
  return choice_type(first, second);
}

Operation free_operation(ColumnKernel kernel, std::vector<ScalarType> operands, Type result) {
  Operation operation = kernel_operation(kernel, std::move(operands), result);
  operation.can_fail = true;
  operation.list_sizes = ListSizes::kFree;
  return operation;
}

ColumnKernel take_number_kernel(Type list) {
  if (list.depth > 1) return take_number<false>;
  return visit_moved(list.scalar, [](auto tag) -> ColumnKernel {
    return take_number_of_values<typename decltype(tag)::type>;
  });
}

std::optional<Operation> choose_take(Arguments arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) return std::nullopt;
  const Type list = arguments[0].type, chosen = arguments[1].type;
  if (!list.is_jagged() || !is_integer(chosen.scalar) || chosen.depth > 1) return std::nullopt;
  const ScalarType index = index_type(arguments[1]);
  if (arguments.size() == 2)
    return free_operation(chosen.is_jagged() ? take_indexes<false> : take_number_kernel(list),
                          {list.scalar, index}, list);
  const auto scalar = joint_type(arguments[0], arguments[2]);
  if (!scalar || list.depth != 1 || arguments[2].type.is_jagged()) return std::nullopt;
  Operation operation = free_operation(chosen.is_jagged() ? take_indexes<true> : take_number<true>,
                                       {*scalar, index, *scalar}, jagged(*scalar));
  operation.expands = !chosen.is_jagged();
  return operation;
}

std::optional<Operation> choose_drop(Arguments arguments) {
  if (arguments.size() != 2) return std::nullopt;
  const Type list = arguments[0].type;
  if (!list.is_jagged() || arguments[1].type.depth != 1 || !is_integer(arguments[1].type.scalar))
    return std::nullopt;
  return free_operation(drop, {list.scalar, index_type(arguments[1])}, list);
}

std::optional<Operation> choose_nonzero(Arguments arguments) {
  if (arguments.size() != 1 || !arguments[0].type.is_jagged() || !are_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const auto kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return nonzero<typename decltype(tag)::type>; });
  return kernel_operation(kernel, {scalar}, jagged(ScalarType::kUInt64));
}

bool are_lists(Arguments arguments, int depth) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [depth](const Argument& each) { return each.type.depth == depth; });
}

// Whether the second list is sorted, which RVec wants to know, makes no difference.
std::optional<Operation> choose_intersect(Arguments arguments) {
  if (arguments.size() == 3 && (arguments[2].type.is_jagged() || !is_integer(arguments[2].type.scalar)))
    return std::nullopt;
  if (arguments.size() < 2 || arguments.size() > 3 || !are_lists(arguments.first(2), 1)) return std::nullopt;
  const auto scalar = joint_type(arguments[0], arguments[1]);
  if (!scalar) return std::nullopt;
  std::vector<ScalarType> operands{*scalar, *scalar};
  if (arguments.size() == 3) operands.push_back(arguments[2].type.scalar);
  if (*scalar == ScalarType::kString)
    return free_operation(intersection<std::string_view>, std::move(operands), jagged(*scalar));
  if (!is_number(*scalar)) return std::nullopt;
  const auto kernel = visit_scalar(
      *scalar, [](auto tag) -> ColumnKernel { return intersection<typename decltype(tag)::type>; });
  return free_operation(kernel, std::move(operands), jagged(*scalar));
}

std::optional<Operation> choose_is_in(Arguments arguments) {
  if (arguments.size() != 2 || arguments[0].type.depth > 1 || arguments[1].type.depth != 1)
    return std::nullopt;
  const auto scalar = joint_type(arguments[0], arguments[1]);
  if (!scalar || !(is_number(*scalar) || *scalar == ScalarType::kString)) return std::nullopt;
  const ColumnKernel kernel = *scalar == ScalarType::kString
                                  ? membership<std::string_view>
                                  : visit_scalar(*scalar, [](auto tag) -> ColumnKernel {
                                      return membership<typename decltype(tag)::type>;
                                    });
  const Type result = arguments[0].type.is_jagged() ? jagged(ScalarType::kInt32) : Type{ScalarType::kBool};
  Operation operation = kernel_operation(kernel, {*scalar, *scalar}, result);
  operation.list_sizes = ListSizes::kFree;
  return operation;
}

std::optional<Operation> choose_concatenate(Arguments arguments) {
  if (arguments.size() != 2 || !arguments[0].type.is_jagged()) return std::nullopt;
  const int depth = arguments[0].type.depth;
  const auto scalar = joint_type(arguments[0], arguments[1]);
  if (!scalar || !are_lists(arguments, depth)) return std::nullopt;
  return free_operation(depth == 1 ? concatenated : concatenated_lists, {*scalar, *scalar}, {*scalar, depth});
}

// Whether C++ finds a number again where it compares it with what it becomes in another type.
template <typename To, typename From>
bool is_kept(From number) {
  using Compared = std::common_type_t<To, From>;
  return static_cast<Compared>(static_cast<To>(number)) == static_cast<Compared>(number);
}

// What an integer would become in another type; nothing if that is what it is.
template <typename From>
std::string changed_number(From number, ScalarType to) {
  return visit_scalar(to, [number](auto tag) -> std::string {
    using To = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<To>)
      if (!is_kept<To>(number))
        return std::to_string(number) + " would become " + std::to_string(static_cast<To>(number));
    return "";
  });
}
std::string changed_number(const Constant& number, ScalarType to) {
  return visit_scalar(number.scalar, [&](auto tag) -> std::string {
    using From = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<From>)
      return changed_number(+number.as<From>(), to);
    else
      return "";
  });
}

// Beside a list, a flat number takes the list's type, as with RVec. What a user wrote must still be there.
void check_keeps_number(Arguments arguments, std::size_t list, std::size_t number) {
  const Type kept = arguments[list].type;
  const Argument& given = arguments[number];
  if (!is_integer(kept.scalar)) return;
  if (is_floating(given.type.scalar))
    throw ArgumentFault{number, "a " + std::string(name_of(given.type.scalar)) + " beside a " +
                                    name_of(kept) + " would lose its fraction"};
  const std::string changed =
      given.constant && is_integer(given.type.scalar) ? changed_number(*given.constant, kept.scalar) : "";
  if (!changed.empty())
    throw ArgumentFault{number, changed + " beside a " + name_of(kept) + ": write int(x) for the list"};
}

std::optional<Operation> choose_where(Arguments arguments) {
  if (arguments.size() != 3 || !is_number(arguments[0].type.scalar)) return std::nullopt;
  // RVec drops the fraction, so that 0.5 is false; `?` does not.
  if (is_floating(arguments[0].type.scalar))
    throw ArgumentFault{0, "a mask must be bool or integer, not " + name_of(arguments[0].type) +
                               ": write the comparison that is meant, such as x != 0"};
  const auto joint = joint_type(arguments[1], arguments[2]);
  if (!joint) return std::nullopt;
  ScalarType scalar = *joint;
  for (const std::size_t list : {std::size_t{1}, std::size_t{2}}) {
    if (!arguments[list].type.is_jagged() || arguments[3 - list].type.is_jagged()) continue;
    scalar = arguments[list].type.scalar;
    check_keeps_number(arguments, list, 3 - list);
  }
  return selection_operation(scalar);
}

std::optional<Operation> choose_at(Arguments arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) return std::nullopt;
  const Type list = arguments[0].type;
  if (!list.is_jagged() || arguments[1].type.is_jagged() || !is_integer(arguments[1].type.scalar))
    return std::nullopt;
  if (arguments.size() == 2) return element_operation(list);
  if (list.depth != 1 || arguments[2].type.is_jagged() || !joint_type(arguments[0], arguments[2]))
    return std::nullopt;
  check_keeps_number(arguments, 0, 2);
  return kernel_operation(element_or, {list.scalar, ScalarType::kInt64, list.scalar}, flat(list.scalar));
}

template <Operation (*kOperation)(Type)>
std::optional<Operation> choose_end(Arguments arguments) {
  if (arguments.size() != 1 || !arguments[0].type.is_jagged()) return std::nullopt;
  return kOperation(arguments[0].type);
}

void is_empty_text(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<bool*>(results)[i] = value_at<std::string_view>(operands[0], i).empty();
}

std::optional<Operation> choose_empty(Arguments arguments) {
  if (arguments.size() != 1) return std::nullopt;
  const Type type = arguments[0].type;
  if (type.is_jagged()) return kernel_operation(is_empty_list, {type.scalar}, flat(ScalarType::kBool));
  if (type.scalar != ScalarType::kString) return std::nullopt;
  return loop_operation(is_empty_text, {type.scalar}, ScalarType::kBool);
}

}  // namespace

std::span<const Function> element_selection_functions() {
  static constexpr Function kFunctions[] = {
      {"Take", "Take(list, indexes or number, default)", choose_take, InnerLists::kIfIndexed},
      {"Drop", "Drop(list, indexes)", choose_drop, InnerLists::kIfIndexed},
      {"Where", "Where(mask, a, b)", choose_where},
      {"Nonzero", "Nonzero(list)", choose_nonzero},
      {"Intersect", "Intersect(list, list, is_sorted)", choose_intersect},
      {"IsIn", "IsIn(x, list)", choose_is_in},
      {"Concatenate", "Concatenate(list, list)", choose_concatenate, InnerLists::kWhole},
      {"at", "at(list, index, default)", choose_at, InnerLists::kWhole},
      {"front", "front(list)", choose_end<front_operation>, InnerLists::kWhole},
      {"back", "back(list)", choose_end<back_operation>, InnerLists::kWhole},
      {"empty", "empty(list)", choose_empty, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
