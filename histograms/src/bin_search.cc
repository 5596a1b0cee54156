// SPDX-License-Identifier: BSD-3-Clause
#include "bin_search.h"

#include "vector_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace skimline::histograms {
namespace {

constexpr std::size_t kPartsPerBin = 16;
constexpr std::size_t kMaxParts = 1 << 16;
// Up to this many steps from the first bin of a part, stepping beats bisection.
constexpr std::int32_t kMaxSteps = 4;

// Edges differ by so much that every value has one bin, whichever way its first guess is rounded.
bool are_well_apart(const RegularEdges& edges) {
  const double farthest = std::max(std::fabs(edges.low), std::fabs(edges.high));
  const double spacing = std::nextafter(farthest, std::numeric_limits<double>::infinity()) - farthest;
  return edges.width() >= 4 * spacing && std::isfinite(edges.bins / (edges.high - edges.low));
}

// The margin is what the guess can be off by, in bins: three roundings of a number up to bins + 2, and that
// of where cells begin, at most the farther end plus a width; with ample room for the edges' own roundings,
// which are those of doubles.
template <typename Real>
BinGuess<Real> guess_for(const RegularEdges& edges) {
  using Limits = std::numeric_limits<Real>;
  constexpr double kWidestMargin = 0x1p-8;
  const double width = edges.width(), begin = edges.low - width, per_unit = 1 / width;
  const double farthest = std::max(std::fabs(edges.low), std::fabs(edges.high)) + width;
  const double margin = 4.0 * Limits::epsilon() * (edges.bins + 2 + farthest / width);
  const bool is_of_use = are_well_apart(edges) && margin <= kWidestMargin && farthest <= Limits::max() &&
                         per_unit >= Limits::min() && per_unit <= Limits::max();
  if (!is_of_use) return {};
  return {true, static_cast<Real>(begin), static_cast<Real>(per_unit), static_cast<Real>(edges.bins + 1.5),
          static_cast<Real>(0.5 - margin)};
}

struct IntegerEdges {
  double low, high;
};

// The first guess may be off by one beside an edge; comparing with the edges low + k * width settles it.
// Written with doubles throughout, so that it vectorises.
template <bool kDivides>
struct SearchByEdges {
  double low, high, bins, width, range, bins_per_unit;

  [[gnu::always_inline]] explicit SearchByEdges(const RegularEdges& edges)
      : low(edges.low),
        high(edges.high),
        bins(edges.bins),
        width(edges.width()),
        range(high - low),
        bins_per_unit(bins / range) {}

  [[gnu::always_inline]] inline std::int32_t cell(double x) const {
    double guess = kDivides ? bins * (x - low) / range : (x - low) * bins_per_unit;
    guess = guess > 0 ? guess : 0;
    guess = guess < bins ? guess : bins;
    const double bin = static_cast<double>(static_cast<std::int32_t>(guess));
    const double up = x >= low + (bin + 1) * width ? 1.0 : 0.0;
    const double down = x < low + bin * width ? 1.0 : 0.0;
    double cell = bin + up - down + 1;
    cell = x < high ? cell : bins + 1;
    cell = x < low ? 0.0 : cell;
    return static_cast<std::int32_t>(cell);
  }

  template <typename Real>
  [[gnu::always_inline]] inline void find(const Real* values, std::size_t size, std::int32_t* cells) const {
    const SearchByEdges search = *this;
    std::int32_t* const __restrict out = cells;
    for (std::size_t i = 0; i < size; ++i) out[i] = search.cell(static_cast<double>(values[i]));
  }
};

template <int kLanes, bool kDivides>
struct RegularSearch {
  [[gnu::always_inline]] static inline void run(const RegularEdges& edges,
                                                const std::span<const double>& values,
                                                std::int32_t* const& cells) {
    SearchByEdges<kDivides>(edges).find(values.data(), values.size(), cells);
  }
};

template <int kLanes>
using MultiplyingSearch = RegularSearch<kLanes, false>;
template <int kLanes>
using DividingSearch = RegularSearch<kLanes, true>;

// Edges are looked at only where some guess of a group of values is too near to one.
template <int kLanes, typename Real>
struct GuessingSearch {
  static constexpr std::size_t kGroup = 64;

