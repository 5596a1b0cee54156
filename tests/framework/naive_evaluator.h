// SPDX-License-Identifier: BSD-3-Clause
// An evaluator of expressions that is obvious and slow: it walks the syntax tree for one entry at a time. It
// shares the parser with the engine, and nothing else.
#pragma once

#include "expression/syntax.h"
#include "naive_value.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::testing {

/// A function that expressions may call, as the user writes it.
struct NaiveUserFunction {
  std::string signature;  ///< "name(a, b)"
  std::string body;
};

/// The columns of one entry.
class NaiveEntry {
 public:
  virtual ~NaiveEntry() = default;
  /// Returns nullptr if there is no such column.
  virtual const Value* find(std::string_view name) const = 0;
  virtual std::vector<std::string> names() const = 0;
};

/// Evaluates expressions, definitions and calls of user functions. These are evaluated anew wherever they are
/// needed, and not where they are not: what is not evaluated cannot fail.
class NaiveEvaluator {
 public:
  void define_function(const NaiveUserFunction& function);
  void define(const std::string& name, const std::string& expression);

  /// Throws NaiveFault where the entry has no answer, and NaiveRefusal for what makes no sense.
  Value evaluate(const std::string& expression, const NaiveEntry& entry, NaiveContext& context);

  /// Whether one of the conditions that `&&` joins is false. A filter may ask for it before one that has no
  /// answer.
  bool has_false_condition(const std::string& expression, const NaiveEntry& entry);

  /// `entry` may be any one.
  Type type_of(const std::string& expression, const NaiveEntry& entry);

 private:
  struct UserFunction {
    std::vector<std::string> parameters;
    SyntaxPointer body;
  };
  // The arguments of a call, each with the call it was written in.
  struct Call {
    std::map<std::string, std::pair<const Syntax*, const Call*>, std::less<>> arguments;
  };
  struct Place {
    const NaiveEntry& entry;
    NaiveContext& context;
    const Call* call = nullptr;
  };

  const Syntax& parsed(const std::string& expression);
  bool has_false_condition(const Syntax& syntax, const NaiveEntry& entry);
  Value evaluate(const Syntax& syntax, const Place& place);
  std::vector<Value> operands(const Syntax& syntax, const Place& place);
  Value name(const Syntax& syntax, const Place& place);
  Value binary(const Syntax& syntax, const Place& place);
  Value conditional(const Syntax& syntax, const Place& place);
  bool is_of_lists(const Syntax& syntax, const Place& place);
  Type type_of_choice(const Syntax& syntax, const Place& place);
  Value index(const Syntax& syntax, const Place& place);
  Value call(const Syntax& syntax, const Place& place);
  Value user_call(const UserFunction& function, const Syntax& syntax, const Place& place);
  Value pattern(const Syntax& syntax, const Place& place);

  std::map<std::string, SyntaxPointer> parsed_;
  std::map<std::string, std::string, std::less<>> definitions_;
  std::map<std::string, UserFunction, std::less<>> functions_;
  std::map<const Syntax*, Type> choice_types_;
  std::map<const Syntax*, bool> are_of_lists_;
};

}  // namespace skimline::testing
