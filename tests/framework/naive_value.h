// SPDX-License-Identifier: BSD-3-Clause
// Values as the naive evaluator has them: one object for one value of one entry.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/framework/type.h"

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace skimline::testing {

/// The alternatives are in the order of ScalarType.
using Scalar =
    std::variant<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                 std::int64_t, std::uint64_t, float, double, std::string, LorentzVector>;

struct Value {
  Type type;
  Scalar scalar;                ///< if flat
  std::vector<Value> elements;  ///< if a list: each of one depth less

  bool is_list() const { return type.depth > 0; }
};

/// An entry has no answer. Problems as the engine words them, without the numbers in them; several where
/// several operands have none.
struct NaiveFault {
  std::set<std::string> problems;
};

/// The expression makes no sense: the engine has to refuse it.
struct NaiveRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is known while an expression is evaluated.
struct NaiveContext {
  /// Only the type of the result is wanted: faults are passed over with any value of the right type.
  bool is_typing = false;
  /// C++ leaves the value undefined: an overflow, or a shift beyond the width.
  bool is_undefined = false;

  void fault(const std::string& problem) const {
    if (!is_typing) throw NaiveFault{{problem}};
  }
};

ScalarType type_of(const Scalar& scalar);
Value flat_value(Scalar scalar);
Value list_value(Type type, std::vector<Value> elements);
/// 0, "", or an empty list.
Value default_value(Type type);

/// Equal types and bits, where any NaN equals any other.
bool are_same(const Value& a, const Value& b);
/// For messages; floating-point numbers with all their digits.
std::string text_of(const Value& value);
/// The value of one entry of a column.
Value value_at(const ColumnView& column, std::size_t entry);

}  // namespace skimline::testing
