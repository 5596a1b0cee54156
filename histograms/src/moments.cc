// SPDX-License-Identifier: BSD-3-Clause
#include "moments.h"

#include "vector_kernel.h"

#include <cmath>
#include <limits>

namespace skimline::histograms {
namespace {

static_assert(kNumParts == SumWindow::kPlaces);

struct Range {
  double low, high;
};

template <int kLanes>
struct KeepInside {
  [[gnu::always_inline]] static inline void run(const WeightedValues& values, const Range& range,
                                                double* const& inside, std::int64_t* const& num_nan) {
    const double low = range.low, high = range.high;
    const double* const in = values.values;
    double* const __restrict out = inside;
    const std::size_t size = values.size;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double value = in[i];
      const double above = value >= low ? value : 0.0;
      out[i] = value < high ? above : 0.0;
      total += value == value ? 0 : 1;
    }
    *num_nan = total;
  }
};

template <int kLanes>
struct FindLargest {
  using V = Vectors<kLanes>;
  using Doubles = typename V::Doubles;

  [[gnu::always_inline]] static inline void run(const WeightedValues& values, double* const& result) {
    constexpr int kMaxima = 2;
    Doubles largest[kMaxima] = {};
    Doubles poison{};  // not a number once a value was not finite
    const std::size_t whole = values.size / (kMaxima * kLanes) * (kMaxima * kLanes);
    for (std::size_t i = 0; i < whole; i += kMaxima * kLanes)
      for (int k = 0; k < kMaxima; ++k) {
        Doubles value;
        V::load(values.values + i + k * kLanes, value);
        poison += value - value;
        V::keep_larger(value, largest[k]);
      }
    double total = 0, tail_poison = 0;
    for (const Doubles& each : largest) V::keep_largest(each, total);
    for (std::size_t i = whole; i < values.size; ++i) {
      const double magnitude = std::fabs(values.values[i]);
      total = magnitude > total ? magnitude : total;
      tail_poison += magnitude - magnitude;
    }
    for (int lane = 0; lane < kLanes; ++lane) tail_poison += poison[lane];
    *result = tail_poison == 0 ? total : std::numeric_limits<double>::infinity();
  }
};

Anchors anchors_of(const ExactSum& sum, const ExactSum* sum_squared) {
  Anchors anchors{};
  for (int place = 0; place < kNumParts; ++place) {
    anchors.places[0][place] = sum.window().anchor(place);
    if (sum_squared != nullptr) anchors.places[1][place] = sum_squared->window().anchor(place);
  }
  return anchors;
}

}  // namespace

void add_products(const WeightedValues& values, ExactSum& sum, ExactSum* sum_squared, double* products) {
  BlockSums sums;
  const SplitOutputs outputs{products, sum_squared != nullptr, &sums};
  // The windows mostly take what comes; if they do not, the block is split once more on higher ones.
  for (bool is_split = false; !is_split;) {
    split_products(values, anchors_of(sum, sum_squared), outputs);
    // A product that is infinite can make one that is not a number, whose magnitude is not seen.
    if (!std::isfinite(sums.largest[0])) sums.largest[1] = sums.largest[0];
    is_split = sum.takes(sums.largest[0]);
    if (sum_squared != nullptr) is_split = sum_squared->takes(sums.largest[1]) && is_split;
  }
  sum.add_parts(sums.parts[0]);
  if (sum_squared != nullptr) sum_squared->add_parts(sums.parts[1]);
}

std::size_t keep_inside(const WeightedValues& values, double low, double high, double* inside) {
  std::int64_t num_nan = 0;
  run_vector_kernel<KeepInside>(values, Range{low, high}, inside, &num_nan);
  return static_cast<std::size_t>(num_nan);
}

double largest_or_infinity(const double* values, std::size_t size) {
  double largest = 0;
  run_vector_kernel<FindLargest>(WeightedValues{values, nullptr, size}, &largest);
  return largest;
}

}  // namespace skimline::histograms
