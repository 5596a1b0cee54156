// SPDX-License-Identifier: BSD-3-Clause
// Functions of lists, of one list at a time.
#include "naive_functions.h"
#include "naive_operators.h"

#include <algorithm>
#include <cmath>

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

// Of bools their number; of others a sum in the type of the elements and the start, from the first to the
// last.
Value sum(NaiveCall& call) {
  const bool has_start = call.arguments.size() == 2;
  if (!has_start) call.expect(1);
  const Value& list = list_argument(call, 0);
  ScalarType result = list.type.scalar;
  if (result == ScalarType::kString) throw NaiveRefusal("a sum of strings");
  if (has_start) result = joint_type_of(result, call.arguments[1].type.scalar);
  if (list.type.scalar == ScalarType::kBool && is_integer(result)) result = ScalarType::kUInt64;
  Scalar total = default_value(flat(result)).scalar;
  if (has_start) total = converted(call.context, call.arguments[1].scalar, result);
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

// In the type of the elements, or their common one with the start, each product narrowed to it.
Value product(NaiveCall& call) {
  const bool has_start = call.arguments.size() == 2;
  if (!has_start) call.expect(1);
  const Value& list = number_list_argument(call, 0);
  ScalarType result = list.type.scalar;
  if (has_start) result = joint_type_of(result, call.arguments[1].type.scalar);
  NaiveContext narrowing;
  Scalar total = converted(narrowing, has_start ? call.arguments[1].scalar : Scalar{true}, result);
  for (const Value& element : list.elements)
    total =
        converted(narrowing, binary(call.context, Operator::kTimes, total, element.scalar, false), result);
  return flat_value(total);
}

template <typename T>
std::vector<T> list_numbers(const NaiveCall& call, std::size_t index) {
  std::vector<T> values;
  for (const Value& element : number_list_argument(call, index).elements)
    values.push_back(std::get<T>(converted(call.context, element.scalar, scalar_type_of<T>)));
  return values;
}

template <typename T>
double mean_of(const std::vector<T>& values) {
  T total = 0;
  for (const T value : values) total += value;
  return values.empty() ? 0 : static_cast<double>(total) / static_cast<double>(values.size());
}

template <typename T>
double variance_of(const std::vector<T>& values) {
  if (values.size() < 2) return 0;
  T squares = 0, total = 0;
  for (const T value : values) {
    squares += value * value;
    total += value;
  }
  const auto size = static_cast<double>(values.size());
  return 1. / (size - 1.) * (squares - total * total / size);
}

// From a start: a real one says in which type; integers are divided as such.
Value mean_from(NaiveCall& call) {
  call.expect(2);
  const Value& list = number_list_argument(call, 0);
  const Value& start = call.arguments[1];
  if (start.is_list() || !is_number(start.type.scalar)) throw NaiveRefusal("not a number");
  const ScalarType of_list = list.type.scalar, of_start = start.type.scalar;
  const bool is_real = is_floating(of_start) || is_floating(of_list);
  const ScalarType result = is_floating(of_start)          ? of_start
                            : is_floating(of_list)         ? of_list
                            : of_list == ScalarType::kBool ? ScalarType::kUInt64
                                                           : joint_type_of(of_list, of_start);
  const bool is_float = is_real && result == ScalarType::kFloat && of_list == ScalarType::kFloat;
  const ScalarType sum = !is_real ? result : is_float ? ScalarType::kFloat : ScalarType::kDouble;
  Scalar total = converted(call.context, start.scalar, sum);
  for (const Value& each : list.elements) {
    const Scalar value = converted(call.context, each.scalar, sum);
    total = converted(call.context, binary(call.context, Operator::kPlus, total, value, false), sum);
  }
  if (list.elements.empty()) return flat_value(converted(call.context, total, result));
  const auto size = static_cast<std::int64_t>(list.elements.size());
  const Scalar divisor = sum == ScalarType::kUInt64 ? Scalar{static_cast<std::uint64_t>(size)} : Scalar{size};
  return flat_value(
      converted(call.context, binary(call.context, Operator::kDivide, total, divisor, false), result));
}

// Of floats sums of floats, of everything else of doubles.
Value mean(NaiveCall& call) {
  if (call.arguments.size() == 2) return mean_from(call);
  call.expect(1);
  return flat_value(all_are(call, ScalarType::kFloat) ? mean_of(list_numbers<float>(call, 0))
                                                      : mean_of(list_numbers<double>(call, 0)));
}
Value variance(NaiveCall& call) {
  call.expect(1);
  return flat_value(all_are(call, ScalarType::kFloat) ? variance_of(list_numbers<float>(call, 0))
                                                      : variance_of(list_numbers<double>(call, 0)));
}
Value standard_deviation(NaiveCall& call) {
  return flat_value(std::sqrt(std::get<double>(variance(call).scalar)));
}

Value dot(NaiveCall& call) {
  call.expect(2);
  const Value &a = number_list_argument(call, 0), &b = number_list_argument(call, 1);
  if (a.elements.size() != b.elements.size()) call.context.fault("lists of different sizes");
  Scalar total = default_value(flat(common_type_of(a.type.scalar, b.type.scalar))).scalar;
  for (std::size_t i = 0; i < std::min(a.elements.size(), b.elements.size()); ++i)
    total = binary(call.context, Operator::kPlus, total,
                   binary(call.context, Operator::kTimes, a.elements[i].scalar, b.elements[i].scalar, false),
                   false);
  return flat_value(total);
}

Value extreme_index(NaiveCall& call, const char* name, Operator better) {
  call.expect(1);
  const Value& list = number_list_argument(call, 0);
  if (list.elements.empty()) call.context.fault(std::string(name) + " of an empty list");
  std::size_t best = 0;
  for (std::size_t i = 1; i < list.elements.size(); ++i)
    if (as_bool(binary(call.context, better, list.elements[i].scalar, list.elements[best].scalar, false)))
      best = i;
  return flat_value(static_cast<std::uint64_t>(best));
}

// Of a flat string, whether it has no characters.
Value empty(NaiveCall& call) {
  call.expect(1);
  const Value& value = call.arguments[0];
  if (const auto* text = std::get_if<std::string>(&value.scalar); text && !value.is_list())
    return flat_value(text->empty());
  return flat_value(list_argument(call, 0).elements.empty());
}

Value size(NaiveCall& call) {
  call.expect(1);
  const Value& value = call.arguments[0];
  if (const auto* text = std::get_if<std::string>(&value.scalar); text && !value.is_list())
    return flat_value(static_cast<std::uint64_t>(text->size()));
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
      {"ArgMin", NaiveShape::kLists,
       [](NaiveCall& call) { return extreme_index(call, "ArgMin", Operator::kLess); }},
      {"ArgMax", NaiveShape::kLists,
       [](NaiveCall& call) { return extreme_index(call, "ArgMax", Operator::kGreater); }},
      {"Product", NaiveShape::kLists, product},
      {"Mean", NaiveShape::kLists, mean},
      {"Var", NaiveShape::kLists, variance},
      {"StdDev", NaiveShape::kLists, standard_deviation},
      {"Dot", NaiveShape::kLists, dot},
      {"empty", NaiveShape::kWhole, empty},
      {"size", NaiveShape::kWhole, size},
  };
  return kFunctions;
}

}  // namespace skimline::testing
