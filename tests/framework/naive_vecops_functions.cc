// SPDX-License-Identifier: BSD-3-Clause
// Functions of lists that give lists, or take an index.
#include "naive_functions.h"
#include "naive_operators.h"

#include <algorithm>
#include <numeric>

namespace skimline::testing {
namespace {

const Value& checked_list(const NaiveCall& call, std::size_t index) {
  if (index >= call.arguments.size() || !call.arguments[index].is_list()) throw NaiveRefusal("not a list");
  return call.arguments[index];
}

std::int64_t integer(const NaiveCall& call, const Value& value) {
  if (value.is_list() || !is_integer(value.type.scalar)) throw NaiveRefusal("not an integer");
  return std::get<std::int64_t>(converted(call.context, value.scalar, ScalarType::kInt64));
}

ScalarType joint_type(const Value& a, const Value& b) { return joint_type_of(a.type.scalar, b.type.scalar); }

Value indexes(const std::vector<std::size_t>& positions) {
  Value list{jagged(ScalarType::kUInt64), {}, {}};
  for (const std::size_t position : positions)
    list.elements.push_back(flat_value(static_cast<std::uint64_t>(position)));
  return list;
}

Value with_elements_at(const Value& list, const std::vector<std::size_t>& positions) {
  Value result{list.type, {}, {}};
  for (const std::size_t position : positions) result.elements.push_back(list.elements[position]);
  return result;
}

// Ascending, NaN last, equal elements in the order they had. C++ leaves open where NaN comes, and without
// "Stable" the order of equal elements.
std::vector<std::size_t> sorted_positions(NaiveCall& call, bool is_stable) {
  call.expect(1);
  const Value& list = checked_list(call, 0);
  if (list.type.scalar == ScalarType::kLorentzVector) throw NaiveRefusal("vectors have no order");
  std::vector<std::size_t> positions(list.elements.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  const auto is_nan = [&](const Scalar& x) {
    return is_number(type_of(x)) && as_bool(binary(call.context, Operator::kNotEqual, x, x, false));
  };
  std::stable_sort(positions.begin(), positions.end(), [&](std::size_t i, std::size_t j) {
    const Scalar &a = list.elements[i].scalar, &b = list.elements[j].scalar;
    const bool are_equal = as_bool(binary(call.context, Operator::kEqual, a, b, false));
    call.context.is_undefined |= is_nan(a) || is_nan(b) || (are_equal && !is_stable);
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
    return as_bool(binary(call.context, Operator::kLess, a, b, false));
  });
  return positions;
}

Value sort(NaiveCall& call, bool is_stable) {
  return with_elements_at(checked_list(call, 0), sorted_positions(call, is_stable));
}
Value argsort(NaiveCall& call, bool is_stable) { return indexes(sorted_positions(call, is_stable)); }

Value reverse(NaiveCall& call) {
  call.expect(1);
  Value result = checked_list(call, 0);
  std::reverse(result.elements.begin(), result.elements.end());
  return result;
}

// Where there is no element: the default, or a fault.
Value element_or(NaiveCall& call, const Value& list, std::int64_t index, const Value* other) {
  if (index >= 0 && static_cast<std::uint64_t>(index) < list.elements.size())
    return list.elements[static_cast<std::size_t>(index)];
  if (other) return *other;
  call.context.fault("is out of range of a list");
  return default_value({list.type.scalar, list.type.depth - 1});
}

Value take(NaiveCall& call) {
  if (call.arguments.size() != 3) call.expect(2);
  const bool has_default = call.arguments.size() == 3;
  const ScalarType type =
      has_default ? joint_type(call.arguments[0], call.arguments[2]) : call.arguments[0].type.scalar;
  const Value list = converted(call.context, checked_list(call, 0), type);
  const Value other = has_default ? converted(call.context, call.arguments[2], type) : Value{};
  Value result{list.type, {}, {}};
  if (call.arguments[1].is_list()) {
    for (const Value& index : call.arguments[1].elements)
      result.elements.push_back(element_or(call, list, integer(call, index), has_default ? &other : nullptr));
    return result;
  }
  const std::int64_t number = integer(call, call.arguments[1]),
                     size = static_cast<std::int64_t>(list.elements.size());
  const std::int64_t wanted = number < 0 ? -number : number;
  if (wanted > size && !has_default) {
    call.context.fault("elements are taken of a list");
    return result;
  }
  // Defaults stand where elements are missing: behind the first, in front of the last.
  const std::int64_t first = number < 0 ? size - wanted : 0;
  for (std::int64_t i = first; i < first + wanted; ++i)
    result.elements.push_back(element_or(call, list, i, &other));
  return result;
}

Value drop(NaiveCall& call) {
  call.expect(2);
  const Value &list = checked_list(call, 0), &dropped = checked_list(call, 1);
  Value result{list.type, {}, {}};
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    const bool is_kept = std::none_of(
        dropped.elements.begin(), dropped.elements.end(),
        [&](const Value& index) { return integer(call, index) == static_cast<std::int64_t>(i); });
    if (is_kept) result.elements.push_back(list.elements[i]);
  }
  return result;
}

Value at(NaiveCall& call) {
  if (call.arguments.size() != 3) call.expect(2);
  const Value& list = checked_list(call, 0);
  const std::int64_t index = integer(call, call.arguments[1]);
  if (call.arguments.size() == 2) return element_or(call, list, index, nullptr);
  const Value other = converted(call.context, call.arguments[2], list.type.scalar);
  return element_or(call, list, index, &other);
}

// The indexes below an element of a list, or below all.
void reindex(NaiveCall& call, Value& index, const Value& mask) {
  if (index.is_list()) {
    for (Value& each : index.elements) reindex(call, each, mask);
    return;
  }
  const std::int64_t wanted = integer(call, index);
  std::int64_t place = 0, found = -1, kept = 0;
  for (std::size_t i = 0; i < mask.elements.size(); ++i) {
    if (!as_bool(mask.elements[i].scalar)) continue;
    if (wanted == static_cast<std::int64_t>(i)) found = place;
    ++place;
    ++kept;
  }
  index.scalar = converted(call.context, Scalar{found}, index.type.scalar);
  // "None" must not be the index of an element.
  const std::int64_t none = integer(call, index);
  if (found < 0 && none >= 0 && none < kept) call.context.fault("has no number for \"none\"");
}

Value reindex(NaiveCall& call) {
  call.expect(2);
  const Value& mask = checked_list(call, 1);
  const Type indexes = call.arguments[0].type;
  if (mask.type.depth != 1 || !is_integer(mask.type.scalar)) throw NaiveRefusal("not a mask");
  if (!is_integer(indexes.scalar) || indexes.scalar == ScalarType::kBool) throw NaiveRefusal("not indexes");
  Value result = call.arguments[0];
  reindex(call, result, mask);
  return result;
}

// Follows every element to all that it comes from, until nothing is new.
Value with_ancestors(NaiveCall& call) {
  if (call.arguments.size() < 2) call.expect(2);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Value& list = checked_list(call, i);
    if (list.type.depth != 1 || !is_integer(list.type.scalar)) throw NaiveRefusal("not indexes");
    if (list.elements.size() != call.arguments[0].elements.size()) {
      call.context.fault("lists of different sizes");
      return {jagged(ScalarType::kInt32), {}, {}};
    }
  }
  std::vector<bool> kept;
  for (const Value& each : call.arguments[0].elements) kept.push_back(as_bool(each.scalar));
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t child = 0; child < kept.size(); ++child)
      for (std::size_t i = 1; kept[child] && i < call.arguments.size(); ++i) {
        const std::int64_t parent = integer(call, call.arguments[i].elements[child]);
        if (parent < 0 || parent >= static_cast<std::int64_t>(kept.size())) continue;
        if (kept[static_cast<std::size_t>(parent)]) continue;
        has_changed = kept[static_cast<std::size_t>(parent)] = true;
      }
  }
  Value result{jagged(ScalarType::kInt32), {}, {}};
  for (const bool each : kept) result.elements.push_back(flat_value(static_cast<std::int32_t>(each)));
  return result;
}

