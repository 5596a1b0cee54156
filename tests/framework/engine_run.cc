// SPDX-License-Identifier: BSD-3-Clause
#include "engine_run.h"

#include "expression_generator.h"

#include "skimline/framework/runner.h"

namespace skimline::testing {

// Keeps all values of all columns, one row an entry.
class EngineRun::ValueSink : public Sink {
 public:
  struct ValuePortion : Portion {
    ValueRows rows;
  };

  std::unique_ptr<Portion> begin() const override { return std::make_unique<ValuePortion>(); }
  void append(Portion& portion, const Survivors& survivors,
              std::span<const ColumnView> batch) const override {
    for (std::size_t entry = 0; entry < survivors.count; ++entry) {
      auto& row = static_cast<ValuePortion&>(portion).rows.emplace_back();
      for (const ColumnView& column : batch) row.push_back(value_at(column, entry));
    }
  }
  void gather(Portion&, SliceReader&) const override {}
  void stitch(Portion& portion) override {
    for (auto& row : static_cast<ValuePortion&>(portion).rows) rows.push_back(std::move(row));
  }
  void seal(Portion&) const override {}
  void commit(Portion&) override {}
  void write(Portion&) override {}
  void finish() override {}

  ValueRows rows;
};

EngineRun::EngineRun(const RandomColumns& columns, const ExpressionCase& tried, const std::vector<bool>& ok,
                     Entries entries)
    : source_(columns.source(tried.slice_entries, ok)) {
  PlanBuilder builder(source_->schema());
  for (const auto& [signature, body] : ExpressionGenerator::user_functions())
    builder.define_function(signature, body);
  for (const auto& definition : tried.definitions) {
    builder.define(definition.name, definition.expression);
    types_.push_back(builder.type_of(definition.name));
  }
  std::vector<SelectionId> selections{entries == Entries::kOk ? builder.select(kAllEntries, "ok_")
                                                              : kAllEntries};
  for (const auto& selection : tried.selections)
    selections.push_back(builder.select(selections[selection.parent], selection.expression));
  for (const auto& output : tried.outputs) {
    std::vector<std::string> names = output.names;
    names.insert(names.begin(), "entry_");
    sinks_.push_back(std::make_unique<ValueSink>());
    builder.write(selections[output.selection], names, *sinks_.back());
  }
  plan_.emplace(std::move(builder).build());
}

EngineRun::~EngineRun() = default;

void EngineRun::run(int threads) {
  RunOptions options;
  options.threads = threads;
  skimline::run(*plan_, *source_, options);
}

const ValueRows& EngineRun::rows(std::size_t output) const { return sinks_[output]->rows; }

bool has_no_answer(NaiveEvaluator& evaluator, const std::string& expression, const RandomColumns& columns) {
  for (std::size_t number = 0; number < columns.num_entries(); ++number) {
    NaiveContext context;
    try {
      evaluator.evaluate(expression, *columns.entry(number), context);
      return false;
    } catch (const NaiveFault&) {
      // As expected; the next entry.
    } catch (const std::exception&) {
      return false;
    }
  }
  return true;
}

bool is_always_negative(NaiveEvaluator& evaluator, const std::string& expression,
                        const RandomColumns& columns) {
  return has_no_answer(evaluator, "10 % int64_t((" + expression + ") >= 0)", columns);
}

bool is_always_changed(NaiveEvaluator& evaluator, const std::string& expression, const std::string& type,
                       const RandomColumns& columns) {
  const std::string is_kept = type + "(" + expression + ") == (" + expression + ")";
  return has_no_answer(evaluator, "10 % int64_t(" + is_kept + ")", columns);
}

const RandomColumns& columns_of(const ExpressionCase& tried) {
  static thread_local std::optional<RandomColumns> columns;
  static thread_local std::pair<std::uint64_t, std::size_t> known;
  const std::pair wanted{tried.columns_seed, tried.num_entries};
  if (!columns || known != wanted) columns.emplace(wanted.first, wanted.second);
  known = wanted;
  return *columns;
}

}  // namespace skimline::testing