  // Returns whether a guess is too near to an edge.
  [[gnu::always_inline]] static inline bool guess_group(const BinGuess<Real>& guess, const Real* values,
                                                        std::int32_t* __restrict cells) {
    using Flag = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    Flag is_near = 0;
    for (std::size_t i = 0; i < kGroup; ++i) {
      Real position = (values[i] - guess.begin) * guess.bins_per_unit;
      // NaN is overflow, too. Flow cells are not near to an edge in their middle.
      position = position < guess.highest ? position : guess.highest;
      position = position > Real{0.5} ? position : Real{0.5};
      cells[i] = static_cast<std::int32_t>(position);
      const Real off_middle = std::fabs(position - static_cast<Real>(cells[i]) - Real{0.5});
      is_near |= off_middle > guess.farthest_off_middle ? 1 : 0;
    }
    return is_near != 0;
  }

  [[gnu::always_inline]] static inline void run(const RegularEdges& edges, const BinGuess<Real>& guess,
                                                const std::span<const Real>& values,
                                                std::int32_t* const& cells) {
    const SearchByEdges<false> search(edges);
    const BinGuess<Real> own = guess;
    const Real* const in = values.data();
    std::int32_t* const out = cells;
    const std::size_t size = values.size(), whole = size / kGroup * kGroup;
    for (std::size_t first = 0; first < whole; first += kGroup)
      if (guess_group(own, in + first, out + first)) search.find(in + first, kGroup, out + first);
    search.find(in + whole, size - whole, out + whole);
  }
};

template <int kLanes>
using GuessingFloats = GuessingSearch<kLanes, float>;
template <int kLanes>
using GuessingDoubles = GuessingSearch<kLanes, double>;

template <int kLanes>
struct IntegerSearch {
  [[gnu::always_inline]] static inline void run(const IntegerEdges& edges,
                                                const std::span<const double>& values,
                                                std::int32_t* const& cells) {
    const double low = edges.low, high = edges.high, num_bins = high - low;
    std::int32_t* const __restrict out = cells;
    const double* const in = values.data();
    const std::size_t size = values.size();
    for (std::size_t i = 0; i < size; ++i) {
      const double x = in[i];
      double inside = x >= low ? x : low;
      inside = x < high ? inside : low;
      // Not below 0, where truncation is rounding down: both are integers up to 2^32, and differ exactly
      // only if x is not tiny beside low. The comparison settles what rounding moved up.
      const double bin = static_cast<double>(static_cast<std::int32_t>(inside - low));
      double cell = bin + 1 - (inside < low + bin ? 1.0 : 0.0);
      cell = x < high ? cell : num_bins + 1;
      cell = x < low ? 0.0 : cell;
      out[i] = static_cast<std::int32_t>(cell);
    }
  }
};

struct MoveIntoRange {
  [[gnu::always_inline]] static inline void run(const std::span<const double>& values, const double& low,
                                                const double& high, double* const& moved) {
    const double from = low, to = high, length = high - low;
    double* const __restrict out = moved;
    const double* const in = values.data();
    const std::size_t size = values.size();
    for (std::size_t i = 0; i < size; ++i) {
      const double x = in[i] - std::floor((in[i] - from) / length) * length;
      // Rounding may end at or beyond either limit, which are the same place.
      const double below = x < to ? x : from;
      // NaN stays what it is; either infinity becomes the one that is overflow.
      out[i] = x != x ? std::fabs(in[i]) : (below >= from ? below : from);
    }
  }
};

}  // namespace

