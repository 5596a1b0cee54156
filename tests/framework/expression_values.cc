// SPDX-License-Identifier: BSD-3-Clause
// Writes random expressions that RDataFrame has too, the columns they are of, and the values that the engine
// gives, for comparison with an interpreter of C++: expression_values <seed> <count> <entries> <folder>
//
//   columns.txt      name, scalar type and depth of each column, one a line
//   columns.bin      their values, column by column
//   expressions.txt  one a line
//   entries.bin      for each expression and entry a byte: whether C++ defines its value
//   values.bin       for each expression the number of bytes that follow, scalar type, depth, and its values
//
// Numbers are as in memory, any NaN as one; lists begin with their size. Types are numbers of ScalarType.
#include "engine_run.h"
#include "expression_generator.h"
#include "naive_evaluator.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>

namespace {

using namespace skimline;
using namespace skimline::testing;

template <typename T>
void append(std::string& bytes, T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
  char memory[sizeof value];
  std::memcpy(memory, &value, sizeof value);
  bytes.append(memory, sizeof value);
}

void append(std::string& bytes, const Value& value) {
  if (!value.is_list())
    return visit_scalar(value.type.scalar, [&](auto tag) {
      append(bytes, std::get<typename decltype(tag)::type>(value.scalar));
    });
  append(bytes, static_cast<std::uint32_t>(value.elements.size()));
  for (const Value& element : value.elements) append(bytes, element);
}

// The entries that have an answer which C++ defines.
std::vector<bool> defined_entries(NaiveEvaluator& evaluator, const std::string& expression,
                                  const RandomColumns& columns) {
  std::vector<bool> defined;
  for (std::size_t number = 0; number < columns.num_entries(); ++number) {
    NaiveContext context;
    try {
      evaluator.evaluate(expression, *columns.entry(number), context);
      defined.push_back(!context.is_undefined);
    } catch (const NaiveFault&) {
      defined.push_back(false);
    }
  }
  return defined;
}

class Writer {
 public:
  Writer(const RandomColumns& columns, const std::filesystem::path& folder)
      : columns_(columns),
        expressions_(folder / "expressions.txt"),
        entries_(folder / "entries.bin", std::ios::binary),
        values_(folder / "values.bin", std::ios::binary) {
    std::ofstream names(folder / "columns.txt"), bytes(folder / "columns.bin", std::ios::binary);
    for (const RandomColumn& column : columns.columns()) {
      if (column.type.scalar == ScalarType::kString) continue;
      names << column.name << " " << static_cast<int>(column.type.scalar) << " " << column.type.depth << "\n";
      std::string text;
      for (const Value& value : column.values) append(text, value);
      bytes << text;
    }
  }

  // Returns whether C++ defines the value of the expression for any entry.
  bool add(const std::string& expression) {
    const std::vector<bool> defined = defined_entries(evaluator_, expression, columns_);
    if (std::find(defined.begin(), defined.end(), true) == defined.end()) return false;
    ExpressionCase tried;
    tried.slice_entries = columns_.num_entries();
    tried.definitions = {{"value", expression}};
    tried.outputs = {{0, {"value"}}};
    try {
      EngineRun engine(columns_, tried, defined, EngineRun::Entries::kOk);
      engine.run(1);
      write(expression, defined, engine);
    } catch (const ExpressionError& error) {
      const std::string part = error.text().substr(error.offset(), error.length());
      if (!has_no_answer(evaluator_, part, columns_)) throw;
      return false;
    }
    return true;
  }

 private:
  void write(const std::string& expression, const std::vector<bool>& defined, const EngineRun& engine) {
    std::string bytes;
    append(bytes, static_cast<std::uint8_t>(engine.types()[0].scalar));
    append(bytes, static_cast<std::uint8_t>(engine.types()[0].depth));
    for (const auto& row : engine.rows(0)) append(bytes, row[1]);
    std::string size;
    append(size, static_cast<std::uint64_t>(bytes.size()));
    values_ << size << bytes;
    expressions_ << expression << "\n";
    for (const bool flag : defined) entries_.put(static_cast<char>(flag));
  }

  const RandomColumns& columns_;
  NaiveEvaluator evaluator_;
  std::ofstream expressions_, entries_, values_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: expression_values <seed> <count> <entries> <folder>\n";
    return 2;
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  const RandomColumns columns(seed, std::strtoull(argv[3], nullptr, 10));
  NaiveEvaluator types;
  const auto type_of = [&](const std::string& expression) {
    return types.type_of(expression, *columns.entry(0));
  };
  ExpressionGenerator generator(seed, {true, type_of});
  Writer writer(columns, argv[4]);
  for (std::uint64_t made = 0; made < count;) {
    const std::string expression = generator.expression();
    if (expression.size() < 400 && writer.add(expression)) ++made;
  }
}
