// SPDX-License-Identifier: BSD-3-Clause
// Functions of lists, of one list at a time.
#include "naive_functions.h"
#include "naive_operators.h"

#include <algorithm>

namespace skimline::testing {
namespace {

const Value& list_argument(const NaiveCall& call, std::size_t index) {
  if (!call.arguments.at(index).is_list()) throw NaiveRefusal("not a list");
  return call.arguments[index];
}

const Value& number_list_argument(const NaiveCall& call, std::size_t index) {
  const Value& list = list_argument(call, index);
  if (!is_number(list.type.scalar)) throw NaiveRefusal("not a list of numbers");
  return list;
}

// Of bools their number; of others a sum in the type of the elements, from the first to the last.
Value sum(NaiveCall& call) {
  call.expect(1);
  const Value& list = list_argument(call, 0);
  const ScalarType type = list.type.scalar;
  if (type == ScalarType::kString) throw NaiveRefusal("a sum of strings");
  const ScalarType result = type == ScalarType::kBool ? ScalarType::kInt32 : type;
  Scalar total = default_value(flat(result)).scalar;
  for (const Value& element : list.elements) {
    total = binary(call.context, Operator::kPlus, total, element.scalar, false);
    if (is_integer(result)) {
      // Narrowing to the type of the elements, which is no fault.
      NaiveContext narrowing;
      total = converted(narrowing, total, result);
    }
  }
  return flat_value(total);
}

Value any(NaiveCall& call) {
  call.expect(1);
  bool found = false;
  for (const Value& element : number_list_argument(call, 0).elements)
    if (as_bool(element.scalar)) found = true;
  return flat_value(found);
}

Value all(NaiveCall& call) {
  call.expect(1);
  bool found = true;
  for (const Value& element : number_list_argument(call, 0).elements)
    if (!as_bool(element.scalar)) found = false;
  return flat_value(found);
}

// The first element to which no later one is preferred when going through the list once.
Value extreme(NaiveCall& call, const char* name, Operator better) {
  call.expect(1);
  const Value& list = number_list_argument(call, 0);
  if (list.elements.empty()) {
    call.context.fault(std::string(name) + " of an empty list");
    return default_value(flat(list.type.scalar));
  }
  Scalar best = list.elements[0].scalar;
  for (const Value& element : list.elements)
    if (as_bool(binary(call.context, better, element.scalar, best, false))) best = element.scalar;
  return flat_value(best);
}

Value size(NaiveCall& call) {
  call.expect(1);
  return flat_value(static_cast<std::uint64_t>(list_argument(call, 0).elements.size()));
}

}  // namespace

std::span<const NaiveFunction> naive_list_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"Sum", NaiveShape::kLists, sum},
      {"Any", NaiveShape::kLists, any},
      {"All", NaiveShape::kLists, all},
      {"Min", NaiveShape::kLists, [](NaiveCall& call) { return extreme(call, "Min", Operator::kLess); }},
      {"Max", NaiveShape::kLists, [](NaiveCall& call) { return extreme(call, "Max", Operator::kGreater); }},
      {"size", NaiveShape::kWhole, size},
  };
  return kFunctions;
}

}  // namespace skimline::testing
