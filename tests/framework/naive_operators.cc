// SPDX-License-Identifier: BSD-3-Clause
#include "naive_operators.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace skimline::testing {
namespace {

template <typename Visitor>
auto visit_number(const Scalar& scalar, Visitor visitor) {
  return visit_scalar(type_of(scalar),
                      [&](auto tag) { return visitor(std::get<typename decltype(tag)::type>(scalar)); });
}

// After promotion no type is narrower than int.
template <typename Visitor>
Scalar visit_promoted(const Scalar& scalar, Visitor visitor) {
  return visit_number(scalar, [&](auto value) -> Scalar {
    if constexpr (sizeof value < sizeof(int))
      throw InternalError("a number was not promoted");
    else
      return visitor(value);
  });
}

template <typename To, typename From>
To converted_number(NaiveContext& context, From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    using Limits = std::numeric_limits<To>;
    // In long double, which holds every value of either type.
    const long double exact = value;
    if (exact != exact) return context.is_undefined = true, To{0};
    if (exact <= static_cast<long double>(Limits::min()) - 1)
      return context.is_undefined = true, Limits::min();
    if (exact >= static_cast<long double>(Limits::max()) + 1)
      return context.is_undefined = true, Limits::max();
  }
  return static_cast<To>(value);
}

// Sums, differences and products of one type; signed integers wrap where C++ leaves it undefined.
template <typename T>
T arithmetic(NaiveContext& context, Operator op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    T result{};
    const bool overflows = op == Operator::kPlus    ? __builtin_add_overflow(a, b, &result)
                           : op == Operator::kMinus ? __builtin_sub_overflow(a, b, &result)
                                                    : __builtin_mul_overflow(a, b, &result);
    context.is_undefined |= overflows && std::is_signed_v<T>;
    return result;
  } else {
    return op == Operator::kPlus ? a + b : op == Operator::kMinus ? a - b : a * b;
  }
}

template <typename T>
T divided(NaiveContext& context, Operator op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return context.fault("integer division by zero"), T{};
    if constexpr (std::is_signed_v<T>)
      if (b == -1 && a == std::numeric_limits<T>::min())
        return context.fault("integer division overflows"), T{};
    return op == Operator::kDivide ? a / b : a % b;
  } else {
    if (op == Operator::kModulo) throw NaiveRefusal("% of floating-point numbers");
    return a / b;
  }
}

template <typename T>
bool compared(Operator op, const T& a, const T& b) {
  switch (op) {
    case Operator::kLess:
      return a < b;
    case Operator::kLessEqual:
      return a <= b;
    case Operator::kGreater:
      return a > b;
    case Operator::kGreaterEqual:
      return a >= b;
    case Operator::kEqual:
      return a == b;
    case Operator::kNotEqual:
      return a != b;
    default:
      throw NaiveRefusal("not an operator of these values");
  }
}

bool is_comparison(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }

Scalar truth(bool value, bool on_lists) {
  if (on_lists) return static_cast<std::int32_t>(value);
  return value;
}

// The count is taken modulo the width.
template <typename T>
T shifted(NaiveContext& context, Operator op, T a, const Scalar& count) {
  if constexpr (std::is_integral_v<T>) {
    const auto wide = std::get<std::int64_t>(converted(context, count, ScalarType::kInt64));
    constexpr std::int64_t kWidth = 8 * sizeof(T);
    context.is_undefined |= wide < 0 || wide >= kWidth;
    const auto bits = static_cast<int>(wide & (kWidth - 1));
    using Unsigned = std::make_unsigned_t<T>;
    return op == Operator::kShiftLeft ? static_cast<T>(static_cast<Unsigned>(a) << bits)
                                      : static_cast<T>(a >> bits);
  } else {
    throw NaiveRefusal("a shift of a floating-point number");
  }
}

template <typename T>
T bits_combined(Operator op, T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return op == Operator::kBitAnd ? a & b : op == Operator::kBitOr ? a | b : a ^ b;
  else
    throw NaiveRefusal("bits of floating-point numbers");
}

