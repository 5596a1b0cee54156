// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/cell_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace skimline::io {
namespace {

template <typename T>
using BitsOf =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

std::uint8_t swapped(std::uint8_t bits) { return bits; }
std::uint16_t swapped(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }

template <typename T>
T load(const std::byte* stored) {
  BitsOf<T> bits;
  std::memcpy(&bits, stored, sizeof bits);
  return std::bit_cast<T>(swapped(bits));
}

template <typename T>
void store(T value, std::byte* stored) {
  const auto bits = swapped(std::bit_cast<BitsOf<T>>(value));
  std::memcpy(stored, &bits, sizeof bits);
}

// Calls `visit` with a value of the type in which numbers are stored.
template <typename Visit>
void with_type(NumberType type, Visit&& visit) {
  switch (type) {
    case NumberType::kChar:
      return visit(std::int8_t{});
    case NumberType::kShort:
      return visit(std::int16_t{});
    case NumberType::kInt:
      return visit(std::int32_t{});
    case NumberType::kLong:
      return visit(std::int64_t{});
    case NumberType::kFloat:
      return visit(float{});
    case NumberType::kDouble:
      return visit(double{});
  }
}

template <typename T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

[[noreturn]] void throw_too_large(const std::string& sum, NumberType type) {
  static constexpr const char* kNames[] = {"8 bits", "16 bits", "32 bits", "64 bits", "a float", "a double"};
  throw Mismatch("the content of a bin, " + sum + ", does not fit into " +
                 kNames[static_cast<std::size_t>(type)] + " as this class has them");
}

void add_to(double& sum, double value) { sum += value; }
void add_to(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) throw_too_large("over 2^63", NumberType::kLong);
}

}  // namespace

void CellSums::resize(NumberType type, std::size_t size) {
  const bool is_real = type == NumberType::kFloat || type == NumberType::kDouble;
  if (is_empty() && !is_real) values_.emplace<std::vector<std::int64_t>>();
  std::visit([&](auto& values) { values.resize(size); }, values_);
}

void CellSums::set(const NumberArray& array, std::span<const std::byte> payload) {
  resize(array.type, array.count);
  with_type(array.type, [&](auto type) {
    using T = decltype(type);
    auto& sums = std::get<std::vector<Sum<T>>>(values_);
    const std::byte* stored = payload.data() + array.offset;
    for (Sum<T>& sum : sums) {
      sum = Sum<T>{load<T>(stored)};
      stored += sizeof(T);
    }
  });
}

void CellSums::add(const NumberArray& array, std::span<const std::byte> payload) {
  with_type(array.type, [&](auto type) {
    using T = decltype(type);
    auto& sums = std::get<std::vector<Sum<T>>>(values_);
    const std::byte* stored = payload.data() + array.offset;
    for (Sum<T>& sum : sums) {
      add_to(sum, load<T>(stored));
      stored += sizeof(T);
    }
  });
}

bool CellSums::spread(std::span<const std::uint32_t> cells, std::size_t num_cells) {
  return std::visit(
      [&](auto& values) {
        std::decay_t<decltype(values)> moved(num_cells);
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (cells[i] == kNowhere && values[i] != 0) return false;
          if (cells[i] != kNowhere) add_to(moved[cells[i]], values[i]);
        }
        values = std::move(moved);
        return true;
      },
      values_);
}

void CellSums::write(std::size_t first, const NumberArray& array, std::span<std::byte> payload) const {
  with_type(array.type, [&](auto type) {
    using T = decltype(type);
    std::byte* stored = payload.data() + array.offset;
    for (const Sum<T> sum : std::span(std::get<std::vector<Sum<T>>>(values_)).subspan(first, array.count)) {
      const T value = static_cast<T>(sum);
      if constexpr (std::is_integral_v<T>) {
        if (value != sum) throw_too_large(std::to_string(sum), array.type);
      } else {
        if (std::isinf(value) && !std::isinf(sum)) throw_too_large(std::to_string(sum), array.type);
      }
      store<T>(value, stored);
      stored += sizeof(T);
    }
  });
}

void CellSums::add_magnitudes(const CellSums& other) {
  if (other.is_empty()) return;
  auto& sums = std::get<std::vector<double>>(values_);
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += std::abs(static_cast<double>(values[i]));
      },
      other.values_);
}

void CellSums::add_at(std::span<const std::uint32_t> cells, const NumberArray& array,
                      std::span<const std::byte> payload) {
  with_type(array.type, [&](auto type) {
    using T = decltype(type);
    auto& sums = std::get<std::vector<Sum<T>>>(values_);
    const std::byte* stored = payload.data() + array.offset;
    for (const std::uint32_t cell : cells) {
      add_to(sums[cell], load<T>(stored));
      stored += sizeof(T);
    }
  });
}

void CellSums::add_magnitudes_at(std::span<const std::uint32_t> cells, const NumberArray& array,
                                 std::span<const std::byte> payload) {
  auto& sums = std::get<std::vector<double>>(values_);
  with_type(array.type, [&](auto type) {
    using T = decltype(type);
    const std::byte* stored = payload.data() + array.offset;
    for (const std::uint32_t cell : cells) {
      sums[cell] += std::abs(static_cast<double>(load<T>(stored)));
      stored += sizeof(T);
    }
  });
}

// The sign is the first bit of every type.
bool has_negative(const NumberArray& array, std::span<const std::byte> payload) {
  const std::size_t size = size_of(array.type);
  const std::byte* stored = payload.data() + array.offset;
  std::byte signs{0};
  for (std::size_t i = 0; i < array.count; ++i) signs |= stored[i * size];
  return (signs & std::byte{0x80}) != std::byte{0};
}

std::vector<double> read_reals(const NumberArray& array, std::span<const std::byte> payload) {
  std::vector<double> values(array.count);
  with_type(array.type, [&](auto type) {
    using T = decltype(type);
    const std::byte* stored = payload.data() + array.offset;
    for (double& value : values) {
      value = static_cast<double>(load<T>(stored));
      stored += sizeof(T);
    }
  });
  return values;
}

double read_real(std::span<const std::byte> payload, std::size_t offset) {
  return load<double>(payload.data() + offset);
}

void write_real(std::span<std::byte> payload, std::size_t offset, double value) {
  store<double>(value, payload.data() + offset);
}

}  // namespace skimline::io
