// SPDX-License-Identifier: BSD-3-Clause
#include "terms.h"

#include "moments.h"
#include "vector_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace skimline::histograms {
namespace {

constexpr double kLimit = SumWindow::kLimit;
constexpr double kSquaredLimit = kLimit * kLimit;

struct WeightedBlock {
  const double* weights;
  const double* values;
  std::size_t size;
};

// Where weight times value goes, and that times value, with room for a multiple of 8; and the bits of their
// largest magnitudes, where infinity and what is not a number are on top.
struct Products {
  double* first;
  double* second;
  std::int64_t largest[2];
};

template <int kLanes>
struct Multiply {
  using V = Vectors<kLanes>;
  using Doubles = typename V::Doubles;
  using Integers = typename V::Integers;

  [[gnu::always_inline]] static inline void keep_larger(const Doubles& values, Integers& largest) {
    const Integers magnitude = (Integers)values & V::kMagnitudeBits;
    largest = magnitude > largest ? magnitude : largest;
  }

  [[gnu::always_inline]] static inline void run(const WeightedBlock& block, Products* const& products) {
    Integers largest[2] = {};
    Doubles weight, value;
    double* const first = products->first;
    double* const second = products->second;
    for (std::size_t i = 0; i < block.size; i += kLanes) {
      if (i + kLanes <= block.size) {
        V::load(block.weights + i, weight);
        V::load(block.values + i, value);
      } else {
        V::load(block.weights + i, block.size - i, weight);
        V::load(block.values + i, block.size - i, value);
      }
      const Doubles product = weight * value, square = product * value;
      keep_larger(product, largest[0]);
      keep_larger(square, largest[1]);
      V::store(product, first + i);
      V::store(square, second + i);
    }
    for (int which = 0; which < 2; ++which) {
      std::int64_t total = 0;
      for (int lane = 0; lane < kLanes; ++lane) total = std::max<std::int64_t>(total, largest[which][lane]);
      products->largest[which] = total;
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
  if (find_terms()) return std::nullopt;
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
  find_terms();
  return std::nullopt;
}

// Returns whether all terms can be added.
bool Terms::find_terms() {
  weight_magnitudes_ = magnitudes_of(weights_, size_);
  const double weight = weight_magnitudes_.largest;
  largest_ = {weight, weight * weight};
  if (values_ == nullptr) return weight < kLimit;
  Products products{products_.data(), products_squared_.data(), {}};
  run_vector_kernel<Multiply>(WeightedBlock{weights_, values_, size_}, &products);
  largest_[kWeightedValue] = std::bit_cast<double>(products.largest[0]);
  largest_[kWeightedValueSquared] = std::bit_cast<double>(products.largest[1]);
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
  weight_copies_[fill] = 0;
  if (values_ == nullptr) return;
  if (values_ != value_copies_.data()) std::copy_n(values_, size_, value_copies_.begin());
  values_ = value_copies_.data();
  value_copies_[fill] = 0;
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
