// SPDX-License-Identifier: BSD-3-Clause
#include "sum_cells.h"

#include "split_products.h"
#include "vector_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace skimline::histograms {
namespace {

using FourDoubles = VectorTypes<4>::Doubles;
using FourIntegers = VectorTypes<4>::Integers;
using TwoIntegers = std::int64_t __attribute__((vector_size(16)));

constexpr std::int64_t kHotEnd = std::int64_t{1} << SumCells::kHotBits;

struct CellAnchors {
  double places[SumWindow::kPlaces][kMaxCellSums];
};

struct HotCells {
  std::int64_t* cells;
  std::int32_t first_cell;
};

// What a kernel saw: whether lower parts are left to add, and whether a part has left its range.
struct Left {
  std::uint64_t rest = 0;
  std::uint64_t beyond = 0;
};

// Adds parts to those in memory; the sums also go into `parts`.
template <typename Integers>
[[gnu::always_inline]] inline void add_to(std::int64_t* memory, Integers& parts) {
  Integers sums;
  std::memcpy(&sums, memory, sizeof sums);
  parts += sums;
  std::memcpy(memory, &parts, sizeof parts);
}

template <int kLanes, typename Integers>
std::uint64_t any(const Integers& values) {
  std::uint64_t all = 0;
  for (int lane = 0; lane < kLanes; ++lane) all |= static_cast<std::uint64_t>(values[lane]);
  return all;
}

// Splits terms on the anchors of one place into their parts and the rest.
template <typename Doubles, typename Integers>
[[gnu::always_inline]] inline void split(Doubles& terms, const Doubles& anchor, Integers& parts) {
  const Doubles shifted = terms + anchor;
  terms -= shifted - anchor;
  parts = (Integers)shifted - (Integers)anchor;
}

// A vector of fills at a time, each with its weight and the square. With one place, all are multiples of its
// unit.
template <int kLanes, int kPlaces>
struct AddWeightsIn {
  using Doubles = typename VectorTypes<kLanes>::Doubles;
  using Integers = typename VectorTypes<kLanes>::Integers;
  using CellParts = std::conditional_t<kPlaces == 1, TwoIntegers, FourIntegers>;
  static constexpr std::size_t kHalf = kLanes / 2;

  struct Sums {
    Doubles anchors[2];
    Integers rest;
    CellParts beyond;
    std::int64_t* cells;
  };

  [[gnu::always_inline]] static inline void begin(const HotCells& hot, const CellAnchors& anchors,
                                                  Sums& sums) {
    for (int place = 0; place < 2; ++place)
      for (int lane = 0; lane < kLanes; ++lane) sums.anchors[place][lane] = anchors.places[place][lane % 2];
    sums.cells = hot.cells - std::ptrdiff_t{4} * hot.first_cell;
    sums.rest = Integers{};
    sums.beyond = CellParts{};
  }

  // Weights of half a vector, each followed by its square.
  template <int kFirst>
  [[gnu::always_inline]] static inline void interleave(const Doubles& weights, const Doubles& squares,
                                                       Doubles& terms) {
    constexpr int kSecond = kFirst + kLanes;  // in the second vector
#if __has_builtin(__builtin_shufflevector)
    if constexpr (kLanes == 4)
      terms = __builtin_shufflevector(weights, squares, kFirst, kSecond, kFirst + 1, kSecond + 1);
    else
      terms = __builtin_shufflevector(weights, squares, kFirst, kSecond, kFirst + 1, kSecond + 1, kFirst + 2,
                                      kSecond + 2, kFirst + 3, kSecond + 3);
#else
    for (int i = 0; i < kLanes; ++i)
      terms[i] = i % 2 == 0 ? weights[kFirst + i / 2] : squares[kFirst + i / 2];
#endif
  }

  [[gnu::always_inline]] static inline void add(Doubles& terms, const std::int32_t* cells, std::size_t count,
                                                Sums& sums) {
    Integers high, low{};
    if constexpr (kPlaces == 1) {
      high = (Integers)(terms + sums.anchors[0]) - (Integers)sums.anchors[0];
    } else {
      split(terms, sums.anchors[0], high);
      split(terms, sums.anchors[1], low);
      sums.rest |= (Integers)terms;
    }
    for (std::size_t i = 0; i < kHalf; ++i) {
      if (i >= count) break;
      CellParts sum;
      if constexpr (kPlaces == 1)
        sum = CellParts{high[2 * i], high[2 * i + 1]};
      else
        sum = CellParts{high[2 * i], high[2 * i + 1], low[2 * i], low[2 * i + 1]};
      add_to(sums.cells + std::ptrdiff_t{4} * cells[i], sum);
      sums.beyond |= sum + kHotEnd;
    }
  }

