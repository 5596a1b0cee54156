// SPDX-License-Identifier: BSD-3-Clause
// Many exact sums with one layout, one for each cell.
#include "vector_kernel.h"

#include "skimline/framework/error.h"
#include "skimline/histograms/exact_sum.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace skimline::histograms {
namespace {

constexpr std::int64_t kLowEnd = std::int64_t{1} << (ExactCells::kLowBits - 1);

constexpr Integer128 shifted(Integer128 high) { return high * (Integer128{1} << ExactCells::kLowBits); }

Integer128 part_of(const std::vector<std::int64_t>& numbers, std::size_t cell) {
  return numbers.empty() ? 0 : numbers[cell];
}

void set_number(std::vector<std::int64_t>& numbers, std::size_t cell, std::int64_t number,
                std::size_t num_cells) {
  if (number != 0 && numbers.empty()) numbers.resize(num_cells);
  if (!numbers.empty()) numbers[cell] = number;
}

// Brings sums of two numbers in range back into it.
void carry(std::vector<std::int64_t>& low, std::vector<std::int64_t>& high) {
  for (std::size_t cell = 0; cell < low.size(); ++cell) {
    const std::int64_t carried = low[cell] >= kLowEnd ? 1 : low[cell] < -kLowEnd ? -1 : 0;
    low[cell] -= carried * 2 * kLowEnd;
    high[cell] += carried;
  }
}

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
template <int kLanes>
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

// Sums of the halves of numbers, which 64 bits can hold for up to 2^31 of them.
struct HalfSums {
  std::int64_t low = 0, high = 0;
};

template <int kLanes>
struct AddHalves {
  [[gnu::always_inline]] static inline void run(const std::span<const std::int64_t>& numbers,
                                                HalfSums* const& sums) {
    const std::int64_t* const in = numbers.data();
    const std::size_t size = numbers.size();
    std::uint64_t low = 0, high = 0;
    // Flipping the sign bit adds 2^63, so that both halves are positive.
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t number = static_cast<std::uint64_t>(in[i]) ^ (std::uint64_t{1} << 63);
      low += number & 0xffffffff;
      high += number >> 32;
    }
    sums->low = static_cast<std::int64_t>(low);
    sums->high = static_cast<std::int64_t>(high - size * (std::uint64_t{1} << 31));
  }
};

Integer128 sum_of(std::span<const std::int64_t> numbers) {
  HalfSums sums;
  run_vector_kernel<AddHalves>(numbers, &sums);
  return static_cast<Integer128>(sums.high) * (Integer128{1} << 32) + sums.low;
}

}  // namespace

SumParts ExactCells::parts(std::size_t cell) const {
  SumParts parts;
  for (int place = 0; place < num_places(); ++place)
    parts.add(window_.number() - place, part_of(low(place), cell) + shifted(part_of(high(place), cell)));
  return parts;
}

// Places are there as far down as they are used.
void ExactCells::reach(int place) {
  if (place < num_places()) return;
  for (auto* const places : {&low_, &high_}) places->resize(static_cast<std::size_t>(place) + 1);
}

void ExactCells::set_part(int place, std::size_t cell, Integer128 part) {
  if (part == 0 && place >= num_places()) return;
  const Integer128 carried = (part + kLowEnd) >> kLowBits;
  reach(place);
  set_number(low_[place], cell, static_cast<std::int64_t>(part - shifted(carried)), num_cells_);
  set_number(high_[place], cell, static_cast<std::int64_t>(carried), num_cells_);
}

void ExactCells::set_parts(std::size_t cell, const SumParts& parts) {
  const int num_used = std::max(num_places(), window_.places_to(parts.lowest()));
  for (int place = 0; place < num_used; ++place) set_part(place, cell, parts.of(window_.number() - place));
}

void ExactCells::add_parts(std::size_t cell, const SumParts& parts) {
  SumParts sum = this->parts(cell);
  sum.add(parts);
  set_parts(cell, sum);
}

