// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/error.h"
#include "skimline/framework/instruction_set.h"
#include "skimline/histograms/exact_sum.h"

#include <algorithm>
#include <cmath>

namespace skimline::histograms {
namespace {

constexpr std::int64_t kLowEnd = std::int64_t{1} << (ExactCells::kLowBits - 1);

bool is_low(std::int64_t part) { return part >= -kLowEnd && part < kLowEnd; }

bool all_zero(const std::vector<std::int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value == 0; });
}

void drop_if_zero(std::vector<std::int64_t>& values) {
  if (all_zero(values)) std::vector<std::int64_t>().swap(values);
}

// The parts of a run of cells in the two highest places.
struct HighParts {
  const std::int64_t* first;
  const std::int64_t* second;
  double first_unit, second_unit;
  std::size_t size;
};

// Rounds the sum of two parts: with the second one reduced to at most half a unit of the first, both are
// doubles, and their addition rounds once. Correct where the first one has at most 51 bits then, which
// `is_small` says of all.
struct RoundHighParts {
  [[gnu::always_inline]] static inline void run(const HighParts& parts, double* const& values,
                                                bool* const& is_small) {
    constexpr int kWidth = SumWindow::kWidth;
    constexpr double kAnchor = 0x1.8p52;
    constexpr auto kAnchorBits = std::bit_cast<std::uint64_t>(kAnchor);
    // Makes the shifted number positive, so that a logical shift will do.
    constexpr std::uint64_t kBias = std::uint64_t{1} << 62;
    const std::int64_t* const first = parts.first;
    const std::int64_t* const second = parts.second;
    const double first_unit = parts.first_unit, second_unit = parts.second_unit;
    double* const __restrict out = values;
    const std::size_t size = parts.size;
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto b = static_cast<std::uint64_t>(second[i]);
      const std::uint64_t carry =
          ((b + kBias + (std::uint64_t{1} << (kWidth - 1))) >> kWidth) - (kBias >> kWidth);
      const std::uint64_t high = static_cast<std::uint64_t>(first[i]) + carry;
      const std::uint64_t low = b - (carry << kWidth);
      beyond |= (high + (std::uint64_t{1} << 50)) >> 51;
      const double high_value = std::bit_cast<double>(high + kAnchorBits) - kAnchor;
      const double low_value = std::bit_cast<double>(low + kAnchorBits) - kAnchor;
      out[i] = high_value * first_unit + low_value * second_unit;
    }
    *is_small = beyond == 0;
  }
};

}  // namespace

SumParts ExactCells::parts(std::size_t cell) const {
  SumParts parts{};
  for (int place = 0; place < SumWindow::kPlaces; ++place) {
    if (!low_[place].empty()) parts[place] = low_[place][cell];
    if (!high_[place].empty())
      parts[place] += static_cast<Integer128>(high_[place][cell]) * (Integer128{1} << kLowBits);
  }
  return parts;
}

void ExactCells::set_part(int place, std::size_t cell, Integer128 part) {
  const Integer128 high = (part + kLowEnd) >> kLowBits;
  const auto low = static_cast<std::int64_t>(part - high * (Integer128{1} << kLowBits));
  if (low != 0 && low_[place].empty()) low_[place].resize(num_cells_);
  if (!low_[place].empty()) low_[place][cell] = low;
  if (high != 0 && high_[place].empty()) high_[place].resize(num_cells_);
  if (!high_[place].empty()) high_[place][cell] = static_cast<std::int64_t>(high);
}

void ExactCells::set_parts(std::size_t cell, const SumParts& parts) {
  for (int place = 0; place < SumWindow::kPlaces; ++place) set_part(place, cell, parts[place]);
}

void ExactCells::assign(int place, std::vector<std::int64_t> low, std::vector<std::int64_t> high) {
  for (const auto* values : {&low, &high})
    if (!values->empty() && values->size() != num_cells_)
      throw Error("sums of " + std::to_string(values->size()) + " cells do not fit a histogram of " +
                  std::to_string(num_cells_));
  if (!std::all_of(low.begin(), low.end(), is_low)) throw Error("a sum of a cell is out of its range");
  low_[place] = std::move(low);
  high_[place] = std::move(high);
}

void ExactCells::drop_zeros() {
  for (auto* places : {&low_, &high_})
    for (std::vector<std::int64_t>& values : *places) drop_if_zero(values);
}

void ExactCells::raise(SumWindow window) {
  if (window <= window_) return;
  const int places = window.places_above(window_);
  for (auto* all : {&low_, &high_}) {
    std::move_backward(all->begin(), all->end() - places, all->end());
    std::fill_n(all->begin(), places, std::vector<std::int64_t>{});
  }
  window_ = window;
}

void ExactCells::add(const ExactCells& other) {
  if (other.window_.is_empty()) return;
  raise(other.window_);
  const int down = window_.places_above(other.window_);
  for (int place = down; place < SumWindow::kPlaces; ++place)
    add_place(place, other.low_[place - down], other.high_[place - down]);
}

void ExactCells::add_place(int place, const std::vector<std::int64_t>& low,
                           const std::vector<std::int64_t>& high) {
  if (!low.empty() && low_[place].empty()) low_[place].resize(num_cells_);
  if (!high.empty() && high_[place].empty()) high_[place].resize(num_cells_);
  for (std::size_t cell = 0; cell < high.size(); ++cell) high_[place][cell] += high[cell];
  std::uint64_t beyond = 0;
  std::int64_t* const __restrict sums = low_[place].data();
  for (std::size_t cell = 0; cell < low.size(); ++cell) {
    sums[cell] += low[cell];
    beyond |= static_cast<std::uint64_t>(sums[cell] + kLowEnd) >> kLowBits;
  }
  if (beyond != 0) carry(place);
}

// Brings sums of two numbers in range back into it.
void ExactCells::carry(int place) {
  if (high_[place].empty()) high_[place].resize(num_cells_);
  for (std::size_t cell = 0; cell < num_cells_; ++cell) {
    std::int64_t& low = low_[place][cell];
    const std::int64_t carried = low >= kLowEnd ? 1 : low < -kLowEnd ? -1 : 0;
    low -= carried * 2 * kLowEnd;
    high_[place][cell] += carried;
  }
}

void ExactCells::round(std::size_t first, std::size_t last, double* values) const {
  constexpr std::size_t kBlock = 512;
  if (window_.is_empty()) {
    std::fill_n(values, last - first, 0.0);
    return;
  }
  static const std::vector<std::int64_t> zeros(kBlock);
  const bool has_high_only = low_[2].empty() && std::all_of(high_.begin(), high_.end(),
                                                            [](const auto& high) { return high.empty(); });
  const auto at = [&](int place, std::size_t cell) {
    return low_[place].empty() ? zeros.data() : low_[place].data() + cell;
  };
  for (std::size_t cell = first; cell < last; cell += kBlock) {
    const std::size_t size = std::min(kBlock, last - cell);
    double* const out = values + (cell - first);
    bool is_small = false;
    if (has_high_only)
      run_kernel<RoundHighParts>(HighParts{at(0, cell), at(1, cell), window_.unit(0), window_.unit(1), size},
                                 out, &is_small);
    for (std::size_t i = 0; !is_small && i < size; ++i) out[i] = value(cell + i);
  }
}

}  // namespace skimline::histograms
