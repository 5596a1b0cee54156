// SPDX-License-Identifier: BSD-3-Clause
// The engine, run over random columns.
#pragma once

#include "expression_case.h"
#include "random_columns.h"

#include "skimline/framework/plan.h"

#include <memory>
#include <optional>
#include <vector>

namespace skimline::testing {

/// The values of the columns of an output, one row an entry.
using ValueRows = std::vector<std::vector<Value>>;

/// The columns of a case, made when they are asked for first.
const RandomColumns& columns_of(const ExpressionCase& tried);

/// Whether an expression has no answer in any entry: then the engine may refuse it at once, as a constant.
bool has_no_answer(NaiveEvaluator& evaluator, const std::string& expression, const RandomColumns& columns);

/// Whether an expression is below 0 in all entries: the engine refuses constant indexes that are.
bool is_always_negative(NaiveEvaluator& evaluator, const std::string& expression,
                        const RandomColumns& columns);

/// Whether an expression is never equal to itself in another type, "int8_t": the engine refuses written
/// numbers beside lists of a type that would change them.
bool is_always_changed(NaiveEvaluator& evaluator, const std::string& expression, const std::string& type,
                       const RandomColumns& columns);

class EngineRun {
 public:
  enum class Entries {
    kAll,
    kOk,  ///< only those whose flag in `ok` is set
  };

  /// Plans the case. Throws ExpressionError.
  EngineRun(const RandomColumns& columns, const ExpressionCase& tried, const std::vector<bool>& ok,
            Entries entries);
  ~EngineRun();

  /// Throws EvaluationError.
  void run(int threads);

  const std::vector<Type>& types() const { return types_; }  ///< of the definitions
  /// What was written to an output, the number of the entry in front.
  const ValueRows& rows(std::size_t output) const;

 private:
  class ValueSink;

  std::vector<std::unique_ptr<ValueSink>> sinks_;
  std::unique_ptr<Source> source_;
  std::vector<Type> types_;
  std::optional<Plan> plan_;
};

}  // namespace skimline::testing