// Follows an element as often as there are elements.
template <typename IsFound>
Value first_ancestors(NaiveCall& call, IsFound is_found) {
  call.expect(2);
  const Value& list = checked_list(call, 0);
  const Value& parents = checked_list(call, 1);
  for (const Value* each : {&list, &parents})
    if (each->type.depth != 1 || !is_integer(each->type.scalar)) throw NaiveRefusal("not indexes");
  Value result{jagged(ScalarType::kInt64), {}, {}};
  const auto size = static_cast<std::int64_t>(parents.elements.size());
  if (list.elements.size() != parents.elements.size()) {
    call.context.fault("lists of different sizes");
    return result;
  }
  const auto parent_of = [&](std::int64_t child) {
    const std::int64_t parent = integer(call, parents.elements[static_cast<std::size_t>(child)]);
    return parent < 0 || parent >= size ? -1 : parent;
  };
  for (std::int64_t element = 0; element < size; ++element) {
    std::int64_t found = parent_of(element), steps = 1;
    const auto at = [&](std::int64_t i) { return list.elements[static_cast<std::size_t>(i)]; };
    while (found >= 0 && !is_found(at(element), at(found))) found = steps++ < size ? parent_of(found) : -1;
    result.elements.push_back(flat_value(found));
  }
  return result;
}

