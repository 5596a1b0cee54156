// SPDX-License-Identifier: BSD-3-Clause
#include "split_products.h"

#include "vector_kernel.h"

#include <bit>

namespace skimline::histograms {
namespace {

template <int kLanes>
struct AddProducts {
  using V = Vectors<kLanes>;
  using Doubles = typename V::Doubles;
  using Bits = typename VectorTypes<kLanes>::Bits;

  // Sums of the bits of values shifted by an anchor; what wraps around goes with the anchors' bits.
  struct Split {
    Doubles anchors[kNumParts];
    Bits sums[kNumParts];
    Doubles largest;

    [[gnu::always_inline]] inline void begin(const double* places) {
      for (int place = 0; place < kNumParts; ++place) {
        anchors[place] = Doubles{} + places[place];
        sums[place] = Bits{};
      }
      largest = Doubles{};
    }
    [[gnu::always_inline]] inline void add(const Doubles& values) {
      V::keep_larger(values, largest);
      const Doubles first = values + anchors[0];
      const Doubles rest = values - (first - anchors[0]);
      const Doubles second = rest + anchors[1];
      const Doubles third = (rest - (second - anchors[1])) + anchors[2];
      sums[0] += (Bits)first;
      sums[1] += (Bits)second;
      sums[2] += (Bits)third;
    }
    [[gnu::always_inline]] inline void end(std::size_t count, BlockSums& result, int which) const {
      for (int place = 0; place < kNumParts; ++place) {
        std::uint64_t total = 0;
        for (int lane = 0; lane < kLanes; ++lane) total += sums[place][lane];
        total -= count * std::bit_cast<std::uint64_t>(anchors[place][0]);
        result.parts[which][place] = static_cast<std::int64_t>(total);
      }
      result.largest[which] = 0;
      V::keep_largest(largest, result.largest[which]);
    }
  };

  [[gnu::always_inline]] static inline void run(const WeightedValues& values, const Anchors& anchors,
                                                const SplitOutputs& outputs) {
    Split first, second;
    first.begin(anchors.places[0]);
    second.begin(anchors.places[1]);
    const bool has_weights = values.weights != nullptr, has_products = outputs.products != nullptr,
               has_squares = outputs.has_squares;
    const auto add = [&](const Doubles& value, const Doubles& weight, std::size_t i)
        __attribute__((always_inline)) {
      const Doubles product = has_weights ? weight * value : value;
      if (has_products) V::store(product, outputs.products + i);
      first.add(product);
      if (has_squares) second.add(product * value);
    };
    const std::size_t whole = values.size / kLanes * kLanes;
    Doubles value, weight{};
    for (std::size_t i = 0; i < whole; i += kLanes) {
      V::load(values.values + i, value);
      if (has_weights) V::load(values.weights + i, weight);
      add(value, weight, i);
    }
    if (whole < values.size) {
      V::load(values.values + whole, values.size - whole, value);
      if (has_weights) V::load(values.weights + whole, values.size - whole, weight);
      add(value, weight, whole);
    }
    const std::size_t num_added = (values.size + kLanes - 1) / kLanes * kLanes;
    first.end(num_added, *outputs.sums, 0);
    second.end(has_squares ? num_added : 0, *outputs.sums, 1);
  }
};

}  // namespace

void split_products(const WeightedValues& values, const Anchors& anchors, const SplitOutputs& outputs) {
  run_vector_kernel<AddProducts>(values, anchors, outputs);
}

}  // namespace skimline::histograms