void ExactCells::assign(int place, std::vector<std::int64_t> low, std::vector<std::int64_t> high) {
  for (const auto* values : {&low, &high})
    if (!values->empty() && values->size() != num_cells_)
      throw Error("sums of " + std::to_string(values->size()) + " cells do not fit a histogram of " +
                  std::to_string(num_cells_));
  if (!std::all_of(low.begin(), low.end(), is_low)) throw Error("a sum of a cell is out of its range");
  const int number = window_.number() - place;
  if (!(low.empty() && high.empty()) && (number > SumParts::kHighest || number < SumParts::kLowest))
    throw Error("a sum of a cell has parts beyond its range");
  reach(place);
  low_[place] = std::move(low);
  high_[place] = std::move(high);
}

void ExactCells::drop_zeros() {
  for (auto* const places : {&low_, &high_})
    for (std::vector<std::int64_t>& numbers : *places) drop_if_zero(numbers);
  while (num_places() > SumWindow::kPlaces && low_.back().empty() && high_.back().empty()) {
    low_.pop_back();
    high_.pop_back();
  }
}

void ExactCells::raise(SumWindow window) {
  if (window <= window_) return;
  if (!window_.is_empty())
    for (auto* const places : {&low_, &high_})
      places->insert(places->begin(), static_cast<std::size_t>(window.number() - window_.number()), {});
  window_ = window;
}

void ExactCells::add(const ExactCells& other) {
  if (other.window_.is_empty()) return;
  raise(other.window_);
  const int down = window_.number() - other.window_.number();
  for (int place = 0; place < other.num_places(); ++place)
    add_place(down + place, other.low(place), other.high(place));
  drop_zeros();
}

void ExactCells::add_place(int place, const std::vector<std::int64_t>& low,
                           const std::vector<std::int64_t>& high) {
  if (low.empty() && high.empty()) return;
  reach(place);
  if (!low.empty() && low_[place].empty()) low_[place].resize(num_cells_);
  if (!high.empty() && high_[place].empty()) high_[place].resize(num_cells_);
  for (std::size_t cell = 0; cell < high.size(); ++cell) high_[place][cell] += high[cell];
  std::uint64_t beyond = 0;
  std::int64_t* const __restrict sums = low_[place].data();
  for (std::size_t cell = 0; cell < low.size(); ++cell) {
    sums[cell] += low[cell];
    beyond |= static_cast<std::uint64_t>(sums[cell] + kLowEnd) >> kLowBits;
  }
  if (beyond == 0) return;
  high_[place].resize(num_cells_);
  carry(low_[place], high_[place]);
}

void ExactCells::round(std::size_t first, std::size_t last, double* values) const {
  constexpr std::size_t kBlock = 512;
  if (window_.is_empty()) {
    std::fill_n(values, last - first, 0.0);
    return;
  }
  bool may_have_more = false;
  for (int place = 0; place < num_places(); ++place)
    may_have_more |= !high(place).empty() || (place >= 2 && !low(place).empty());
  static const std::vector<std::int64_t> zeros(kBlock);
  const auto numbers = [&](int place, std::size_t cell) {
    return low(place).empty() ? zeros.data() : low(place).data() + cell;
  };
  for (std::size_t cell = first; cell < last; cell += kBlock) {
    const std::size_t size = std::min(kBlock, last - cell);
    double* const out = values + (cell - first);
    bool is_small = false;
    run_vector_kernel<RoundHighParts>(
        HighParts{numbers(0, cell), numbers(1, cell), window_.unit(0), window_.unit(1), size}, out,
        &is_small);
    if (is_small && !may_have_more) continue;
    for (std::size_t i = 0; i < size; ++i)
      if (!is_small || has_more(cell + i)) out[i] = parts(cell + i).value();
  }
}

bool ExactCells::has_more(std::size_t cell) const {
  for (int place = 0; place < num_places(); ++place)
    if (part_of(high(place), cell) != 0 || (place >= 2 && part_of(low(place), cell) != 0)) return true;
  return false;
}

SumParts ExactCells::total(std::size_t first, std::size_t last) const {
  SumParts parts;
  for (int place = 0; place < num_places(); ++place) {
    const int number = window_.number() - place;
    if (!low(place).empty()) parts.add(number, sum_of({low(place).data() + first, last - first}));
    if (!high(place).empty()) parts.add(number, shifted(sum_of({high(place).data() + first, last - first})));
  }
  return parts;
}

}  // namespace skimline::histograms
