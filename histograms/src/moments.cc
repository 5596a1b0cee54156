// SPDX-License-Identifier: BSD-3-Clause
#include "moments.h"

#include "vector_kernel.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace skimline::histograms {
namespace {

constexpr int kPlaces = SumWindow::kPlaces;

// Parts of the products of a block, and the largest magnitudes among them.
struct BlockSums {
  std::array<std::int64_t, kPlaces> parts[2];
  double largest[2] = {0, 0};
};

struct Anchors {
  double places[2][kPlaces];
};

struct Outputs {
  double* products;
  bool has_squares;
  BlockSums* sums;
};

template <int kLanes>
struct AddProducts {
  using V = Vectors<kLanes>;
  using Doubles = typename V::Doubles;
  using Bits = typename VectorTypes<kLanes>::Bits;

  // Sums of the bits of values shifted by an anchor; what wraps around goes with the anchors' bits.
  struct Split {
    Doubles anchors[kPlaces];
    Bits sums[kPlaces];
    Doubles largest;

    [[gnu::always_inline]] inline void begin(const double* places) {
      for (int place = 0; place < kPlaces; ++place) {
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
      for (int place = 0; place < kPlaces; ++place) {
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
                                                const Outputs& outputs) {
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
  for (int place = 0; place < kPlaces; ++place) {
    anchors.places[0][place] = sum.window().anchor(place);
    if (sum_squared != nullptr) anchors.places[1][place] = sum_squared->window().anchor(place);
  }
  return anchors;
}

}  // namespace

void add_products(const WeightedValues& values, ExactSum& sum, ExactSum* sum_squared, double* products) {
  BlockSums sums;
  const Outputs outputs{products, sum_squared != nullptr, &sums};
  // The windows mostly take what comes; if they do not, the block is split once more on higher ones.
  for (bool is_split = false; !is_split;) {
    run_vector_kernel<AddProducts>(values, anchors_of(sum, sum_squared), outputs);
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
