// SPDX-License-Identifier: BSD-3-Clause
// Functions of expressions whose code lies outside of the language: compiled elsewhere, or of another one.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/framework/error.h"
#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace skimline {

/// Thrown by an ElementFunction for the first of its values that has no result; the run ends with an
/// EvaluationError that names the entry and the call.
class ElementError : public Error {
 public:
  ElementError(std::size_t index, const std::string& problem) : Error(problem), index_(index) {}
  std::size_t index() const { return index_; }  ///< among the values of the call

 private:
  std::size_t index_;
};

/// A function of numbers and strings that gives one number, applied to each entry, or to each element of
/// lists. Flat arguments are repeated for the elements of lists beside them; the result has the shape of the
/// deepest one.
struct ElementFunction {
  /// Computes `count` results. `arguments[i]` is an array of `count` values of the type of parameter i,
  /// `results` has room for `count` values; bools are bytes, of which all but 0 are true, strings are
  /// std::string_views, which are valid during the call. Called by many threads at once, with one or more
  /// values; what it throws ends the run.
  using Call = std::function<void(std::size_t count, const void* const* arguments, void* results)>;

  std::vector<ScalarType> parameters;  ///< numbers are converted as C++ converts those of a call
  ScalarType result = ScalarType::kDouble;
  Call call;
  std::vector<std::string> names = {};  ///< of the parameters, for messages; none, or one for each
  /// Whether a floating-point argument is a mistake where the parameter is an integer.
  bool refuses_truncation = false;
};

/// Where a BatchFunction puts its results. Each reserve function may be called once, for each level, at any
/// time.
class BatchResult {
 public:
  BatchResult(ColumnBuffer& buffer, Type type) : buffer_(buffer), type_(type) {}

  Type type() const { return type_; }

  /// Returns room for `count` values of type().scalar; bools are bytes, of which all but 0 are true.
  void* reserve_values(std::size_t count);
  /// Returns room for where the list of each entry begins and the last one ends: entries + 1 numbers, which
  /// begin with 0 and do not decrease; or of the lists in those lists, where `level` is 1, and so on.
  std::uint32_t* reserve_offsets(std::size_t count, int level = 0);

  /// Returns the filled column. Throws Error saying what is wrong with its shape, without a name.
  ColumnView checked(std::size_t num_entries) const;

 private:
  ColumnBuffer& buffer_;
  Type type_;
  unsigned char* values_ = nullptr;
  std::array<std::span<const std::uint32_t>, kMaxDepth> offsets_;
  int depth_ = 0;
  std::size_t num_values_ = 0;
};

/// A function of whole columns of numbers, flat or of lists, that gives a column: one value or list for each
/// entry. How many entries it gets at a time is left open and must not matter.
struct BatchFunction {
  /// Computes the results of `num_entries` entries, one or more. A view may be constant and is valid during
  /// the call only. Called by many threads at once; what it throws ends the run.
  using Call = std::function<void(std::span<const ColumnView> arguments, std::size_t num_entries,
                                  BatchResult& result)>;

  std::size_t num_parameters = 0;
  Type result;
  Call call;
};

/// A function by name. It must give the same results for the same arguments: equal calls are made once, and
/// only for entries that pass the selections around them.
struct ExternalFunction {
  std::string name;
  std::variant<ElementFunction, BatchFunction> body;
  /// Functions with equal content have equal results; empty if nothing is known of them but that they exist.
  std::string content = {};
};

/// Returns "smear(double, float)", with the names of the parameters if they have some, or "score(x1, x2)" for
/// functions of columns, whose parameters have no type.
std::string signature_of(const ExternalFunction& function);

/// Throws SchemaError unless `function` has a name that expressions can have, and is complete.
void check(const ExternalFunction& function);

/// Makes an ElementFunction of a function of numbers and std::string_views, such as `double f(double,
/// float)`.
template <typename Result, typename... Parameters>
ElementFunction element_function(Result (*function)(Parameters...)) {
  static_assert(std::is_arithmetic_v<Result> &&
                ((std::is_arithmetic_v<Parameters> || std::is_same_v<Parameters, std::string_view>)&&...));
  const auto loop = [function]<std::size_t... kIndex>(std::index_sequence<kIndex...>, std::size_t count,
                                                      [[maybe_unused]] const void* const* arguments,
                                                      void* results) {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<Result*>(results)[i] = function(static_cast<const Parameters*>(arguments[kIndex])[i]...);
  };
  return {{scalar_type_of<Parameters>...},
          scalar_type_of<Result>,
          [loop](std::size_t count, const void* const* arguments, void* results) {
            loop(std::index_sequence_for<Parameters...>(), count, arguments, results);
          }};
}

/// The most parameters of a function that element_function_at() takes.
inline constexpr std::size_t kMaxElementParameters = 8;

/// Makes an ElementFunction of the C function at `address`, whose signature is known when the program runs:
/// up to kMaxElementParameters parameters, all double, all float, all std::int32_t or all std::int64_t, and a
/// result of the same type or bool. Throws Error for other signatures, and for no address.
ElementFunction element_function_at(const void* address, std::vector<ScalarType> parameters,
                                    ScalarType result);

/// Makes an ElementFunction of the C function `void f(std::int64_t count, const void* const* arguments, void*
/// results)` at `address`, which is as ElementFunction::Call. Throws Error for no address.
ElementFunction array_function_at(const void* address, std::vector<ScalarType> parameters, ScalarType result);

}  // namespace skimline