Value ancestor(NaiveCall& call) {
  return first_ancestors(call, [](const Value&, const Value& found) { return as_bool(found.scalar); });
}

Value distinct_parent(NaiveCall& call) {
  return first_ancestors(
      call, [&](const Value& own, const Value& found) { return integer(call, own) != integer(call, found); });
}

Value end(NaiveCall& call, const char* name, bool is_last) {
  call.expect(1);
  const Value& list = checked_list(call, 0);
  if (!list.elements.empty()) return is_last ? list.elements.back() : list.elements.front();
  call.context.fault(std::string(name) + " of an empty list");
  return default_value({list.type.scalar, list.type.depth - 1});
}

// Beside a list a flat number takes the list's type.
Value where(NaiveCall& call) {
  call.expect(3);
  const Value &a = call.arguments[1], &b = call.arguments[2];
  const ScalarType type = a.is_list() == b.is_list() ? joint_type(a, b)
                          : a.is_list()              ? a.type.scalar
                                                     : b.type.scalar;
  return for_each_element(call.context, call.arguments,
                          [type](NaiveContext& context, const std::vector<Scalar>& values) {
                            return converted(context, as_bool(values[0]) ? values[1] : values[2], type);
                          });
}

Value nonzero(NaiveCall& call) {
  call.expect(1);
  std::vector<std::size_t> positions;
  const Value& list = checked_list(call, 0);
  for (std::size_t i = 0; i < list.elements.size(); ++i)
    if (as_bool(list.elements[i].scalar)) positions.push_back(i);
  return indexes(positions);
}

bool has(const NaiveCall& call, const Value& list, const Value& wanted) {
  return std::any_of(list.elements.begin(), list.elements.end(), [&](const Value& each) {
    return as_bool(binary(call.context, Operator::kEqual, wanted.scalar, each.scalar, false));
  });
}

Value intersect(NaiveCall& call) {
  if (call.arguments.size() != 3) call.expect(2);
  if (call.arguments.size() == 3) integer(call, call.arguments[2]);
  const ScalarType type = joint_type(checked_list(call, 0), checked_list(call, 1));
  const Value a = converted(call.context, call.arguments[0], type),
              b = converted(call.context, call.arguments[1], type);
  Value result{jagged(type), {}, {}};
  for (const Value& element : a.elements)
    if (has(call, b, element)) result.elements.push_back(element);
  return result;
}

