// SPDX-License-Identifier: BSD-3-Clause
// Operators on flat columns and on the values of lists, conversions, and functions of one number.
#include "comparison.h"
#include "expression/operators.h"

namespace skimline::bench {
namespace {

constexpr ScalarType kFloat = ScalarType::kFloat, kDouble = ScalarType::kDouble, kInt = ScalarType::kInt32;

Kernel operated(Operator op, ScalarType scalar, Kernel::Inputs inputs, bool on_lists = false) {
  return {binary_operation(op, scalar, scalar, on_lists).value(), inputs};
}

Kernel converted(ScalarType from, ScalarType to, Kernel::Inputs inputs) {
  return {loop_operation(conversion_loop(from, to), {from}, to), inputs};
}

std::vector<ColumnView> floats(const Batch& b) { return {flat_view(b.x), flat_view(b.y)}; }
std::vector<ColumnView> float_and_constant(const Batch& b) { return {flat_view(b.x), constant_view<1.5f>()}; }
std::vector<ColumnView> doubles(const Batch& b) { return {flat_view(b.dx), flat_view(b.dy)}; }
std::vector<ColumnView> integers(const Batch& b) { return {flat_view(b.ix), flat_view(b.iy)}; }

void add_operators() {
  add<float>({"float x + y", kPerEntry, operated(Operator::kPlus, kFloat, floats),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.x[i] + b.y[i];
              }});
  add<float>({"float x * 1.5", kPerEntry, operated(Operator::kTimes, kFloat, float_and_constant),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.x[i] * 1.5f;
              }});
  add<double>({"double x * y", kPerEntry, operated(Operator::kTimes, kDouble, doubles),
               [](const Batch& b, double* values, std::uint32_t*) {
                 for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.dx[i] * b.dy[i];
               }});
  add<double>({"double x / y", kPerEntry, operated(Operator::kDivide, kDouble, doubles),
               [](const Batch& b, double* values, std::uint32_t*) {
                 for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.dx[i] / b.dy[i];
               }});
  add<std::int32_t>({"int x + y", kPerEntry, operated(Operator::kPlus, kInt, integers),
                     [](const Batch& b, std::int32_t* values, std::uint32_t*) {
                       for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.ix[i] + b.iy[i];
                     }});
  add<std::int32_t>({"int x / y", kPerEntry, operated(Operator::kDivide, kInt, integers),
                     [](const Batch& b, std::int32_t* values, std::uint32_t*) {
                       for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.ix[i] / b.iy[i];
                     }});
}

void add_comparisons() {
  add<bool>({"float x > 1.5", kPerEntry, operated(Operator::kGreater, kFloat, float_and_constant),
             [](const Batch& b, bool* values, std::uint32_t*) {
               for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.x[i] > 1.5f;
             }});
  add<bool>({"double x > y", kPerEntry, operated(Operator::kGreater, kDouble, doubles),
             [](const Batch& b, bool* values, std::uint32_t*) {
               for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.dx[i] > b.dy[i];
             }});
  add<bool>({"int x == y", kPerEntry, operated(Operator::kEqual, kInt, integers),
             [](const Batch& b, bool* values, std::uint32_t*) {
               for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.ix[i] == b.iy[i];
             }});
  const auto pt_and_cut = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.few, b.few.pt), constant_view<30.f>()};
  };
  add<std::int32_t>({"list pt > 30", kPerFew, operated(Operator::kGreater, kFloat, pt_and_cut, true),
                     [](const Batch& b, std::int32_t* values, std::uint32_t* offsets) {
                       for (std::size_t event = 0; event < kBatch; ++event) {
                         for (std::uint32_t i = b.few.offsets[event]; i < b.few.offsets[event + 1]; ++i)
                           values[i] = b.few.pt[i] > 30.f;
                         offsets[event + 1] = b.few.offsets[event + 1];
                       }
                     }});
  const auto choice = [](const Batch& b) -> std::vector<ColumnView> {
    return {flat_view<bool>(b.flag.get()), flat_view(b.x), flat_view(b.y)};
  };
  add<float>({"flag ? x : y", kPerEntry, Kernel(selection_operation(kFloat), choice),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.flag[i] ? b.x[i] : b.y[i];
              }});
}

void add_conversions() {
  add<double>({"float to double", kPerEntry, converted(kFloat, kDouble, floats),
               [](const Batch& b, double* values, std::uint32_t*) {
                 for (std::size_t i = 0; i < kBatch; ++i) values[i] = static_cast<double>(b.x[i]);
               }});
  add<float>({"int to float", kPerEntry, converted(kInt, kFloat, integers),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t i = 0; i < kBatch; ++i) values[i] = static_cast<float>(b.ix[i]);
              }});
  add<std::int32_t>({"double to int", kPerEntry, converted(kDouble, kInt, doubles),
                     [](const Batch& b, std::int32_t* values, std::uint32_t*) {
                       for (std::size_t i = 0; i < kBatch; ++i)
                         values[i] = static_cast<std::int32_t>(b.dx[i]);
                     }});
  add<bool>({"int to bool", kPerEntry, converted(kInt, ScalarType::kBool, integers),
             [](const Batch& b, bool* values, std::uint32_t*) {
               for (std::size_t i = 0; i < kBatch; ++i) values[i] = b.ix[i] != 0;
             }});
}

void add_functions() {
  const auto x = [](const Batch& b) -> std::vector<ColumnView> { return {flat_view(b.x)}; };
  const auto pt = [](const Batch& b) -> std::vector<ColumnView> { return {flat_view(b.pt)}; };
  add<float>({"abs(float)", kPerEntry, called("abs", x), [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t i = 0; i < kBatch; ++i) values[i] = std::fabs(b.x[i]);
              }});
  add<double>(
      {"sqrt(double)", kPerEntry, called("sqrt", pt), [](const Batch& b, double* values, std::uint32_t*) {
         for (std::size_t i = 0; i < kBatch; ++i) values[i] = std::sqrt(b.pt[i]);
       }});
  add<double>({"max(double, double)", kPerEntry, called("max", doubles),
               [](const Batch& b, double* values, std::uint32_t*) {
                 for (std::size_t i = 0; i < kBatch; ++i) values[i] = std::max(b.dx[i], b.dy[i]);
               }});
}

}  // namespace

void add_arithmetic() {
  add_operators();
  add_comparisons();
  add_conversions();
  add_functions();
}

}  // namespace skimline::bench