  [[gnu::always_inline]] static inline void add_both(const Doubles& weights, const std::int32_t* cells,
                                                     std::size_t count, Sums& sums) {
    const Doubles squares = weights * weights;
    Doubles terms;
    interleave<0>(weights, squares, terms);
    add(terms, cells, count, sums);
    if (count <= kHalf) return;
    interleave<kHalf>(weights, squares, terms);
    add(terms, cells + kHalf, count - kHalf, sums);
  }

  [[gnu::always_inline]] static inline void run(const FillBlock& block, const HotCells& hot,
                                                const CellAnchors& anchors, Left* const& left) {
    Sums sums;
    begin(hot, anchors, sums);
    Doubles weights;
    const std::size_t whole = block.size / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
      Vectors<kLanes>::load(block.weights + i, weights);
      add_both(weights, block.cells + i, kLanes, sums);
    }
    if (whole < block.size) {
      Vectors<kLanes>::load(block.weights + whole, block.size - whole, weights);
      add_both(weights, block.cells + whole, block.size - whole, sums);
    }
    left->rest = any<kLanes>(sums.rest);
    left->beyond = any<2 * kPlaces>(sums.beyond);
  }
};

template <int kLanes>
using AddWeights = AddWeightsIn<kLanes, 2>;
template <int kLanes>
using AddWholeWeights = AddWeightsIn<kLanes, 1>;

// One fill at a time, with all four sums of a profile.
struct AddValues {
  [[gnu::always_inline]] static inline void run(const FillBlock& block, const HotCells& hot,
                                                const CellAnchors& anchors, Left* const& left) {
    FourDoubles anchor[2];
    for (int place = 0; place < 2; ++place)
      std::memcpy(&anchor[place], anchors.places[place], sizeof(FourDoubles));
    FourIntegers rest{}, beyond{};
    std::int64_t* const memory = hot.cells - std::ptrdiff_t{8} * hot.first_cell;
    const std::size_t size = block.size;
    for (std::size_t i = 0; i < size; ++i) {
      const double weight = block.weights[i];
      FourDoubles terms{weight, weight * weight, block.values[i], block.values_squared[i]};
      std::int64_t* const cell = memory + std::ptrdiff_t{8} * block.cells[i];
      FourIntegers high, low;
      split(terms, anchor[0], high);
      split(terms, anchor[1], low);
      add_to(cell, high);
      add_to(cell + 4, low);
      rest |= (FourIntegers)terms;
      beyond |= (high + kHotEnd) | (low + kHotEnd);
    }
    left->rest = any<4>(rest);
    left->beyond = any<4>(beyond);
  }
};

struct Splitter {
  double first, second;
};

