// SPDX-License-Identifier: BSD-3-Clause
#include "sum_cells.h"

#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace skimline::histograms {
namespace {

using Doubles = double __attribute__((vector_size(32)));
using Integers = std::int64_t __attribute__((vector_size(32)));

constexpr std::int64_t kHotEnd = std::int64_t{1} << SumCells::kHotBits;

struct Anchors {
  double places[SumWindow::kPlaces][kMaxCellSums];
};

struct HotCells {
  std::int64_t* cells;
  std::int32_t first_cell;
};

// What a kernel saw: whether third parts are left to add, and whether a part has left its range.
struct Left {
  std::uint64_t rest = 0;
  std::uint64_t beyond = 0;
};

// Adds parts to those in memory; the sums also go into `parts`.
[[gnu::always_inline]] inline void add_to(std::int64_t* memory, Integers& parts) {
  Integers sums;
  std::memcpy(&sums, memory, sizeof sums);
  parts += sums;
  std::memcpy(memory, &parts, sizeof parts);
}

std::uint64_t any(const Integers& values) {
  return static_cast<std::uint64_t>(values[0] | values[1] | values[2] | values[3]);
}

// Splits terms on the anchors of one place into their parts and the rest.
[[gnu::always_inline]] inline void split(Doubles& terms, const Doubles& anchor, Integers& parts) {
  const Doubles shifted = terms + anchor;
  terms -= shifted - anchor;
  parts = (Integers)shifted - (Integers)anchor;
}

// Two fills at a time, each with its weight and the square.
struct AddWeights {
  [[gnu::always_inline]] static inline void run(const FillBlock& block, const HotCells& hot,
                                                const Anchors& anchors, Left* const& left) {
    Doubles anchor[2];
    for (int place = 0; place < 2; ++place) {
      const double* const by_sum = anchors.places[place];
      anchor[place] = Doubles{by_sum[0], by_sum[1], by_sum[0], by_sum[1]};
    }
    const Integers end{kHotEnd, kHotEnd, kHotEnd, kHotEnd};
    Integers rest{}, beyond{};
    const std::int32_t* const cells = block.cells;
    const double* const weights = block.weights;
    const std::size_t size = block.size;
    std::int64_t* const memory = hot.cells - std::ptrdiff_t{4} * hot.first_cell;
    std::size_t i = 0;
    for (; i + 1 < size; i += 2) {
      const double first = weights[i], second = weights[i + 1];
      Doubles terms{first, first * first, second, second * second};
      Integers high, low;
      split(terms, anchor[0], high);
      split(terms, anchor[1], low);
      rest |= (Integers)terms;
      Integers first_sum{high[0], high[1], low[0], low[1]};
      add_to(memory + std::ptrdiff_t{4} * cells[i], first_sum);
      Integers second_sum{high[2], high[3], low[2], low[3]};
      add_to(memory + std::ptrdiff_t{4} * cells[i + 1], second_sum);
      beyond |= (first_sum + end) | (second_sum + end);
    }
    if (i < size) {
      const double weight = weights[i];
      Doubles terms{weight, weight * weight, 0, 0};
      Integers high, low;
      split(terms, anchor[0], high);
      split(terms, anchor[1], low);
      rest |= (Integers)terms;
      Integers sum{high[0], high[1], low[0], low[1]};
      add_to(memory + std::ptrdiff_t{4} * cells[i], sum);
      beyond |= sum + end;
    }
    left->rest = any(rest);
    left->beyond = any(beyond);
  }
};

// One fill at a time, with all four sums of a profile.
struct AddValues {
  [[gnu::always_inline]] static inline void run(const FillBlock& block, const HotCells& hot,
                                                const Anchors& anchors, Left* const& left) {
    Doubles anchor[2];
    for (int place = 0; place < 2; ++place)
      std::memcpy(&anchor[place], anchors.places[place], sizeof(Doubles));
    const Integers end{kHotEnd, kHotEnd, kHotEnd, kHotEnd};
    Integers rest{}, beyond{};
    std::int64_t* const memory = hot.cells - std::ptrdiff_t{8} * hot.first_cell;
    const std::size_t size = block.size;
    for (std::size_t i = 0; i < size; ++i) {
      const double weight = block.weights[i];
      Doubles terms{weight, weight * weight, block.values[i], block.values_squared[i]};
      std::int64_t* const cell = memory + std::ptrdiff_t{8} * block.cells[i];
      Integers high, low;
      split(terms, anchor[0], high);
      split(terms, anchor[1], low);
      add_to(cell, high);
      add_to(cell + 4, low);
      rest |= (Integers)terms;
      beyond |= (high + end) | (low + end);
    }
    left->rest = any(rest);
    left->beyond = any(beyond);
  }
};

// Signs of zeros are no rest, and numbers from -kHotEnd to kHotEnd - 1 are in range.
bool has_rest(const Left& left) { return (left.rest << 1) != 0; }
bool has_beyond(const Left& left) { return (left.beyond >> (SumCells::kHotBits + 1)) != 0; }

bool is_hot(std::int64_t part) { return part >= -kHotEnd && part < kHotEnd; }

}  // namespace

