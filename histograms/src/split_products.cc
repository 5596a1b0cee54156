// SPDX-License-Identifier: BSD-3-Clause
#include "split_products.h"

#include "vector_kernel.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace skimline::histograms {
namespace {

// Sums of the bits of values shifted by an anchor; what wraps around goes with the anchors' bits.
template <int kLanes, int kPlaces>
struct Split {
  using Doubles = typename VectorTypes<kLanes>::Doubles;
  using Bits = typename VectorTypes<kLanes>::Bits;

  Doubles anchors[kPlaces];
  Bits sums[kPlaces];
  Bits rests;

  [[gnu::always_inline]] inline void begin(const double* places) {
    rests = Bits{};
    for (int place = 0; place < kPlaces; ++place) {
      anchors[place] = Doubles{} + places[place];
      sums[place] = Bits{};
    }
  }
  [[gnu::always_inline]] inline void add(const Doubles& values) {
    Doubles rest = values;
    for (int place = 0; place < kPlaces; ++place) {
      const Doubles shifted = rest + anchors[place];
      sums[place] += (Bits)shifted;
      rest -= shifted - anchors[place];
    }
    if constexpr (kPlaces == kNumParts) rests |= (Bits)rest;
  }
  [[gnu::always_inline]] inline void end(std::size_t count, std::array<std::int64_t, kNumParts>& parts,
                                         bool& has_rest) const {
    std::uint64_t all_rests = 0;
    for (int lane = 0; lane < kLanes; ++lane) all_rests |= rests[lane];
    has_rest = all_rests << 1 != 0;  // signs of zeros are none
    parts = {};
    for (int place = 0; place < kPlaces; ++place) {
      std::uint64_t total = 0;
      for (int lane = 0; lane < kLanes; ++lane) total += sums[place][lane];
      total -= count * std::bit_cast<std::uint64_t>(anchors[place][0]);
      parts[static_cast<std::size_t>(place)] = static_cast<std::int64_t>(total);
    }
  }
};

template <int kLanes>
struct AddProducts {
  using V = Vectors<kLanes>;
  using Doubles = typename V::Doubles;

  template <int kPlaces>
  struct Sums {
    Split<kLanes, kPlaces> first, second;
    Doubles largest[2];
  };

  template <bool kHasWeights, int kPlaces>
  [[gnu::always_inline]] static inline void add(const Doubles& value, const Doubles& product,
                                                const bool& has_squares, Sums<kPlaces>& sums) {
    if constexpr (kHasWeights && kPlaces == 3) V::keep_larger(product, sums.largest[0]);
    sums.first.add(product);
    if (!has_squares) return;
    const Doubles square = product * value;
    if constexpr (kHasWeights && kPlaces == 3) V::keep_larger(square, sums.largest[1]);
    sums.second.add(square);
  }

  template <bool kHasWeights, int kPlaces, typename Real>
  [[gnu::always_inline]] static inline void add_all(const Real* values, const WeightedValues& weighted,
                                                    const SplitOutputs& outputs, Sums<kPlaces>& sums) {
    const bool has_products = outputs.products != nullptr, has_squares = outputs.has_squares;
    const double* const weights = weighted.weights;
    double* const products = outputs.products;
    const std::size_t size = weighted.size, whole = size / kLanes * kLanes;
    Doubles value, weight{};
    const auto add_one = [&](std::size_t i) __attribute__((always_inline)) {
      const Doubles product = kHasWeights ? weight * value : value;
      if (kHasWeights && has_products) V::store(product, products + i);
      add<kHasWeights>(value, product, has_squares, sums);
    };
    for (std::size_t i = 0; i < whole; i += kLanes) {
      V::load(values + i, value);
      if constexpr (kHasWeights) V::load(weights + i, weight);
      add_one(i);
    }
    if (whole == size) return;
    V::load(values + whole, size - whole, value);
    if constexpr (kHasWeights) V::load(weights + whole, size - whole, weight);
    add_one(whole);
  }

  template <bool kHasWeights, int kPlaces, typename Real>
  [[gnu::always_inline]] static inline void split(const Real* values, const WeightedValues& weighted,
                                                  const Anchors& anchors, const SplitOutputs& outputs) {
    Sums<kPlaces> sums;
    sums.first.begin(anchors.places[0]);
    sums.second.begin(anchors.places[1]);
    for (Doubles& largest : sums.largest) largest = Doubles{};
    add_all<kHasWeights>(values, weighted, outputs, sums);
    const std::size_t num_added = (weighted.size + kLanes - 1) / kLanes * kLanes;
    BlockSums& result = *outputs.sums;
    sums.first.end(num_added, result.parts[0], result.has_rest[0]);
    sums.second.end(outputs.has_squares ? num_added : 0, result.parts[1], result.has_rest[1]);
    for (int i = 0; i < 2; ++i) {
      result.largest[i] = 0;
      V::keep_largest(sums.largest[i], result.largest[i]);
    }
  }