// What the parts in the two higher places leave of terms, or of their squares.
struct FindRests {
  [[gnu::always_inline]] static inline void run(const double* const& terms, const bool& is_squared,
                                                const Splitter& anchors, const std::span<double>& rests) {
    const double* const in = terms;
    double* const __restrict out = rests.data();
    const double first = anchors.first, second = anchors.second;
    const std::size_t size = rests.size();
    for (std::size_t i = 0; i < size; ++i) out[i] = is_squared ? in[i] * in[i] : in[i];
    for (std::size_t i = 0; i < size; ++i) {
      const double rest = out[i] - ((out[i] + first) - first);
      out[i] = rest - ((rest + second) - second);
    }
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
  CellAnchors anchors{};
  for (std::size_t sum = 0; sum < num_sums_; ++sum) {
    raise(sum, block.largest[sum]);
    for (int place = 0; place < SumWindow::kPlaces; ++place)
      anchors.places[place][sum] = windows_[sum].anchor(place);
  }
  Left left;
  if (num_sums_ == 2 && are_whole(block))
    run_vector_kernel<AddWholeWeights>(block, HotCells{hot_, first_cell_}, anchors, &left);
  else if (num_sums_ == 2)
    run_vector_kernel<AddWeights>(block, HotCells{hot_, first_cell_}, anchors, &left);
  else
    run_kernel<AddValues>(block, HotCells{hot_, first_cell_}, anchors, &left);
  if (has_rest(left)) add_lower_parts(block);
  if (has_beyond(left)) cool(block);
}

// Whether weights and their squares are multiples of the units of the highest place.
bool SumCells::are_whole(const FillBlock& block) const {
  const double unit = block.weight_unit;
  return unit >= windows_[kWeight].unit(0) && unit * unit >= windows_[kWeightSquared].unit(0);
}

bool SumCells::has_cold(std::size_t cell) const {
  return std::any_of(cold_.begin(), cold_.end(),
                     [&](const auto& cells) { return cells.second[cell / kColdCells] != nullptr; });
}

void SumCells::add_cold(std::size_t cell, std::size_t sum, int number, Integer128 part) {
  if (part == 0) return;
  std::vector<std::unique_ptr<ColdCells>>& all = cold_[number];
  if (all.empty()) all.resize((num_cells_ + kColdCells - 1) / kColdCells);
  std::unique_ptr<ColdCells>& cells = all[cell / kColdCells];
  if (!cells) cells = std::make_unique<ColdCells>();
  (*cells)[cell % kColdCells][sum] += part;
}

SumParts SumCells::cold(std::size_t cell, std::size_t sum) const {
  SumParts parts;
  for (const auto& [number, all] : cold_)
    if (const auto& cells = all[cell / kColdCells]) parts.add(number, (*cells)[cell % kColdCells][sum]);
  return parts;
}

SumParts SumCells::parts(std::size_t cell, std::size_t sum) const {
  SumParts parts = cold(cell, sum);
  for (int place = 0; place < 2; ++place)
    parts.add(windows_[sum].number() - place,
              hot_[(2 * cell + static_cast<std::size_t>(place)) * num_sums_ + sum]);
  return parts;
}

void SumCells::add_parts(std::size_t cell, std::size_t sum, const SumParts& parts) {
  for (int number = parts.lowest(); number < parts.end(); ++number)
    add_cold(cell, sum, number, parts.of(number));
}

void SumCells::raise(std::size_t sum, double largest) {
  const SumWindow needed = SumWindow::of(largest);
  SumWindow& window = windows_[sum];
  if (needed <= window) return;
  if (!window.is_empty()) move_down(sum, needed.number() - window.number());
  window = needed;
}

// Makes the place `places` above the window the highest.
void SumCells::move_down(std::size_t sum, int places) {
  const int number = windows_[sum].number();
  for (std::size_t cell = 0; cell < num_cells_; ++cell) {
    std::int64_t& high = hot_[2 * cell * num_sums_ + sum];
    std::int64_t& low = hot_[(2 * cell + 1) * num_sums_ + sum];
    // Cells that nothing was filled into keep their memory untouched.
    if (high == 0 && low == 0) continue;
    add_cold(cell, sum, number - 1, low);
    low = places == 1 ? high : 0;
    if (places > 1) add_cold(cell, sum, number, high);
    high = 0;
  }
}

void SumCells::add_lower_parts(const FillBlock& block) {
  const double* const terms[kMaxCellSums] = {block.weights, nullptr, block.values, block.values_squared};
  std::array<double, kMaxBlock> rests;
  for (std::size_t sum = 0; sum < num_sums_; ++sum) {
    const SumWindow window = windows_[sum];
    run_kernel<FindRests>(sum == kWeightSquared ? block.weights : terms[sum], sum == kWeightSquared,
                          Splitter{window.anchor(0), window.anchor(1)},
                          std::span<double>(rests.data(), block.size));
    for (std::size_t i = 0; i < block.size; ++i)
      if (rests[i] != 0) add_rest(local(block.cells[i]), sum, rests[i]);
  }
}

// Adds what the two highest places leave of a term.
void SumCells::add_rest(std::size_t cell, std::size_t sum, double rest) {
  const SumWindow window = SumWindow::of(std::fabs(rest));
  for (int place = 0; rest != 0 && window.number() - place >= SumParts::kLowest; ++place)
    add_cold(cell, sum, window.number() - place, split_off(rest, window.anchor(place)));
}

void SumCells::cool(const FillBlock& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    const std::size_t cell = local(block.cells[i]);
    const std::int64_t* const parts = hot_ + 2 * cell * num_sums_;
    if (!std::all_of(parts, parts + 2 * num_sums_, is_hot)) cool(cell);
  }
}

void SumCells::cool(std::size_t cell) {
  std::int64_t* const parts = hot_ + 2 * cell * num_sums_;
  for (std::size_t place = 0; place < 2; ++place)
    for (std::size_t sum = 0; sum < num_sums_; ++sum)
      add_cold(cell, sum, windows_[sum].number() - static_cast<int>(place),
               std::exchange(parts[place * num_sums_ + sum], 0));
}

}  // namespace skimline::histograms
