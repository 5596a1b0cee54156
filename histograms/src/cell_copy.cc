// SPDX-License-Identifier: BSD-3-Clause
#include "cell_copy.h"

#include <algorithm>
#include <array>
#include <bit>

namespace skimline::histograms {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kMaxStripes = 64;
// Stripes must not share cache lines, nor be so short that locking them costs more than filling.
constexpr std::size_t kMinStripe = 256;

// Cells of a copy of so many are counted several times, so that fills of one cell in a row do not wait for
// each other.
constexpr std::size_t kFewCells = 256;

void count_cells(std::uint64_t* counts, const FillBlock& block) {
  for (std::size_t i = 0; i < block.size; ++i) ++counts[block.cells[i]];
}

void count_few_cells(std::uint64_t* counts, std::size_t num_cells, const FillBlock& block) {
  constexpr std::size_t kTimes = 4;
  std::array<std::uint32_t, kTimes * kFewCells> own;
  std::fill_n(own.begin(), kTimes * num_cells, 0);
  std::uint32_t* const first = own.data();
  std::uint32_t* const second = first + num_cells;
  std::uint32_t* const third = second + num_cells;
  std::uint32_t* const fourth = third + num_cells;
  const std::size_t whole = block.size / kTimes * kTimes;
  for (std::size_t i = 0; i < whole; i += kTimes) {
    ++first[block.cells[i]];
    ++second[block.cells[i + 1]];
    ++third[block.cells[i + 2]];
    ++fourth[block.cells[i + 3]];
  }
  for (std::size_t i = whole; i < block.size; ++i) ++first[block.cells[i]];
  for (std::size_t i = 0; i < num_cells; ++i)
    counts[i] += std::uint64_t{first[i]} + second[i] + third[i] + fourth[i];
}

int stripe_shift(std::size_t num_cells) {
  const std::size_t least = std::max((num_cells + kMaxStripes - 1) / kMaxStripes, kMinStripe);
  return static_cast<int>(std::bit_width(least - 1));
}

// The fills of a block in the order of their stripes.
struct SortedBlock {
  std::array<std::uint32_t, kMaxStripes + 1> begin{};  // of each stripe's fills
  std::array<std::int32_t, SumCells::kMaxBlock> cells;
  std::array<double, SumCells::kMaxBlock> weights, values, values_squared;

  SortedBlock(const FillBlock& block, int shift) {
    for (std::size_t i = 0; i < block.size; ++i) ++begin[stripe(block.cells[i], shift) + 1];
    for (std::size_t i = 0; i < kMaxStripes; ++i) begin[i + 1] += begin[i];
    std::array<std::uint32_t, kMaxStripes> next;
    std::copy_n(begin.begin(), kMaxStripes, next.begin());
    for (std::size_t i = 0; i < block.size; ++i) {
      const std::uint32_t to = next[stripe(block.cells[i], shift)]++;
      cells[to] = block.cells[i];
      if (block.weights != nullptr) weights[to] = block.weights[i];
      if (block.values == nullptr) continue;
      values[to] = block.values[i];
      values_squared[to] = block.values_squared[i];
    }
  }

  FillBlock of_stripe(std::size_t stripe, const FillBlock& block) const {
    const std::size_t first = begin[stripe];
    return {.cells = cells.data() + first,
            .weights = weights.data() + first,
            .values = values.data() + first,
            .values_squared = values_squared.data() + first,
            .size = begin[stripe + 1] - first,
            .largest = block.largest,
            .weight_unit = block.weight_unit};
  }

  static std::size_t stripe(std::int32_t cell, int shift) { return static_cast<std::size_t>(cell) >> shift; }
};

}  // namespace

std::size_t cell_bytes(const HistogramSpec& spec, std::size_t num_cells) {
  const std::size_t bytes = has_weights(spec.storage) ? SumCells::bytes(num_cells, num_sums(spec.storage))
                                                      : num_cells * sizeof(std::uint64_t);
  return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
}

CellCopy::CellCopy(const HistogramSpec& spec, std::size_t num_cells, std::byte* memory, bool is_shared)
    : memory_(memory),
      num_cells_(num_cells),
      is_shared_(is_shared),
      shift_(is_shared ? stripe_shift(num_cells) : static_cast<int>(std::bit_width(num_cells))) {
  const std::size_t sums = num_sums(spec.storage);
  for (std::size_t first = 0; first < num_cells; first += stripe_cells()) {
    auto* const cells = reinterpret_cast<std::int64_t*>(memory) + 2 * first * sums;
    stripes_.emplace_back(
        SumCells(cells, static_cast<std::int32_t>(first), std::min(stripe_cells(), num_cells - first), sums));
  }
}

// Each thread begins elsewhere, so that they do not queue up for the same stripes.
template <typename Fill>
void CellCopy::for_each_stripe(const FillBlock& block, std::size_t slot, Fill fill) {
  const SortedBlock sorted(block, shift_);
  const std::size_t start = slot * 17;
  for (std::size_t i = 0; i < stripes_.size(); ++i) {
    const std::size_t number = (start + i) % stripes_.size();
    const FillBlock own = sorted.of_stripe(number, block);
    if (own.size == 0) continue;
    const std::lock_guard lock(stripes_[number].mutex);
    fill(stripes_[number].cells, own);
  }
}

void CellCopy::count(std::span<const std::int32_t> cells, std::size_t slot) {
  const FillBlock block{.cells = cells.data(), .size = cells.size()};
  if (!is_shared_) {
    if (num_cells_ <= std::min(kFewCells, block.size)) return count_few_cells(counts(), num_cells_, block);
    return count_cells(counts(), block);
  }
  for_each_stripe(block, slot, [&](SumCells&, const FillBlock& own) { count_cells(counts(), own); });
}

void CellCopy::add(const FillBlock& block, std::size_t slot) {
  if (!is_shared_) return stripes_.front().cells.add(block);
  for_each_stripe(block, slot, [](SumCells& cells, const FillBlock& own) { cells.add(own); });
}

}  // namespace skimline::histograms
