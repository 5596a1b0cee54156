// SPDX-License-Identifier: BSD-3-Clause
#include "terms.h"

#include "moments.h"
#include "vector_kernel.h"

#include <algorithm>
#include <cmath>

namespace skimline::histograms {
namespace {

constexpr double kLimit = SumWindow::kLimit;
constexpr double kSquaredLimit = kLimit * kLimit;

// Weight times value, and that times value.
template <int kLanes>
struct Multiply {
  [[gnu::always_inline]] static inline void run(const double* const& weights,
                                                const std::span<const double>& values,
                                                double* const& products, double* const& squared) {
    const double* const in = values.data();
    const double* const factors = weights;
    double* const __restrict first = products;
    double* const __restrict second = squared;
    const std::size_t size = values.size();
    for (std::size_t i = 0; i < size; ++i) {
      first[i] = factors[i] * in[i];
      second[i] = first[i] * in[i];
    }
  }
};

}  // namespace

std::optional<Refusal> Terms::read(const HistogramSpec& spec, std::span<const ColumnView> columns,
                                   std::size_t which, BlockRange range) {
  const std::size_t num_axes = spec.axes.size();
  const bool has_value = has_values(spec.storage);
  const std::size_t first_weight = num_axes + (has_value ? 1 : 0);
  const bool has_weights = columns.size() > first_weight;
  size_ = range.size;
  bad_.clear();
  if (has_weights) {
    weights_ = read_doubles(columns[first_weight + which], range.first, size_, weight_copies_.data());
  } else {
    std::fill_n(weight_copies_.begin(), size_, 1.0);
    weights_ = weight_copies_.data();
  }
  values_ = has_value ? read_doubles(columns[num_axes], range.first, size_, value_copies_.data()) : nullptr;
  if (has_value) multiply();
  if (find_largest()) return std::nullopt;
  for (auto bad = first_bad(0); bad; bad = first_bad(*bad + 1)) {
    if (spec.bad_weights == BadWeights::kSkip) {
      leave_out(*bad);
      continue;
    }
    const bool is_weight = !(std::fabs(weights_[*bad]) < kLimit);
    return Refusal{range.first + *bad, is_weight && has_weights ? first_weight + which : num_axes,
                   is_weight ? "a weight that is not finite, or too large,"
                             : "a value that is not finite, or too large,"};
  }
  find_largest();
  return std::nullopt;
}

void Terms::multiply() {
  run_vector_kernel<Multiply>(weights_, std::span<const double>(values_, size_), products_.data(),
                              products_squared_.data());
}

// Returns whether all terms can be added.
bool Terms::find_largest() {
  weight_magnitudes_ = magnitudes_of(weights_, size_);
  const double weight = weight_magnitudes_.largest;
  largest_ = {weight, weight * weight};
  if (values_ == nullptr) return weight < kLimit;
  largest_[kWeightedValue] = magnitudes_of(products_.data(), size_).largest;
  largest_[kWeightedValueSquared] = magnitudes_of(products_squared_.data(), size_).largest;
  return weight < kLimit && largest_[kWeightedValue] < kSquaredLimit &&
         largest_[kWeightedValueSquared] < kSquaredLimit;
}

std::optional<std::size_t> Terms::first_bad(std::size_t from) const {
  for (std::size_t i = from; i < size_; ++i) {
    if (!(std::fabs(weights_[i]) < kLimit)) return i;
    if (values_ == nullptr) continue;
    if (!(std::fabs(products_[i]) < kSquaredLimit) || !(std::fabs(products_squared_[i]) < kSquaredLimit))
      return i;
  }
  return std::nullopt;
}

// Adding zeros leaves all sums as they are.
void Terms::leave_out(std::size_t fill) {
  bad_.push_back(fill);
  if (weights_ != weight_copies_.data()) std::copy_n(weights_, size_, weight_copies_.begin());
  weights_ = weight_copies_.data();
  weight_copies_[fill] = products_[fill] = products_squared_[fill] = 0;
}

FillBlock Terms::block(const std::int32_t* cells) const {
  FillBlock block{.cells = cells,
                  .weights = weights_,
                  .size = size_,
                  .largest = largest_,
                  .weight_unit = weight_magnitudes_.unit};
  if (values_ != nullptr) {
    block.values = products_.data();
    block.values_squared = products_squared_.data();
  }
  return block;
}

}  // namespace skimline::histograms
