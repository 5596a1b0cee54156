// SPDX-License-Identifier: BSD-3-Clause
// Models as functions, whatever they do with the objects of a block.
#include "config/models/model_function.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

// A model of inputs of floats, with `num_values` doubles for each object.
class PlainModel : public Model {
 public:
  // Fills what a block comes to; `rows[i]` has the numbers of object i.
  using Compute =
      std::function<void(const std::vector<std::vector<float>>& rows, std::vector<double>& values)>;

  PlainModel(std::vector<std::vector<std::int64_t>> shapes, Compute compute) : compute_(std::move(compute)) {
    for (std::size_t i = 0; i < shapes.size(); ++i)
      inputs_.push_back({"in" + std::to_string(i), "tensor(float)", ScalarType::kFloat, shapes[i]});
  }

  const std::vector<ModelTensor>& inputs() const override { return inputs_; }
  const std::vector<ModelTensor>& outputs() const override { return outputs_; }
  const std::string& evaluator() const override { return evaluator_; }

  void evaluate(const ModelBlocks& blocks, const Take& take) const override {
    for (std::size_t block = 0; block < blocks.num_blocks; ++block) {
      std::vector<std::vector<float>> rows(blocks.rows);
      for (std::size_t row = 0; row < blocks.rows; ++row)
        for (std::size_t input = 0; input < blocks.inputs.size(); ++input) {
          const auto* first = static_cast<const float*>(blocks.inputs[input]) +
                              (block * blocks.rows + row) * blocks.widths[input];
          rows[row].insert(rows[row].end(), first, first + blocks.widths[input]);
        }
      std::vector<double> values;
      compute_(rows, values);
      take(block, values.data(), values.size());
      latest_rows = blocks.rows;
    }
  }

  mutable std::atomic<std::size_t> latest_rows{0};

 private:
  Compute compute_;
  std::vector<ModelTensor> inputs_;
  std::vector<ModelTensor> outputs_{{"out", "tensor(double)", ScalarType::kDouble, {-1}}};
  std::string evaluator_ = "plain loops";
};

ModelCall call_of(std::shared_ptr<const PlainModel> model, std::vector<std::size_t> widths,
                  std::vector<std::size_t> arguments) {
  ModelCall call{.model = std::move(model), .widths = std::move(widths), .arguments = std::move(arguments)};
  for (std::size_t i = 0; i < call.arguments.size(); ++i) call.names.push_back("x" + std::to_string(i));
  return call;
}

std::vector<float> numbers(std::size_t count, float first) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + 0.25F * static_cast<float>(i % 97);
  return values;
}

std::vector<double> results_of(const ElementFunction& function,
                               const std::vector<std::vector<float>>& columns, std::size_t first,
                               std::size_t count) {
  std::vector<const void*> arguments;
  for (const auto& column : columns) arguments.push_back(column.data() + first);
  std::vector<double> results(count, -1);
  function.call(count, arguments.data(), results.data());
  return results;
}

void weighted_sums(const std::vector<std::vector<float>>& rows, std::vector<double>& values) {
  for (const auto& row : rows) values.push_back(row[0] + 10.0 * row[1] + 100.0 * row[2]);
}

TEST(ModelFunction, GivesEachObjectItsValueInBlocksOfOneSize) {
  const auto model =
      std::make_shared<PlainModel>(std::vector<std::vector<std::int64_t>>{{-1, 3}}, weighted_sums);
  ModelCall call = call_of(model, {3}, {0, 1, 2});
  EXPECT_EQ(count_values(call), 1u);
  const ElementFunction function = model_function(call).function;
  const std::vector<std::vector<float>> columns{numbers(1000, 1), numbers(1000, -4), numbers(1000, 9)};
  for (const std::size_t count : {1u, 127u, 128u, 129u, 1000u}) {
    const std::vector<double> results = results_of(function, columns, 0, count);
    EXPECT_EQ(model->latest_rows, kModelRows);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(results[i], columns[0][i] + 10.0 * columns[1][i] + 100.0 * columns[2][i]);
  }
}

TEST(ModelFunction, PutsArgumentsWhereTheModelWantsThem) {
  const auto model =
      std::make_shared<PlainModel>(std::vector<std::vector<std::int64_t>>{{-1}, {-1, 2}}, weighted_sums);
  const ElementFunction function = model_function(call_of(model, {1, 2}, {2, 0, 1})).function;
  ASSERT_EQ(function.parameters.size(), 3u);
  const std::vector<std::vector<float>> columns{numbers(200, 1), numbers(200, 2), numbers(200, 3)};
  const std::vector<double> results = results_of(function, columns, 0, 200);
  for (std::size_t i = 0; i < 200; ++i)
    EXPECT_EQ(results[i], columns[2][i] + 10.0 * columns[0][i] + 100.0 * columns[1][i]);
}

