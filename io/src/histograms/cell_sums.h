// SPDX-License-Identifier: BSD-3-Clause
// Sums of the numbers that ROOT's histogram objects store for each cell.
#pragma once

#include "root/object_cursor.h"

#include "skimline/framework/error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace skimline::io {

/// The number of a bin or cell that has no place in the whole: it must be empty.
inline constexpr std::uint32_t kNowhere = UINT32_MAX;

/// Histograms that cannot be added; what() says only why.
class Mismatch : public Error {
 public:
  using Error::Error;
};

/// One sum for each cell: integers for arrays of integers, doubles for those of floats and doubles. Arrays
/// lie inside the payload they are given with.
class CellSums {
 public:
  /// Makes them so many, for numbers of a type that stays the same; new ones are zero.
  void resize(NumberType type, std::size_t size);
  /// Makes them the numbers of an array.
  void set(const NumberArray& array, std::span<const std::byte> payload);

  bool is_empty() const {
    return std::visit([](const auto& values) { return values.empty(); }, values_);
  }
  std::size_t size() const {
    return std::visit([](const auto& values) { return values.size(); }, values_);
  }

  /// Adds an array of the same size and type. Throws Mismatch if 64 bits are too few for an integer.
  void add(const NumberArray& array, std::span<const std::byte> payload);
  /// Adds the magnitudes of others to these, which are of doubles and as many, or of none.
  void add_magnitudes(const CellSums& other);
  /// Adds the first numbers of an array, or their magnitudes, to the sums of the cells.
  void add_at(std::span<const std::uint32_t> cells, const NumberArray& array,
              std::span<const std::byte> payload);
  void add_magnitudes_at(std::span<const std::uint32_t> cells, const NumberArray& array,
                         std::span<const std::byte> payload);

  /// Moves the sums to these cells of so many, adding up those that meet. Returns false, and leaves them as
  /// they are, if one that is not zero goes to kNowhere.
  bool spread(std::span<const std::uint32_t> cells, std::size_t num_cells);

  /// Fills an array with the sums from number `first` on. Throws Mismatch if one does not fit into its type.
  void write(std::size_t first, const NumberArray& array, std::span<std::byte> payload) const;

 private:
  std::variant<std::vector<double>, std::vector<std::int64_t>> values_;
};

bool has_negative(const NumberArray& array, std::span<const std::byte> payload);

/// The numbers of an array, as doubles.
std::vector<double> read_reals(const NumberArray& array, std::span<const std::byte> payload);

/// A double of a payload.
double read_real(std::span<const std::byte> payload, std::size_t offset);
void write_real(std::span<std::byte> payload, std::size_t offset, double value);

}  // namespace skimline::io