Value is_in(NaiveCall& call) {
  call.expect(2);
  if (call.arguments[0].type.depth > 1 || checked_list(call, 1).type.depth != 1)
    throw NaiveRefusal("not a list");
  const ScalarType type = joint_type(call.arguments[0], call.arguments[1]);
  const Value x = converted(call.context, call.arguments[0], type),
              list = converted(call.context, call.arguments[1], type);
  if (!x.is_list()) return flat_value(has(call, list, x));
  Value mask{jagged(ScalarType::kInt32), {}, {}};
  for (const Value& each : x.elements)
    mask.elements.push_back(flat_value(std::int32_t{has(call, list, each)}));
  return mask;
}

Value concatenate(NaiveCall& call) {
  call.expect(2);
  const ScalarType type = joint_type(checked_list(call, 0), checked_list(call, 1));
  Value result = converted(call.context, call.arguments[0], type);
  const Value second = converted(call.context, call.arguments[1], type);
  if (result.type != second.type) throw NaiveRefusal("lists of different depth");
  result.elements.insert(result.elements.end(), second.elements.begin(), second.elements.end());
  return result;
}

Value range(NaiveCall& call) {
  std::vector<std::int64_t> numbers;
  for (const Value& argument : call.arguments) numbers.push_back(integer(call, argument));
  if (numbers.size() == 1) numbers.insert(numbers.begin(), 0);
  const bool has_step = numbers.size() == 3;
  Value result{jagged(has_step ? ScalarType::kInt64 : ScalarType::kUInt64), {}, {}};
  if (!has_step && (numbers.at(0) < 0 || numbers.at(1) < 0))
    return call.context.fault("Range of negative numbers"), result;
  const std::int64_t step = has_step ? numbers[2] : 1;
  if (step == 0) return call.context.fault("Range in steps of 0"), result;
  if ((numbers[1] - numbers[0]) / step > (1 << 24)) return call.context.fault("a list of more than"), result;
  for (std::int64_t i = numbers[0]; step > 0 ? i < numbers[1] : i > numbers[1]; i += step)
    result.elements.push_back(has_step ? flat_value(i) : flat_value(static_cast<std::uint64_t>(i)));
  return result;
}

