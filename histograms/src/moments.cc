// SPDX-License-Identifier: BSD-3-Clause
#include "moments.h"

#include "vector_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace skimline::histograms {
namespace {

static_assert(kNumParts == SumWindow::kPlaces);

template <typename Real>
struct Range {
  Real low, high;
};

template <typename Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

// MagnitudeRange by their bits, which have the same order; the smallest less one, so that zero is on top.
template <typename Real>
struct Seen {
  BitsOf<Real> num_nan, largest, smallest_less_one;
};

template <typename Real>
struct KeepInside {
  template <int kLanes>
  struct Kernel {
    [[gnu::always_inline]] static inline void run(const std::span<const Real>& values,
                                                  const Range<Real>& range, Real* const& kept,
                                                  Seen<Real>* const& seen) {
      using Bits = BitsOf<Real>;
      constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
      const Real low = range.low, high = range.high;
      const Real* const in = values.data();
      Real* const __restrict out = kept;
      const std::size_t size = values.size();
      // Two loops: gcc vectorises either, but not both in one.
      Bits num_nan = 0, largest = 0, smallest = ~Bits{0};
      for (std::size_t i = 0; i < size; ++i) {
        const Real value = in[i];
        const Real above = value >= low ? value : Real{0};
        out[i] = value < high ? above : Real{0};
        num_nan += value == value ? 0 : 1;
      }
      for (std::size_t i = 0; i < size; ++i) {
        const Bits magnitude = std::bit_cast<Bits>(out[i]) & kMagnitude, less_one = magnitude - 1;
        largest = std::max(largest, magnitude);
        smallest = std::min(smallest, less_one);
      }
      *seen = {num_nan, largest, smallest};
    }
  };
};

// The least number of the type that is not below a limit: numbers of the type compare with both alike.
template <typename Real>
Real least_above(double limit) {
  const auto nearest = static_cast<Real>(limit);
  if (static_cast<double>(nearest) >= limit) return nearest;
  return std::nextafter(nearest, std::numeric_limits<Real>::infinity());
}

template <typename Real>
void keep(const Real* values, std::size_t size, const Range<Real>& range, Real* kept, KeptValues& result) {
  Seen<Real> seen;
  run_vector_kernel<KeepInside<Real>::template Kernel>(std::span(values, size), range, kept, &seen);
  result.num_nan = seen.num_nan;
  result.magnitudes.largest = std::bit_cast<Real>(seen.largest);
  const bool has_any = seen.largest != 0;
  result.magnitudes.smallest =
      has_any ? std::bit_cast<Real>(static_cast<BitsOf<Real>>(seen.smallest_less_one + 1))
              : std::numeric_limits<double>::infinity();
}

Anchors anchors_of(const ExactSum& sum, const ExactSum* sum_squared) {
  Anchors anchors{};
  for (int place = 0; place < kNumParts; ++place) {
    anchors.places[0][place] = sum.window().anchor(place);
    if (sum_squared != nullptr) anchors.places[1][place] = sum_squared->window().anchor(place);
  }
  return anchors;
}

constexpr double kLastBit = 0x1p-53, kLastBitOfFloat = 0x1p-24;

// Whether values and their squares are multiples of the units of two places. The last bit of a float is
// above 2^-24 of it, and the square is exact; that of a double is above 2^-53 of either.
bool fit_two_places(const KeptValues& values, SumWindow window, SumWindow window_squared) {
  const bool are_floats = values.values.floats != nullptr;
  const double smallest = values.magnitudes.smallest;
  const double last_bit = smallest * (are_floats ? kLastBitOfFloat : kLastBit);
  const double last_of_square = last_bit * (are_floats ? last_bit : smallest);
  return last_bit >= window.unit(1) && last_of_square >= window_squared.unit(1);
}

// The same for products, and whether the window takes them.
bool fits_two_places(const MagnitudeRange& products, SumWindow window) {
  return products.largest < std::numeric_limits<double>::max() && SumWindow::of(products.largest) <= window &&
         products.smallest * kLastBit >= window.unit(1);
}

// Adds what is smaller than the parts that were split off.
void add_rests(const BlockSums& sums, const MeasuredProducts& factors, ExactSum& sum, ExactSum* sum_squared) {
  if (!sums.has_rest[0] && !sums.has_rest[1]) return;
  for (std::size_t i = 0; i < factors.size; ++i) {
    const double value = factors.values.values.at(i);
    const double product = factors.weights == nullptr ? value : factors.weights[i] * value;
    if (sums.has_rest[0]) sum.add_rest_of(product);
    if (sums.has_rest[1] && sum_squared != nullptr) sum_squared->add_rest_of(product * value);
  }
}

// Rounding keeps the order of products.
MagnitudeRange times(const MagnitudeRange& left, const MagnitudeRange& right) {
  return {left.largest * right.largest, left.smallest * right.smallest, 0};
}

}  // namespace

KeptValues keep_inside(const Numbers& values, std::size_t size, double low, double high,
                       const KeptNumbers& kept) {
  KeptValues result{};
  if (values.floats != nullptr) {
    keep(values.floats, size, {least_above<float>(low), least_above<float>(high)}, kept.floats, result);
    result.values.floats = kept.floats;
  } else {
    keep(values.doubles, size, {low, high}, kept.doubles, result);
    result.values.doubles = kept.doubles;
  }
  return result;
}

void add_values(const KeptValues& values, std::size_t size, ExactSum& sum, ExactSum& sum_squared) {
  BlockSums sums;
  // Windows that do not take the values are raised.
  sum.takes(values.magnitudes.largest);
  sum_squared.takes(values.magnitudes.largest * values.magnitudes.largest);
  SplitOutputs outputs{nullptr, true, &sums};
  outputs.has_thirds = !fit_two_places(values, sum.window(), sum_squared.window());
  split_products({values.values, nullptr, size}, anchors_of(sum, &sum_squared), outputs);
  sum.add_parts(sums.parts[0]);
  sum_squared.add_parts(sums.parts[1]);
  add_rests(sums, {values, nullptr, {}, size}, sum, &sum_squared);
}

MagnitudeRange add_products(const MeasuredProducts& factors, ExactSum& sum, ExactSum* sum_squared,
                            double* products) {
  const KeptValues& values = factors.values;
  const MagnitudeRange product = times(factors.weight_magnitudes, values.magnitudes);
  BlockSums sums;
  SplitOutputs outputs{products, sum_squared != nullptr, &sums};
  outputs.has_thirds =
      !fits_two_places(product, sum.window()) ||
      (sum_squared != nullptr && !fits_two_places(times(product, values.magnitudes), sum_squared->window()));
  // The windows mostly take what comes; if they do not, the block is split once more on higher ones.
  for (bool is_split = false; !is_split;) {
    split_products({values.values, factors.weights, factors.size}, anchors_of(sum, sum_squared), outputs);
    is_split = true;
    if (!outputs.has_thirds) continue;
    // A product that is infinite can make one that is not a number, whose magnitude is not seen.
    if (!std::isfinite(sums.largest[0])) sums.largest[1] = sums.largest[0];
    is_split = sum.takes(sums.largest[0]);
    if (sum_squared != nullptr) is_split = sum_squared->takes(sums.largest[1]) && is_split;
  }
  sum.add_parts(sums.parts[0]);
  if (sum_squared != nullptr) sum_squared->add_parts(sums.parts[1]);
  add_rests(sums, factors, sum, sum_squared);
  return product;
}

}  // namespace skimline::histograms
