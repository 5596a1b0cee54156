// SPDX-License-Identifier: BSD-3-Clause
// Signed numbers in as few bytes as the largest of them needs: what sums of cells travel as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skimline::histograms {

/// Numbers as they lie in other memory, little-endian, at any address.
struct PackedNumbers {
  std::size_t width = 0;     ///< bytes of each: 0 if all are zero, else 1, 2, 4 or 8
  std::string_view bytes{};  ///< `width` for each number
};

/// The least width that takes all of the numbers.
std::size_t packed_width(std::span<const std::int64_t> numbers);

/// Whether numbers can have this width.
bool is_packed_width(std::size_t width);

/// Writes each number in `width` bytes, which take it, behind `bytes`.
void pack(std::span<const std::int64_t> numbers, std::size_t width, std::string& bytes);

/// Adds the numbers from number `first` on to as many sums. What does not fit into 64 bits wraps around.
void add(const PackedNumbers& numbers, std::size_t first, std::span<std::int64_t> sums);

/// Brings `low`, sums of up to 8 numbers of the range of ExactCells, back into it; what is carried is added
/// to `high`. Returns whether anything was.
bool carry(std::span<std::int64_t> low, std::span<std::int64_t> high);

}  // namespace skimline::histograms