SumCells::SumCells(std::int64_t* memory, std::int32_t first_cell, std::size_t num_cells, std::size_t num_sums)
    : hot_(memory), first_cell_(first_cell), num_cells_(num_cells), num_sums_(num_sums) {}

void SumCells::add(const FillBlock& block) {
  Anchors anchors{};
  for (std::size_t sum = 0; sum < num_sums_; ++sum) {
    raise(sum, block.largest[sum]);
    for (int place = 0; place < SumWindow::kPlaces; ++place)
      anchors.places[place][sum] = windows_[sum].anchor(place);
  }
  Left left;
  if (num_sums_ == 2)
    run_kernel<AddWeights>(block, HotCells{hot_, first_cell_}, anchors, &left);
  else
    run_kernel<AddValues>(block, HotCells{hot_, first_cell_}, anchors, &left);
  if (has_rest(left)) add_third_parts(block);
  if (has_beyond(left)) cool(block);
}

SumCells::ColdCell& SumCells::cold_cell(std::size_t cell) {
  if (cold_.empty()) cold_.resize((num_cells_ + kColdCells - 1) / kColdCells);
  std::unique_ptr<ColdCells>& cells = cold_[cell / kColdCells];
  if (!cells) cells = std::make_unique<ColdCells>();
  return (*cells)[cell % kColdCells];
}

SumParts SumCells::cold(std::size_t cell, std::size_t sum) const {
  return (*cold_[cell / kColdCells])[cell % kColdCells][sum];
}

SumParts SumCells::parts(std::size_t cell, std::size_t sum) const {
  SumParts parts{};
  if (has_cold(cell)) parts = cold(cell, sum);
  for (std::size_t place = 0; place < 2; ++place) parts[place] += hot_[(2 * cell + place) * num_sums_ + sum];
  return parts;
}

void SumCells::add_parts(std::size_t cell, std::size_t sum, const SumParts& parts) {
  ColdCell& cold = cold_cell(cell);
  for (std::size_t place = 0; place < parts.size(); ++place) cold[sum][place] += parts[place];
}

void SumCells::raise(std::size_t sum, double largest) {
  const SumWindow needed = SumWindow::of(largest);
  SumWindow& window = windows_[sum];
  if (needed <= window) return;
  if (!window.is_empty()) move_down(sum, needed.places_above(window));
  window = needed;
}

void SumCells::move_down(std::size_t sum, int places) {
  for (std::size_t cell = 0; cell < num_cells_; ++cell) {
    std::int64_t& high = hot_[2 * cell * num_sums_ + sum];
    std::int64_t& low = hot_[(2 * cell + 1) * num_sums_ + sum];
    // Cells that nothing was filled into keep their memory untouched.
    if (!has_cold(cell) && high == 0 && low == 0) continue;
    const SumParts moved = moved_down(parts(cell, sum), places);
    const bool stays_hot = !has_cold(cell) && moved[2] == 0;
    high = 0;
    low = stays_hot ? static_cast<std::int64_t>(moved[1]) : 0;
    if (!stays_hot) cold_cell(cell)[sum] = moved;
  }
}

void SumCells::add_third_parts(const FillBlock& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const double weight = block.weights[i];
    double terms[kMaxCellSums] = {weight, weight * weight, 0, 0};
    if (num_sums_ == kMaxCellSums) {
      terms[kWeightedValue] = block.values[i];
      terms[kWeightedValueSquared] = block.values_squared[i];
    }
    for (std::size_t sum = 0; sum < num_sums_; ++sum) {
      double rest = terms[sum];
      for (int place = 0; place < 2; ++place) {
        const double anchor = windows_[sum].anchor(place);
        rest -= (rest + anchor) - anchor;
      }
      if (rest == 0) continue;
      const double anchor = windows_[sum].anchor(2);
      cold_cell(local(block.cells[i]))[sum][2] +=
          std::bit_cast<std::int64_t>(rest + anchor) - std::bit_cast<std::int64_t>(anchor);
    }
  }
}

void SumCells::cool(const FillBlock& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const std::size_t cell = local(block.cells[i]);
    const std::int64_t* const parts = hot_ + 2 * cell * num_sums_;
    if (!std::all_of(parts, parts + 2 * num_sums_, is_hot)) cool(cell);
  }
}

void SumCells::cool(std::size_t cell) {
  ColdCell& cold = cold_cell(cell);
  std::int64_t* const parts = hot_ + 2 * cell * num_sums_;
  for (std::size_t place = 0; place < 2; ++place)
    for (std::size_t sum = 0; sum < num_sums_; ++sum) {
      cold[sum][place] += parts[place * num_sums_ + sum];
      parts[place * num_sums_ + sum] = 0;
    }
}

}  // namespace skimline::histograms