  template <typename Real>
  [[gnu::always_inline]] static inline void split_all(const Real* values, const WeightedValues& weighted,
                                                      const Anchors& anchors, const SplitOutputs& outputs) {
    const bool has_weights = weighted.weights != nullptr;
    if (has_weights && outputs.has_thirds)
      split<true, 3>(values, weighted, anchors, outputs);
    else if (has_weights)
      split<true, 2>(values, weighted, anchors, outputs);
    else if (outputs.has_thirds)
      split<false, 3>(values, weighted, anchors, outputs);
    else
      split<false, 2>(values, weighted, anchors, outputs);
  }

  [[gnu::always_inline]] static inline void run(const WeightedValues& values, const Anchors& anchors,
                                                const SplitOutputs& outputs) {
    if (values.values.floats != nullptr)
      split_all(values.values.floats, values, anchors, outputs);
    else
      split_all(values.values.doubles, values, anchors, outputs);
  }
};

// What all numbers of a block have in common, by their bits: magnitudes are in the order of these, with
// infinity and what is not a number on top.
struct SeenBits {
  std::int64_t largest, smallest, all;
};

template <int kLanes>
struct MeasureMagnitudes {
  using V = Vectors<kLanes>;
  using Integers = typename V::Integers;
  static constexpr std::int64_t kNone = 0x7fffffffffffffff;

  struct Seen {
    Integers largest{}, smallest = Integers{} + kNone, all{};

    [[gnu::always_inline]] inline void add(const typename V::Doubles& values) {
      const Integers magnitude = (Integers)values & V::kMagnitudeBits;
      largest = magnitude > largest ? magnitude : largest;
      const Integers counted = magnitude != 0 ? magnitude : smallest;
      smallest = counted < smallest ? counted : smallest;
      all |= magnitude;
    }
  };

  [[gnu::always_inline]] static inline void run(const std::span<const double>& values,
                                                SeenBits* const& result) {
    constexpr std::size_t kTimes = 2, kStep = kTimes * kLanes;
    Seen seen[kTimes];
    typename V::Doubles value;
    const double* const in = values.data();
    const std::size_t size = values.size(), whole = size / kStep * kStep;
    for (std::size_t i = 0; i < whole; i += kStep)
      for (std::size_t k = 0; k < kTimes; ++k) {
        V::load(in + i + k * kLanes, value);
        seen[k].add(value);
      }
    for (std::size_t i = whole; i < size; i += kLanes) {
      V::load(in + i, std::min<std::size_t>(kLanes, size - i), value);
      seen[0].add(value);
    }
    *result = {0, kNone, 0};
    for (const Seen& each : seen)
      for (int lane = 0; lane < kLanes; ++lane) {
        result->largest = std::max<std::int64_t>(result->largest, each.largest[lane]);
        result->smallest = std::min<std::int64_t>(result->smallest, each.smallest[lane]);
        result->all |= each.all[lane];
      }
  }
};

// The last bit that any of the numbers has; 0 where that is no normal number.
double common_unit(const SeenBits& seen) {
  constexpr int kMantissaBits = 52;
  const std::int64_t mantissas = seen.all & ((std::int64_t{1} << kMantissaBits) - 1);
  const int zeros = mantissas == 0 ? kMantissaBits : std::countr_zero(static_cast<std::uint64_t>(mantissas));
  const std::int64_t exponent = (seen.smallest >> kMantissaBits) - kMantissaBits + zeros;
  return exponent > 0 ? std::bit_cast<double>(exponent << kMantissaBits) : 0.0;
}

}  // namespace

void split_products(const WeightedValues& values, const Anchors& anchors, const SplitOutputs& outputs) {
  run_vector_kernel<AddProducts>(values, anchors, outputs);
}

MagnitudeRange magnitudes_of(const double* values, std::size_t size) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SeenBits seen{};
  run_vector_kernel<MeasureMagnitudes>(std::span(values, size), &seen);
  const auto largest = std::bit_cast<double>(seen.largest);
  if (!(largest < kInfinity)) return {kInfinity, 0, 0};
  if (seen.largest == 0) return {0, kInfinity, kInfinity};
  return {largest, std::bit_cast<double>(seen.smallest), common_unit(seen)};
}

}  // namespace skimline::histograms