template <typename T>
Scalar combined(NaiveContext& context, Operator op, T a, T b, bool on_lists) {
  if (is_comparison(op)) return truth(compared(op, a, b), on_lists);
  switch (op) {
    case Operator::kPlus:
    case Operator::kMinus:
    case Operator::kTimes:
      return arithmetic(context, op, a, b);
    case Operator::kDivide:
    case Operator::kModulo:
      return divided(context, op, a, b);
    default:
      return bits_combined(op, a, b);
  }
}

bool is_number(const Scalar& scalar) { return skimline::is_number(type_of(scalar)); }

double as_double(const Scalar& scalar) {
  return visit_number(scalar, [](auto value) { return static_cast<double>(value); });
}

LorentzVector scaled(const LorentzVector& v, double factor) {
  return {v.x * factor, v.y * factor, v.z * factor, v.energy * factor};
}

Scalar binary_of_vectors(Operator op, const Scalar& a, const Scalar& b) {
  const auto* first = std::get_if<LorentzVector>(&a);
  const auto* second = std::get_if<LorentzVector>(&b);
  if (first && second && op == Operator::kPlus)
    return LorentzVector{first->x + second->x, first->y + second->y, first->z + second->z,
                         first->energy + second->energy};
  if (first && second && op == Operator::kMinus)
    return LorentzVector{first->x - second->x, first->y - second->y, first->z - second->z,
                         first->energy - second->energy};
  if (op == Operator::kTimes && first && is_number(b)) return scaled(*first, as_double(b));
  if (op == Operator::kTimes && second && is_number(a)) return scaled(*second, as_double(a));
  throw NaiveRefusal("not an operator of Lorentz vectors");
}

bool is_shift(Operator op) { return op == Operator::kShiftLeft || op == Operator::kShiftRight; }

template <typename T>
Scalar negated(NaiveContext& context, T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    // Of types narrower than int this is done in int, and narrowed.
    return static_cast<T>(arithmetic<decltype(-value)>(context, Operator::kMinus, 0, value));
  else
    return -value;
}

template <typename T>
Scalar inverted(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return true;  // neither ~0 nor ~1 is 0
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(~value);
  else
    throw NaiveRefusal("~ of a floating-point number");
}

}  // namespace

Scalar converted(NaiveContext& context, const Scalar& scalar, ScalarType to) {
  if (type_of(scalar) == to) return scalar;
  if (!is_number(scalar) || !skimline::is_number(to)) throw NaiveRefusal("only numbers are converted");
  return visit_number(scalar, [&](auto value) {
    return visit_scalar(to, [&](auto tag) -> Scalar {
      return converted_number<typename decltype(tag)::type>(context, value);
    });
  });
}

bool as_bool(const Scalar& scalar) {
  if (!is_number(scalar)) throw NaiveRefusal("not a condition");
  return visit_number(scalar, [](auto value) { return static_cast<bool>(value); });
}

ScalarType common_type_of(ScalarType a, ScalarType b) {
  if (a == b && !skimline::is_number(a)) return a;
  if (!skimline::is_number(a) || !skimline::is_number(b)) throw NaiveRefusal("no common type");
  return visit_scalar(a, [b](auto first) {
    return visit_scalar(b, [](auto second) {
      using Sum = decltype(typename decltype(first)::type{} + typename decltype(second)::type{});
      return scalar_type_of<Sum>;
    });
  });
}

ScalarType joint_type_of(ScalarType a, ScalarType b) { return a == b ? a : common_type_of(a, b); }

