// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/packed_numbers.h"

#include "vector_kernel.h"

#include "skimline/histograms/exact_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace skimline::histograms {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kLowEnd = std::uint64_t{1} << (ExactCells::kLowBits - 1);

// A bit is set above those that all numbers have in common with their sign.
template <int kLanes>
struct CollectBits {
  [[gnu::always_inline]] static inline void run(const std::span<const std::int64_t>& numbers,
                                                std::uint64_t* const& bits) {
    const std::int64_t* const in = numbers.data();
    const std::size_t size = numbers.size();
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < size; ++i)
      all |= static_cast<std::uint64_t>(in[i]) ^ static_cast<std::uint64_t>(in[i] >> 63);
    *bits = all;
  }
};

struct Addition {
  const char* from;
  std::int64_t* sums;
  std::size_t size;
};

template <typename T, int kLanes>
struct AddWidened {
  [[gnu::always_inline]] static inline void run(const Addition& addition) {
    const char* const __restrict from = addition.from;
    std::int64_t* const __restrict sums = addition.sums;
    const std::size_t size = addition.size;
    for (std::size_t i = 0; i < size; ++i) {
      T number;
      std::memcpy(&number, from + i * sizeof number, sizeof number);
      sums[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[i]) +
                                          static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
    }
  }
};

template <int kLanes>
using AddBytes = AddWidened<std::int8_t, kLanes>;
template <int kLanes>
using AddShorts = AddWidened<std::int16_t, kLanes>;
template <int kLanes>
using AddHalves = AddWidened<std::int32_t, kLanes>;
template <int kLanes>
using AddWhole = AddWidened<std::int64_t, kLanes>;

struct Carrying {
  std::int64_t* low;
  std::int64_t* high;
  std::size_t size;
};

template <int kLanes>
struct Carry {
  [[gnu::always_inline]] static inline void run(const Carrying& carrying) {
    std::int64_t* const __restrict low = carrying.low;
    std::int64_t* const __restrict high = carrying.high;
    const std::size_t size = carrying.size;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t shifted = static_cast<std::uint64_t>(low[i]) + kLowEnd;
      const std::int64_t carried = static_cast<std::int64_t>(shifted) >> ExactCells::kLowBits;
      low[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low[i]) -
                                         (static_cast<std::uint64_t>(carried) << ExactCells::kLowBits));
      high[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(high[i]) +
                                          static_cast<std::uint64_t>(carried));
    }
  }
};

template <int kLanes>
struct FindBeyond {
  [[gnu::always_inline]] static inline void run(const std::span<std::int64_t>& low,
                                                std::uint64_t* const& beyond) {
    const std::int64_t* const in = low.data();
    const std::size_t size = low.size();
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < size; ++i)
      all |= (static_cast<std::uint64_t>(in[i]) + kLowEnd) >> ExactCells::kLowBits;
    *beyond = all;
  }
};

struct Packing {
  const std::int64_t* numbers;
  std::size_t size;
  char* to;
};

template <typename T, int kLanes>
struct PackNarrowed {
  [[gnu::always_inline]] static inline void run(const Packing& packing) {
    const std::int64_t* const __restrict numbers = packing.numbers;
    char* const __restrict to = packing.to;
    const std::size_t size = packing.size;
    for (std::size_t i = 0; i < size; ++i) {
      const auto number = static_cast<T>(numbers[i]);
      std::memcpy(to + i * sizeof number, &number, sizeof number);
    }
  }
};

template <int kLanes>
using PackBytes = PackNarrowed<std::int8_t, kLanes>;
template <int kLanes>
using PackShorts = PackNarrowed<std::int16_t, kLanes>;
template <int kLanes>
using PackHalves = PackNarrowed<std::int32_t, kLanes>;

void pack_some(const Packing& packing, std::size_t width) {
  if (width == 1) run_vector_kernel<PackBytes>(packing);
  if (width == 2) run_vector_kernel<PackShorts>(packing);
  if (width == 4) run_vector_kernel<PackHalves>(packing);
  if (width == 8) std::memcpy(packing.to, packing.numbers, 8 * packing.size);
}

}  // namespace

std::size_t packed_width(std::span<const std::int64_t> numbers) {
  std::uint64_t bits = 0;
  run_vector_kernel<CollectBits>(numbers, &bits);
  if (bits >> 31 != 0) return 8;
  if (bits >> 15 != 0) return 4;
  if (bits >> 7 != 0) return 2;
  for (const std::int64_t number : numbers)
    if (number != 0) return 1;
  return 0;
}

bool is_packed_width(std::size_t width) { return width <= 8 && (width == 0 || std::has_single_bit(width)); }

void pack(std::span<const std::int64_t> numbers, std::size_t width, std::string& bytes) {
  // A string that grows writes zeros first; what is appended is still in the cache.
  constexpr std::size_t kAtOnce = 512;
  std::array<char, 8 * kAtOnce> packed;
  for (std::size_t first = 0; width > 0 && first < numbers.size(); first += kAtOnce) {
    const std::size_t size = std::min(kAtOnce, numbers.size() - first);
    pack_some({numbers.data() + first, size, packed.data()}, width);
    bytes.append(packed.data(), width * size);
  }
}

void add(const PackedNumbers& numbers, std::size_t first, std::span<std::int64_t> sums) {
  const Addition addition{numbers.bytes.data() + first * numbers.width, sums.data(), sums.size()};
  if (numbers.width == 1) run_vector_kernel<AddBytes>(addition);
  if (numbers.width == 2) run_vector_kernel<AddShorts>(addition);
  if (numbers.width == 4) run_vector_kernel<AddHalves>(addition);
  if (numbers.width == 8) run_vector_kernel<AddWhole>(addition);
}

bool carry(std::span<std::int64_t> low, std::span<std::int64_t> high) {
  std::uint64_t beyond = 0;
  run_vector_kernel<FindBeyond>(low, &beyond);
  if (beyond == 0) return false;
  run_vector_kernel<Carry>(Carrying{low.data(), high.data(), low.size()});
  return true;
}

}  // namespace skimline::histograms