RegularBins::RegularBins(int count, double low, double high)
    : edges_{low, high, static_cast<double>(count)},
      are_well_apart_(are_well_apart(edges_)),
      double_guess_(guess_for<double>(edges_)),
      float_guess_(guess_for<float>(edges_)) {}

void RegularBins::index(std::span<const double> values, std::int32_t* cells) const {
  if (double_guess_.is_of_use)
    run_vector_kernel<GuessingDoubles>(edges_, double_guess_, values, cells);
  else if (are_well_apart_)
    run_vector_kernel<MultiplyingSearch>(edges_, values, cells);
  else
    run_vector_kernel<DividingSearch>(edges_, values, cells);
}

void RegularBins::index(std::span<const float> values, std::int32_t* cells) const {
  if (float_guess_.is_of_use)
    run_vector_kernel<GuessingFloats>(edges_, float_guess_, values, cells);
  else
    AxisBins::index(values, cells);
}

void IntegerBins::index(std::span<const double> values, std::int32_t* cells) const {
  run_vector_kernel<IntegerSearch>(IntegerEdges{low_, high_}, values, cells);
}

BinTable::BinTable(std::vector<double> edges) : edges_(std::move(edges)) {
  const auto num_bins = static_cast<std::int32_t>(edges_.size()) - 1;
  const double low = edges_.front(), high = edges_.back();
  const std::size_t parts = std::min(kMaxParts, kPartsPerBin * static_cast<std::size_t>(num_bins));
  const double width = (high - low) / static_cast<double>(parts);
  parts_per_unit_ = std::isfinite(1 / width) && std::isfinite(high - low) ? 1 / width : 0;
  // Part p may hold values from one part earlier: rounding can move a value by one part.
  for (std::size_t part = 0; part < parts + 2; ++part) {
    const double lowest = low + (static_cast<double>(part) - 1) * width;
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), lowest);
    const auto bin = parts_per_unit_ > 0 ? above - edges_.begin() - 1 : 0;
    first_bin_.push_back(static_cast<std::int32_t>(std::clamp<std::ptrdiff_t>(bin, 0, num_bins - 1)));
  }
  std::int32_t steps = 0;
  for (std::size_t part = 0; part < parts + 2; ++part) {
    const std::int32_t last = part + 3 < parts + 2 ? first_bin_[part + 3] : num_bins - 1;
    steps = std::max(steps, last - first_bin_[part]);
  }
  if (parts_per_unit_ > 0 && steps <= kMaxSteps) max_steps_ = steps;
}

void BinTable::index(std::span<const double> values, std::int32_t* cells) const {
  const double* edges = edges_.data();
  const std::int32_t* first_bins = first_bin_.data();
  const double low = edges_.front(), high = edges_.back(), parts_per_unit = parts_per_unit_;
  const std::int32_t overflow = static_cast<std::int32_t>(edges_.size()), max_steps = max_steps_;
  if (max_steps < 0) return bisect(values, cells);
  // Without branches: for values of random order they would be mispredicted.
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    double inside = x >= low ? x : low;
    inside = x < high ? inside : low;
    std::int32_t bin = first_bins[static_cast<std::int64_t>((inside - low) * parts_per_unit)];
    for (std::int32_t step = 0; step < max_steps; ++step) bin += inside >= edges[bin + 1] ? 1 : 0;
    std::int32_t cell = x < high ? bin + 1 : overflow;
    cells[i] = x < low ? 0 : cell;
  }
}

void BinTable::bisect(std::span<const double> values, std::int32_t* cells) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), x) - edges_.begin();
    cells[i] =
        x < edges_.back() ? static_cast<std::int32_t>(above) : static_cast<std::int32_t>(edges_.size());
  }
}

void move_into_range(std::span<const double> values, double low, double high, double* moved) {
  run_kernel<MoveIntoRange>(values, low, high, moved);
}

}  // namespace skimline::histograms