TEST(ModelFunction, TakesOneOfSeveralValues) {
  const auto twice = [](const auto& rows, auto& values) {
    for (const auto& row : rows) values.insert(values.end(), {row[0], 2.0 * row[0], 3.0 * row[0]});
  };
  const auto model = std::make_shared<PlainModel>(std::vector<std::vector<std::int64_t>>{{-1, 1}}, twice);
  ModelCall call = call_of(model, {1}, {0});
  call.num_values = count_values(call);
  EXPECT_EQ(call.num_values, 3u);
  call.element = 1;
  const std::vector<float> column = numbers(300, 5);
  const std::vector<double> results = results_of(model_function(call).function, {column}, 0, 300);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(results[i], 2.0 * column[i]);
}

// What others in the block, or the place in it, have to do with a value must not be seen.
void expect_same(const PlainModel::Compute& compute, std::int64_t rows, std::size_t expected_rows,
                 bool expects_alone = true) {
  const auto model = std::make_shared<PlainModel>(std::vector<std::vector<std::int64_t>>{{rows, 1}}, compute);
  const auto [function, is_alone] = model_function(call_of(model, {1}, {0}));
  EXPECT_EQ(is_alone, expects_alone);
  const std::vector<std::vector<float>> columns{numbers(301, 1)};
  const std::vector<double> whole = results_of(function, columns, 0, 301);
  EXPECT_EQ(model->latest_rows, expected_rows);
  for (const std::size_t first : {0u, 1u, 100u, 300u})
    for (const std::size_t count : {1u, 37u, 201u})
      if (first + count <= 301) {
        const std::vector<double> part = results_of(function, columns, first, count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(part[i], whole[first + i]);
      }
}

void less_the_mean(const std::vector<std::vector<float>>& rows, std::vector<double>& values) {
  double sum = 0;
  for (const auto& row : rows) sum += row[0];
  for (const auto& row : rows) values.push_back(row[0] - sum / static_cast<double>(rows.size()));
}

void less_the_largest(const std::vector<std::vector<float>>& rows, std::vector<double>& values) {
  float largest = rows[0][0];
  for (const auto& row : rows) largest = std::max(largest, row[0]);
  for (const auto& row : rows) values.push_back(row[0] - largest);
}

void otherwise_at_the_end(const std::vector<std::vector<float>>& rows, std::vector<double>& values) {
  for (const auto& row : rows) values.push_back(std::sqrt(static_cast<double>(std::abs(row[0]))));
  if (rows.size() > 1) values.back() = std::nextafter(values.back(), 1e9);
}

TEST(ModelFunction, EvaluatesObjectsAloneThatDependOnOthers) {
  expect_same(less_the_mean, -1, 1);
  expect_same(less_the_largest, -1, 1);
  expect_same(otherwise_at_the_end, -1, 1);
}

TEST(ModelFunction, KeepsToTheNumberOfObjectsThatAModelWants) {
  expect_same(less_the_mean, 7, 7);
  expect_same(otherwise_at_the_end, 7, 7);
  const auto square = [](const auto& rows, auto& values) {
    for (const auto& row : rows) values.push_back(static_cast<double>(row[0]) * row[0]);
  };
  expect_same(square, 7, 7, false);
  expect_same(square, 1, 1, false);
}

TEST(ModelFunction, RefusesWhatIsNoFunction) {
  std::atomic<int> number{0};
  const auto counting = [&](const auto& rows, auto& values) { values.assign(rows.size(), number++); };
  const auto model = std::make_shared<PlainModel>(std::vector<std::vector<std::int64_t>>{{-1, 1}}, counting);
  EXPECT_THROW(model_function(call_of(model, {1}, {0})), Error);
}

TEST(ModelFunction, RefusesOutputsThatAreNotOfObjects) {
  const auto one = [](const auto&, auto& values) { values.push_back(1); };
  const auto nothing = [](const auto&, auto&) {};
  for (const PlainModel::Compute& compute : {PlainModel::Compute(one), PlainModel::Compute(nothing)}) {
    const auto model = std::make_shared<PlainModel>(std::vector<std::vector<std::int64_t>>{{-1, 1}}, compute);
    EXPECT_THROW(count_values(call_of(model, {1}, {0})), Error);
  }
}

TEST(ModelFunction, RefusesSizesThatNobodyCanHave) {
  const auto nothing = [](const auto&, auto&) { FAIL() << "it was called"; };
  using Shapes = std::vector<std::vector<std::int64_t>>;
  for (const Shapes& shapes : {Shapes{{std::int64_t{1} << 40, 1}}, Shapes{{0, 1}}, Shapes{{4, 1}, {8, 1}}}) {
    const auto model = std::make_shared<PlainModel>(shapes, nothing);
    std::vector<std::size_t> arguments(shapes.size());
    EXPECT_THROW(count_values(call_of(model, std::vector<std::size_t>(shapes.size(), 1), arguments)), Error);
  }
}

TEST(ModelFunction, EndsWhereAModelChangesItsMind) {
  std::atomic<bool> is_short{false};
  const auto compute = [&](const auto& rows, auto& values) { values.assign(rows.size() - is_short, 1); };
  const auto model = std::make_shared<PlainModel>(std::vector<std::vector<std::int64_t>>{{-1, 1}}, compute);
  const ElementFunction function = model_function(call_of(model, {1}, {0})).function;
  is_short = true;
  EXPECT_THROW(results_of(function, {numbers(10, 1)}, 0, 10), Error);
}

}  // namespace
}  // namespace skimline::skims