Value enumerate(NaiveCall& call) {
  call.expect(1);
  std::vector<std::size_t> positions(checked_list(call, 0).elements.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return indexes(positions);
}

// Of the innermost lists.
Value sizes_in(const Value& lists) {
  Value sizes{{ScalarType::kUInt64, lists.type.depth - 1}, {}, {}};
  for (const Value& inner : lists.elements)
    sizes.elements.push_back(lists.type.depth > 2
                                 ? sizes_in(inner)
                                 : flat_value(static_cast<std::uint64_t>(inner.elements.size())));
  return sizes;
}

Value sizes(NaiveCall& call) {
  call.expect(1);
  if (checked_list(call, 0).type.depth < 2) throw NaiveRefusal("not a list of lists");
  return sizes_in(call.arguments[0]);
}

Value flatten(NaiveCall& call) {
  call.expect(1);
  const Value& lists = checked_list(call, 0);
  if (lists.type.depth < 2) throw NaiveRefusal("not a list of lists");
  Value result{{lists.type.scalar, lists.type.depth - 1}, {}, {}};
  for (const Value& inner : lists.elements)
    result.elements.insert(result.elements.end(), inner.elements.begin(), inner.elements.end());
  return result;
}

Value for_each(NaiveCall& call) {
  call.expect(2);
  const Value &list = checked_list(call, 0), &repeated = checked_list(call, 1);
  Value result{doubly_jagged(repeated.type.scalar), {}, {}};
  result.elements.assign(list.elements.size(), repeated);
  return result;
}

using Choice = std::vector<std::size_t>;

// The choices as one list of indexes for each member.
Value by_member(const std::vector<Choice>& choices, std::size_t num_members) {
  Value result{doubly_jagged(ScalarType::kUInt64), {}, {}};
  for (std::size_t member = 0; member < num_members; ++member) {
    std::vector<std::size_t> positions;
    for (const Choice& choice : choices) positions.push_back(choice[member]);
    result.elements.push_back(indexes(positions));
  }
  return result;
}

// All choices of one of each number of elements, the last varying first.
std::vector<Choice> products(const std::vector<std::size_t>& counts) {
  std::vector<Choice> choices{{}};
  for (const std::size_t count : counts) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (std::size_t i = 0; i < count; ++i) {
        longer.push_back(choice);
        longer.back().push_back(i);
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

// All ascending choices of elements, the last varying first.
std::vector<Choice> ascending(std::size_t size, std::size_t num_members) {
  std::vector<Choice> choices{{}};
  for (std::size_t member = 0; member < num_members; ++member) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices)
      for (std::size_t i = choice.empty() ? 0 : choice.back() + 1; i < size; ++i) {
        longer.push_back(choice);
        longer.back().push_back(i);
      }
    choices = std::move(longer);
  }
  return choices;
}

// None where there are more than a list may have, which would not fit into memory either.
Value combined(NaiveCall& call, const std::vector<std::size_t>& counts) {
  double number = 1;
  for (const std::size_t count : counts) number *= static_cast<double>(count);
  if (number > 1 << 24) call.context.fault("a list of more than");
  const bool is_possible = number > 0 && number <= 1 << 24;
  return by_member(is_possible ? products(counts) : std::vector<Choice>{}, counts.size());
}

Value combinations(NaiveCall& call) {
  std::vector<std::size_t> counts;
  const bool is_of_one =
      call.arguments.size() == 2 && call.arguments[0].is_list() && !call.arguments[1].is_list();
  if (!is_of_one) {
    for (const Value& argument : call.arguments) {
      if (argument.is_list() != call.arguments[0].is_list()) throw NaiveRefusal("lists beside numbers");
      const std::int64_t count =
          argument.is_list() ? static_cast<std::int64_t>(argument.elements.size()) : integer(call, argument);
      if (count < 0) call.context.fault("combinations of");
      counts.push_back(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    }
    return combined(call, counts);
  }
  const auto num_members = static_cast<std::size_t>(integer(call, call.arguments[1]));
  const std::size_t size = call.arguments[0].elements.size();
  if (size < num_members) call.context.fault("combinations of");
  return by_member(ascending(size, num_members), num_members);
}

}  // namespace

std::span<const NaiveFunction> naive_vecops_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"Sort", NaiveShape::kLists, [](NaiveCall& call) { return sort(call, false); }},
      {"StableSort", NaiveShape::kLists, [](NaiveCall& call) { return sort(call, true); }},
      {"Argsort", NaiveShape::kLists, [](NaiveCall& call) { return argsort(call, false); }},
      {"StableArgsort", NaiveShape::kLists, [](NaiveCall& call) { return argsort(call, true); }},
      {"Reverse", NaiveShape::kWhole, reverse},
      {"Take", NaiveShape::kIndexed, take},
      {"Drop", NaiveShape::kIndexed, drop},
      {"at", NaiveShape::kWhole, at},
      {"Reindex", NaiveShape::kWhole, reindex},
      {"WithAncestors", NaiveShape::kWhole, with_ancestors},
      {"Ancestor", NaiveShape::kWhole, ancestor},
      {"DistinctParent", NaiveShape::kWhole, distinct_parent},
      {"front", NaiveShape::kWhole, [](NaiveCall& call) { return end(call, "front", false); }},
      {"back", NaiveShape::kWhole, [](NaiveCall& call) { return end(call, "back", true); }},
      {"Where", NaiveShape::kWhole, where},
      {"Nonzero", NaiveShape::kLists, nonzero},
      {"Intersect", NaiveShape::kLists, intersect},
      {"IsIn", NaiveShape::kLists, is_in},
      {"Concatenate", NaiveShape::kWhole, concatenate},
      {"Range", NaiveShape::kWhole, range},
      {"Enumerate", NaiveShape::kLists, enumerate},
      {"Sizes", NaiveShape::kWhole, sizes},
      {"Flatten", NaiveShape::kWhole, flatten},
      {"ForEach", NaiveShape::kWhole, for_each},
      {"Combinations", NaiveShape::kWhole, combinations},
  };
  return kFunctions;
}

}  // namespace skimline::testing