Scalar binary(NaiveContext& context, Operator op, const Scalar& a, const Scalar& b, bool on_lists) {
  if (std::holds_alternative<std::string>(a) && std::holds_alternative<std::string>(b))
    return truth(compared(op, std::get<std::string>(a), std::get<std::string>(b)), on_lists);
  if (!is_number(a) || !is_number(b)) return binary_of_vectors(op, a, b);
  if (op == Operator::kAnd) return truth(as_bool(a) && as_bool(b), on_lists);
  if (op == Operator::kOr) return truth(as_bool(a) || as_bool(b), on_lists);
  if (is_shift(op)) {
    if (is_floating(type_of(b))) throw NaiveRefusal("a shift by a floating-point number");
    const Scalar first = converted(context, a, common_type_of(type_of(a), ScalarType::kBool));
    return visit_promoted(first, [&](auto value) -> Scalar { return shifted(context, op, value, b); });
  }
  const ScalarType common = common_type_of(type_of(a), type_of(b));
  const Scalar first = converted(context, a, common), second = converted(context, b, common);
  return visit_promoted(first, [&](auto value) {
    return combined(context, op, value, std::get<decltype(value)>(second), on_lists);
  });
}

Scalar unary(NaiveContext& context, Operator op, const Scalar& a, bool on_lists) {
  if (const auto* v = std::get_if<LorentzVector>(&a); v && op == Operator::kMinus)
    return LorentzVector{-v->x, -v->y, -v->z, -v->energy};
  if (!is_number(a)) throw NaiveRefusal("not an operator of this value");
  if (op == Operator::kNot && !on_lists) return !as_bool(a);
  const ScalarType type = on_lists ? type_of(a) : common_type_of(type_of(a), ScalarType::kBool);
  return visit_number(converted(context, a, type), [&](auto value) -> Scalar {
    using T = decltype(value);
    if (op == Operator::kPlus) return value;
    if (op == Operator::kNot) return static_cast<T>(value == T{0});
    if (op == Operator::kMinus) return negated(context, value);
    return inverted(value);
  });
}

std::size_t common_size(const NaiveContext& context, const std::vector<Value>& arguments) {
  std::optional<std::size_t> size;
  for (const Value& argument : arguments) {
    if (!argument.is_list()) continue;
    if (size && argument.elements.size() != *size) context.fault("lists of different sizes");
    size = std::min(argument.elements.size(), size.value_or(argument.elements.size()));
  }
  return size.value_or(0);
}

std::vector<Value> elements_at(const std::vector<Value>& arguments, std::size_t index) {
  std::vector<Value> elements;
  for (const Value& argument : arguments)
    elements.push_back(argument.is_list() ? argument.elements[index] : argument);
  return elements;
}

std::vector<Value> default_elements(const std::vector<Value>& arguments) {
  std::vector<Value> elements;
  for (const Value& argument : arguments)
    elements.push_back(argument.is_list() ? default_value({argument.type.scalar, argument.type.depth - 1})
                                          : argument);
  return elements;
}

Value for_each_element(NaiveContext& context, const std::vector<Value>& arguments,
                       const FlatFunction& function) {
  int depth = 0;
  for (const Value& argument : arguments) depth = std::max(depth, argument.type.depth);
  if (depth == 0) {
    std::vector<Scalar> scalars;
    for (const Value& argument : arguments) scalars.push_back(argument.scalar);
    return flat_value(function(context, scalars));
  }
  const std::size_t size = common_size(context, arguments);
  Value result;
  if (size == 0) {
    NaiveContext typing;
    typing.is_typing = true;
    result.type = {for_each_element(typing, default_elements(arguments), function).type.scalar, depth};
  }
  NaiveFault faults;
  for (std::size_t i = 0; i < size; ++i) {
    try {
      result.elements.push_back(for_each_element(context, elements_at(arguments, i), function));
      result.type = {result.elements.back().type.scalar, depth};
    } catch (const NaiveFault& fault) {
      faults.problems.insert(fault.problems.begin(), fault.problems.end());
    }
  }
  if (!faults.problems.empty()) throw faults;
  return result;
}

Value converted(NaiveContext& context, const Value& value, ScalarType to) {
  if (!value.is_list()) return flat_value(converted(context, value.scalar, to));
  Value result{{to, value.type.depth}, {}, {}};
  for (const Value& element : value.elements) result.elements.push_back(converted(context, element, to));
  return result;
}

}  // namespace skimline::testing
