// SPDX-License-Identifier: BSD-3-Clause
#include "fill.h"

#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace skimline::histograms {
namespace {

constexpr std::size_t kBlock = 1024;

// The values of one block as doubles, and the cells they fall into. Columns of doubles are not copied.
struct Block {
  std::size_t size = 0;
  const double* values = nullptr;
  const double* weights = nullptr;  // null if unweighted
  double value_copies[kBlock];
  double weight_copies[kBlock];
  std::int32_t cells[kBlock];
};

const double* read_doubles(const ColumnView& column, std::size_t first, std::size_t count, double* copies) {
  if (column.type.scalar == ScalarType::kDouble && !column.is_constant) return column.data<double>() + first;
  visit_scalar(column.type.scalar, [&](auto tag) {
    const auto* values = column.data<typename decltype(tag)::type>();
    if (column.is_constant)
      std::fill_n(copies, count, static_cast<double>(*values));
    else
      for (std::size_t i = 0; i < count; ++i) copies[i] = static_cast<double>(values[first + i]);
  });
  return copies;
}

struct CountAccepted {
  [[gnu::always_inline]] static inline void run(const std::span<const double>& weights,
                                                std::size_t* const& result) {
    const double* const in = weights.data();
    const std::size_t size = weights.size();
    std::size_t num_accepted = 0;
    for (std::size_t i = 0; i < size; ++i) num_accepted += std::fabs(in[i]) < SumWindow::kLimit ? 1 : 0;
    *result = num_accepted;
  }
};

// Index of the first weight that cannot be added, or -1.
std::ptrdiff_t first_refused(std::span<const double> weights) {
  std::size_t num_accepted = 0;
  run_kernel<CountAccepted>(weights, &num_accepted);
  if (num_accepted == weights.size()) return -1;
  return std::find_if_not(weights.begin(), weights.end(),
                          [](double weight) { return std::fabs(weight) < SumWindow::kLimit; }) -
         weights.begin();
}

void count_cells(const Block& block, std::uint64_t* counts) {
  for (std::size_t i = 0; i < block.size; ++i) ++counts[block.cells[i]];
}

// Makes the window of a sum take values up to `magnitude`; the parts of all cells move along.
void raise_window(SumWindow& window, double magnitude, std::span<WeightedCell> cells, WeightedCell::Sum sum) {
  const SumWindow needed = SumWindow::of(magnitude);
  if (needed <= window) return;
  const int places = needed.places_above(window);
  if (!window.is_empty())
    for (WeightedCell& cell : cells) cell.set_sum(sum, moved_down(cell.sum(sum), places));
  window = needed;
}

using Doubles = double __attribute__((vector_size(32)));
using Integers = std::int64_t __attribute__((vector_size(32)));

// Two fills at a time, each with its weight and the square: what SumWindow::Splitter does, in four lanes.
struct AddWeights {
  [[gnu::always_inline]] static inline void run(const Block& block, WeightedCell* const& cells,
                                                const SumWindow::Splitter& split,
                                                const SumWindow::Splitter& split_squared) {
    Doubles anchors[3];
    for (int place = 0; place < 3; ++place) {
      const double weight = split.anchor(place), squared = split_squared.anchor(place);
      anchors[place] = Doubles{weight, squared, weight, squared};
    }
    for (std::size_t i = 0; i < block.size; i += 2) {
      const bool is_pair = i + 1 < block.size;
      const double first = block.weights[i], second = is_pair ? block.weights[i + 1] : 0.0;
      Doubles rest{first, first * first, second, second * second};
      WeightedCell& first_cell = cells[block.cells[i]];
      WeightedCell& second_cell = cells[block.cells[is_pair ? i + 1 : i]];
      for (int place = 0; place < 3; ++place) {
        const Doubles shifted = rest + anchors[place];
        const Integers parts = (Integers)shifted - (Integers)anchors[place];
        rest -= shifted - anchors[place];
        first_cell.parts[place][0] += parts[0];
        first_cell.parts[place][1] += parts[1];
        second_cell.parts[place][0] += parts[2];
        second_cell.parts[place][1] += parts[3];
      }
    }
  }
};

void add_weights(const Block& block, std::span<WeightedCell> cells, Moments& moments) {
  const double largest = largest_magnitude({block.weights, block.size});
  raise_window(moments.windows[0], largest, cells, WeightedCell::kWeight);
  raise_window(moments.windows[1], largest * largest, cells, WeightedCell::kWeightSquared);
  run_kernel<AddWeights>(block, cells.data(), SumWindow::Splitter(moments.windows[0]),
                         SumWindow::Splitter(moments.windows[1]));
}

// w x and w x^2 of the fills inside the range; 0 outside, which leaves sums unchanged.
struct Products {
  double first[kBlock], second[kBlock];
  std::int64_t num_nan = 0;
};

struct MultiplyInRange {
  [[gnu::always_inline]] static inline void run(const Block& block, const double& low, const double& high,
                                                Products* const& products) {
    std::int64_t num_nan = 0;
    double* const __restrict first = products->first;
    double* const __restrict second = products->second;
    const double* const values = block.values;
    const double* const weights = block.weights;
    const double from = low, to = high;
    const std::size_t size = block.size;
    for (std::size_t i = 0; i < size; ++i) {
      const double x = values[i];
      const double above = x >= from ? x : 0.0;
      first[i] = x < to ? above : 0.0;
      num_nan += x == x ? 0 : 1;
    }
    if (weights != nullptr) {
      for (std::size_t i = 0; i < size; ++i) {
        const double x = first[i], product = weights[i] * x;
        first[i] = product;
        second[i] = product * x;
      }
    } else {
      for (std::size_t i = 0; i < size; ++i) second[i] = first[i] * first[i];
    }
    products->num_nan = num_nan;
  }
};

void add_moments(const Block& block, const Axis& axis, Moments& moments) {
  Products products;
  run_kernel<MultiplyInRange>(block, axis.low(), axis.high(), &products);
  moments.entries += block.size;
  moments.num_nan += static_cast<std::uint64_t>(products.num_nan);
  moments.sum_weights_x.add({products.first, block.size});
  moments.sum_weights_x_squared.add({products.second, block.size});
}

}  // namespace

std::ptrdiff_t fill_histogram(Arena& arena, std::size_t id, const HistogramSpec& spec,
                              const ColumnView& values, const std::optional<ColumnView>& weights) {
  Block block;
  Moments& moments = arena.moments(id);
  for (std::size_t first = 0; first < values.length; first += block.size) {
    block.size = std::min(kBlock, values.length - first);
    block.values = read_doubles(values, first, block.size, block.value_copies);
    spec.axis.index({block.values, block.size}, block.cells);
    if (spec.is_weighted) {
      block.weights = read_doubles(*weights, first, block.size, block.weight_copies);
      const std::ptrdiff_t refused = first_refused({block.weights, block.size});
      if (refused >= 0) return static_cast<std::ptrdiff_t>(first) + refused;
      add_weights(block, {arena.weighted(id), spec.axis.num_cells()}, moments);
    } else {
      count_cells(block, arena.counts(id));
    }
    add_moments(block, spec.axis, moments);
  }
  return -1;
}

}  // namespace skimline::histograms
