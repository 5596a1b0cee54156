// SPDX-License-Identifier: BSD-3-Clause
// Operators as loops over arrays, with the types and conversions of C++.
#include "expression/operators.h"

#include "expression/moved_value.h"
#include "expression/operand_blocks.h"

#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace skimline {
namespace {

// Unsigned twin of an integer: its arithmetic wraps where signed arithmetic would be undefined.
template <typename T, bool = std::is_integral_v<T>>
struct Wrapping {
  using type = T;
};
template <typename T>
struct Wrapping<T, true> {
  using type = std::make_unsigned_t<T>;
};

template <typename T, typename F>
T wrapped(T a, T b, F operation) {
  using W = typename Wrapping<T>::type;
  return static_cast<T>(operation(static_cast<W>(a), static_cast<W>(b)));
}

struct Plus {
  template <typename T>
  static T apply(T a, T b) {
    return wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct Minus {
  template <typename T>
  static T apply(T a, T b) {
    return wrapped(a, b, [](auto x, auto y) { return x - y; });
  }
};
struct Times {
  template <typename T>
  static T apply(T a, T b) {
    return wrapped(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct Divide {
  template <typename T>
  static T apply(T a, T b) {
    return a / b;
  }
};
struct Modulo {
  template <typename T>
  static T apply(T a, T b) {
    return a % b;
  }
};
// Counts beyond the width are taken modulo the width, as the processor does.
struct ShiftLeft {
  template <typename T>
  static T apply(T a, T b) {
    using W = typename Wrapping<T>::type;
    return static_cast<T>(static_cast<W>(a) << (static_cast<W>(b) & (8 * sizeof(T) - 1)));
  }
};
struct ShiftRight {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a >> (static_cast<typename Wrapping<T>::type>(b) & (8 * sizeof(T) - 1)));
  }
};
struct BitAnd {
  template <typename T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct BitOr {
  template <typename T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct BitXor {
  template <typename T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Less {
  template <typename T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <typename T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <typename T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <typename T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
struct Equal {
  template <typename T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <typename T>
  static bool apply(T a, T b) {
    return a != b;
  }
};

template <typename Op, typename T, typename R>
void binary_loop(const Operand* operands, void* results, std::size_t count) {
  const T* a = static_cast<const T*>(operands[0].values);
  const T* b = static_cast<const T*>(operands[1].values);
  R* result = static_cast<R*>(results);
  if (operands[0].is_constant) {
    const T constant = *a;
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<R>(Op::apply(constant, b[i]));
  } else if (operands[1].is_constant) {
    const T constant = *b;
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<R>(Op::apply(a[i], constant));
  } else {
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<R>(Op::apply(a[i], b[i]));
  }
}

template <typename T>
void check_divisor(T a, T b, std::size_t index) {
  if (b == 0) throw EntryFault{index, "integer division by zero"};
  if constexpr (std::is_signed_v<T>) {
    if (b == -1 && a == std::numeric_limits<T>::min()) throw EntryFault{index, "integer division overflows"};
  }
}

template <typename Op, typename T>
void checked_division_loop(const Operand* operands, void* results, std::size_t count) {
  const T* a = static_cast<const T*>(operands[0].values);
  const T* b = static_cast<const T*>(operands[1].values);
  const std::size_t step_a = operands[0].is_constant ? 0 : 1;
  const std::size_t step_b = operands[1].is_constant ? 0 : 1;
  T* result = static_cast<T*>(results);
  for (std::size_t i = 0; i < count; ++i) {
    check_divisor(a[i * step_a], b[i * step_b], i);
    result[i] = Op::apply(a[i * step_a], b[i * step_b]);
  }
}

// Calls `visitor` with the C++ type of a scalar that arithmetic yields.
template <typename Visitor>
auto visit_promoted(ScalarType scalar, Visitor visitor) {
  switch (scalar) {
    case ScalarType::kInt32:
      return visitor(TypeTag<std::int32_t>{});
    case ScalarType::kUInt32:
      return visitor(TypeTag<std::uint32_t>{});
    case ScalarType::kInt64:
      return visitor(TypeTag<std::int64_t>{});
    case ScalarType::kUInt64:
      return visitor(TypeTag<std::uint64_t>{});
    case ScalarType::kFloat:
      return visitor(TypeTag<float>{});
    default:
      return visitor(TypeTag<double>{});
  }
}

template <typename Op>
Loop arithmetic_loop(ScalarType scalar) {
  return visit_promoted(scalar, [](auto tag) -> Loop {
    using T = typename decltype(tag)::type;
    return binary_loop<Op, T, T>;
  });
}

template <typename Op>
Loop integer_loop(ScalarType scalar) {
  return visit_promoted(scalar, [](auto tag) -> Loop {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return binary_loop<Op, T, T>;
    else
      return nullptr;
  });
}

template <typename Op>
Loop checked_loop(ScalarType scalar) {
  return visit_promoted(scalar, [](auto tag) -> Loop {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return checked_division_loop<Op, T>;
    else
      return nullptr;
  });
}

template <typename Op>
Loop comparison_loop(ScalarType scalar, bool on_lists) {
  return visit_promoted(scalar, [on_lists](auto tag) -> Loop {
    using T = typename decltype(tag)::type;
    return on_lists ? binary_loop<Op, T, std::int32_t> : binary_loop<Op, T, bool>;
  });
}

Loop comparison_loop(Operator op, ScalarType scalar, bool on_lists) {
  switch (op) {
    case Operator::kLess:
      return comparison_loop<Less>(scalar, on_lists);
    case Operator::kLessEqual:
      return comparison_loop<LessEqual>(scalar, on_lists);
    case Operator::kGreater:
      return comparison_loop<Greater>(scalar, on_lists);
    case Operator::kGreaterEqual:
      return comparison_loop<GreaterEqual>(scalar, on_lists);
    case Operator::kEqual:
      return comparison_loop<Equal>(scalar, on_lists);
    case Operator::kNotEqual:
      return comparison_loop<NotEqual>(scalar, on_lists);
    default:
      return nullptr;
  }
}

Loop arithmetic_loop(Operator op, ScalarType scalar) {
  const bool is_real = is_floating(scalar);
  switch (op) {
    case Operator::kPlus:
      return arithmetic_loop<Plus>(scalar);
    case Operator::kMinus:
      return arithmetic_loop<Minus>(scalar);
    case Operator::kTimes:
      return arithmetic_loop<Times>(scalar);
    case Operator::kDivide:
      return is_real ? arithmetic_loop<Divide>(scalar) : checked_loop<Divide>(scalar);
    case Operator::kModulo:
      return checked_loop<Modulo>(scalar);
    case Operator::kShiftLeft:
      return integer_loop<ShiftLeft>(scalar);
    case Operator::kShiftRight:
      return integer_loop<ShiftRight>(scalar);
    case Operator::kBitAnd:
      return integer_loop<BitAnd>(scalar);
    case Operator::kBitOr:
      return integer_loop<BitOr>(scalar);
    case Operator::kBitXor:
      return integer_loop<BitXor>(scalar);
    default:
      return nullptr;
  }
}

bool is_shift(Operator op) { return op == Operator::kShiftLeft || op == Operator::kShiftRight; }
bool is_division(Operator op) { return op == Operator::kDivide || op == Operator::kModulo; }

template <typename Result>
Operation logic(Operator op) {
  Operation operation;
  operation.loop =
      op == Operator::kAnd ? binary_loop<BitAnd, bool, Result> : binary_loop<BitOr, bool, Result>;
  operation.operand_scalars = {ScalarType::kBool, ScalarType::kBool};
  operation.result = scalar_type_of<Result>;
  return operation;
}

template <typename From, typename To>
To converted(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    constexpr To kLow = std::numeric_limits<To>::lowest(), kHigh = std::numeric_limits<To>::max();
    // Without branches: values that do not fit are converted as 0 and replaced.
    const bool is_low = value <= static_cast<From>(kLow), is_high = value >= static_cast<From>(kHigh);
    const bool is_inside = value > static_cast<From>(kLow) && value < static_cast<From>(kHigh);
    const To inside = static_cast<To>(is_inside ? value : From{0});
    return is_low ? kLow : is_high ? kHigh : inside;
  }
  return static_cast<To>(value);
}

// Reals that fit, several at a time; if one does not, all of its block are looked at one by one.
template <typename From, typename To>
struct ToIntegers {
  [[gnu::always_inline]] static inline void run(const From* const& values, const std::size_t& size,
                                                To* const& results) {
    using Bits = std::conditional_t<sizeof(From) == 8, std::uint64_t, std::uint32_t>;
    constexpr To kHalf = std::numeric_limits<To>::max() / 2 + 1;
    constexpr From kBeyond = 2 * static_cast<From>(kHalf);
    const From* const in = values;
    To* const __restrict result = results;
    const std::size_t count = size;
    Bits is_outside = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_high = std::is_signed_v<To> ? !(std::fabs(in[i]) < kBeyond) : !(in[i] < kBeyond);
      const bool is_low = !std::is_signed_v<To> && !(in[i] >= 0);
      is_outside |= (is_high | is_low) ? ~Bits{0} : Bits{0};
    }
    if (is_outside)
      for (std::size_t i = 0; i < count; ++i) result[i] = converted<From, To>(in[i]);
    else
      for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<To>(in[i]);
  }
};

template <typename From, typename To>
void convert(const Operand* operands, void* results, std::size_t count) {
  const From* values = static_cast<const From*>(operands[0].values);
  To* result = static_cast<To*>(results);
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>)
    for_each_block(count, [&](std::size_t first, std::size_t size) {
      run_kernel<ToIntegers<From, To>>(values + first, size, result + first);
    });
  else
    for (std::size_t i = 0; i < count; ++i) result[i] = converted<From, To>(values[i]);
}

template <typename T>
T negated(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(value));
  else
    return -value;
}

template <typename T>
void negate(const Operand* operands, void* results, std::size_t count) {
  const T* values = static_cast<const T*>(operands[0].values);
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(results)[i] = negated(values[i]);
}

template <typename T>
void invert_bits(const Operand* operands, void* results, std::size_t count) {
  const T* values = static_cast<const T*>(operands[0].values);
  for (std::size_t i = 0; i < count; ++i)
    static_cast<T*>(results)[i] = static_cast<T>(~static_cast<std::int64_t>(values[i]));
}

template <typename T>
void logical_not(const Operand* operands, void* results, std::size_t count) {
  const T* values = static_cast<const T*>(operands[0].values);
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(results)[i] = static_cast<T>(values[i] == T{});
}

template <typename T>
void same(const Operand* operands, void* results, std::size_t count) {
  std::copy_n(static_cast<const T*>(operands[0].values), count, static_cast<T*>(results));
}

Loop unary_loop(Operator op, ScalarType scalar) {
  return visit_scalar(scalar, [op](auto tag) -> Loop {
    using T = typename decltype(tag)::type;
    switch (op) {
      case Operator::kPlus:
        return same<T>;
      case Operator::kMinus:
        return negate<T>;
      case Operator::kNot:
        return logical_not<T>;
      case Operator::kBitNot:
        if constexpr (std::is_integral_v<T>) return invert_bits<T>;
        return nullptr;
      default:
        return nullptr;
    }
  });
}

template <typename T>
void select(const Operand* operands, void* results, std::size_t count) {
  const bool* condition = static_cast<const bool*>(operands[0].values);
  const std::size_t step = operands[0].is_constant ? 0 : 1;
  const std::size_t step1 = operands[1].is_constant ? 0 : 1;
  const std::size_t step2 = operands[2].is_constant ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const T first = load_value<T>(operands[1].values, i * step1);
    const T second = load_value<T>(operands[2].values, i * step2);
    store_value(results, i, condition[i * step] ? first : second);
  }
}

}  // namespace

ScalarType choice_type(ScalarType a, ScalarType b) { return a == b ? a : common_type(a, b); }

ScalarType promoted(ScalarType scalar) { return scalar < ScalarType::kInt32 ? ScalarType::kInt32 : scalar; }

bool is_signed_integer(ScalarType scalar) {
  return is_integer(scalar) &&
         visit_scalar(scalar, [](auto tag) { return std::is_signed_v<typename decltype(tag)::type>; });
}

ScalarType common_type(ScalarType a, ScalarType b) {
  // The enumerators are ordered by rank, unsigned after signed of the same size, which is what C++ prefers.
  return std::max(promoted(a), promoted(b));
}

Loop conversion_loop(ScalarType from, ScalarType to) {
  return visit_scalar(from, [to](auto from_tag) {
    return visit_scalar(to, [](auto to_tag) -> Loop {
      return convert<typename decltype(from_tag)::type, typename decltype(to_tag)::type>;
    });
  });
}

namespace {

std::optional<Operation> operation_without_name(Operator op, ScalarType a, ScalarType b, bool on_lists) {
  if (a == ScalarType::kLorentzVector || b == ScalarType::kLorentzVector)
    return lorentz_vector_operation(op, a, b);
  if (!is_number(a) || !is_number(b)) return string_operation(op, a, b, on_lists);
  if (op == Operator::kAnd || op == Operator::kOr)
    return on_lists ? logic<std::int32_t>(op) : logic<bool>(op);
  const ScalarType common = common_type(a, b);
  const ScalarType operand = is_shift(op) ? promoted(a) : common;
  if (is_shift(op) && is_floating(b)) return std::nullopt;
  Operation operation;
  operation.operand_scalars = {operand, operand};
  operation.result = operand;
  operation.loop = arithmetic_loop(op, operand);
  operation.can_fail = is_division(op) && !is_floating(operand);
  if (!operation.loop) {
    operation.loop = comparison_loop(op, operand, on_lists);
    operation.result = on_lists ? ScalarType::kInt32 : ScalarType::kBool;
  }
  if (!operation.loop) return std::nullopt;
  return operation;
}

std::optional<Operation> operation_without_name(Operator op, ScalarType a, bool on_lists) {
  if (a == ScalarType::kLorentzVector) return lorentz_vector_operation(op);
  if (!is_number(a)) return std::nullopt;
  Operation operation;
  // RVec's unary operators keep the element type; C++ promotes scalars, and `!` of one is bool.
  const ScalarType operand = on_lists ? a : op == Operator::kNot ? ScalarType::kBool : promoted(a);
  operation.operand_scalars = {operand};
  operation.result = operand;
  operation.loop = unary_loop(op, operand);
  if (!operation.loop) return std::nullopt;
  return operation;
}

std::optional<Operation> named(std::optional<Operation> operation, Operator op) {
  if (operation) operation->name = spelling(op);
  return operation;
}

}  // namespace

std::optional<Operation> binary_operation(Operator op, ScalarType a, ScalarType b, bool on_lists) {
  return named(operation_without_name(op, a, b, on_lists), op);
}

std::optional<Operation> unary_operation(Operator op, ScalarType a, bool on_lists) {
  return named(operation_without_name(op, a, on_lists), op);
}

Operation unchecked_division(Operator op, ScalarType scalar) {
  Operation operation;
  operation.name = spelling(op);
  operation.operand_scalars = {scalar, scalar};
  operation.result = scalar;
  operation.loop = op == Operator::kDivide ? integer_loop<Divide>(scalar) : integer_loop<Modulo>(scalar);
  return operation;
}

Operation selection_operation(ScalarType scalar) {
  Operation operation;
  operation.operand_scalars = {ScalarType::kBool, scalar, scalar};
  operation.result = scalar;
  operation.loop = visit_moved(scalar, [](auto tag) -> Loop { return select<typename decltype(tag)::type>; });
  return operation;
}

}  // namespace skimline
