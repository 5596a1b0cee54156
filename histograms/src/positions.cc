// SPDX-License-Identifier: BSD-3-Clause
#include "positions.h"

#include "bin_search.h"

#include "skimline/framework/error.h"
#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace skimline::histograms {
namespace {

using Doubles = double __attribute__((vector_size(32)));
using Integers = std::int64_t __attribute__((vector_size(32)));

struct CountNan {
  [[gnu::always_inline]] static inline void run(const std::span<const double>& values,
                                                std::int64_t* const& result) {
    const double* const in = values.data();
    const std::size_t size = values.size();
    std::int64_t count = 0;
    for (std::size_t i = 0; i < size; ++i) count += in[i] == in[i] ? 0 : 1;
    *result = count;
  }
};

struct Cells {
  const std::int32_t* cells;
  std::size_t size;
};

// Adds the cells of one more axis, `stride` apart; the first axis begins the numbers.
struct AddCells {
  [[gnu::always_inline]] static inline void run(const Cells& axis, const std::int32_t& stride,
                                                const bool& is_first, std::int32_t* const& cells) {
    std::int32_t* const __restrict out = cells;
    const std::int32_t* const in = axis.cells;
    const std::int32_t step = stride;
    const std::size_t size = axis.size;
    if (is_first)
      for (std::size_t i = 0; i < size; ++i) out[i] = in[i];
    else
      for (std::size_t i = 0; i < size; ++i) out[i] += in[i] * step;
  }
};

struct MarkInside {
  [[gnu::always_inline]] static inline void run(const Cells& axis, const std::int32_t& num_bins,
                                                const bool& is_first, std::uint64_t* const& inside) {
    std::uint64_t* const __restrict out = inside;
    const std::int32_t* const in = axis.cells;
    const std::int32_t bins = num_bins;
    const std::size_t size = axis.size;
    const std::uint64_t before = is_first ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::int32_t mark = in[i] >= 1 && in[i] <= bins ? -1 : 0;
      out[i] = (out[i] | before) & static_cast<std::uint64_t>(std::int64_t{mark});
    }
  }
};

struct Factors {
  const double* left;
  const double* right;          // nullptr for ones
  const std::uint64_t* inside;  // nullptr if all are inside
  std::size_t size;
};

struct Largest {
  double product = 0;
  double squared = 0;
};

// Products of factors, 0 where a position is not inside, and the largest magnitude among them. The products
// of those with the left factor once more go to `squared`, if that is given.
struct Multiply {
  [[gnu::always_inline]] static inline void multiply(const Factors& factors, std::size_t i, std::size_t count,
                                                     Doubles& left, Doubles& product) {
    Integers bits{};
    std::memcpy(&bits, factors.left + i, count * sizeof(double));
    if (factors.inside != nullptr) {
      Integers inside{};
      std::memcpy(&inside, factors.inside + i, count * sizeof(double));
      bits &= inside;
    }
    left = (Doubles)bits;
    product = left;
    if (factors.right == nullptr) return;
    Doubles right{};
    std::memcpy(&right, factors.right + i, count * sizeof(double));
    product *= right;
  }

  [[gnu::always_inline]] static inline void keep_larger(const Doubles& values, Doubles& largest) {
    const Doubles magnitude = values < 0 ? -values : values;
    largest = magnitude > largest ? magnitude : largest;
  }

  [[gnu::always_inline]] static inline void run(const Factors& factors, double* const& products,
                                                double* const& squared, Largest* const& largest) {
    Doubles largest_product{}, largest_squared{};
    const std::size_t size = factors.size;
    for (std::size_t i = 0; i < size; i += 4) {
      // Blocks have room for whole vectors.
      const std::size_t count = size - i < 4 ? size - i : 4;
      Doubles left, product;
      if (count == 4)
        multiply(factors, i, 4, left, product);
      else
        multiply(factors, i, count, left, product);
      std::memcpy(products + i, &product, sizeof product);
      keep_larger(product, largest_product);
      if (squared == nullptr) continue;
      product *= left;
      std::memcpy(squared + i, &product, sizeof product);
      keep_larger(product, largest_squared);
    }
    for (int lane = 0; lane < 4; ++lane) {
      largest->product = std::max(largest->product, largest_product[lane]);
      largest->squared = std::max(largest->squared, largest_squared[lane]);
    }
  }
};

void fill_constant(const ColumnView& column, std::size_t count, double* copies) {
  visit_scalar(column.type.scalar, [&](auto tag) {
    std::fill_n(copies, count, static_cast<double>(*column.data<typename decltype(tag)::type>()));
  });
}

}  // namespace

const double* read_doubles(const ColumnView& column, std::size_t first, std::size_t count, double* copies) {
  if (column.is_constant) {
    fill_constant(column, count, copies);
    return copies;
  }
  if (column.type.scalar == ScalarType::kDouble) return column.data<double>() + first;
  visit_scalar(column.type.scalar, [&](auto tag) {
    const auto* const values = column.data<typename decltype(tag)::type>() + first;
    for (std::size_t i = 0; i < count; ++i) copies[i] = static_cast<double>(values[i]);
  });
  return copies;
}

std::optional<Refusal> Positions::find(const HistogramSpec& spec, std::span<const ColumnView> columns,
                                       std::size_t first, std::size_t size, std::span<GrowingAxis> growing) {
  size_ = size;
  if (axes_.size() < spec.axes.size()) axes_.resize(spec.axes.size());
  num_nan_ = 0;
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    const Axis& axis = spec.axes[i];
    OnAxis& found = axes_[i];
    found.num_bins = axis.num_bins();
    found.values = nullptr;
    GrowingAxis* const grown = axis.is_growing() ? &growing[i] : nullptr;
    if (axis.kind() == AxisKind::kStringCategories) {
      find_names(axis, columns[i], first, grown, found.cells.data());
    } else if (axis.kind() == AxisKind::kIntegerCategories) {
      const auto refused = find_numbers(axis, columns[i], first, grown, found.cells.data());
      if (refused) return Refusal{first + *refused, i, "a category of 2^63 or more,"};
    } else {
      find_bins(axis, columns[i], first, found);
    }
  }
  return num_nan_ == 0 ? std::nullopt : find_nan(spec, first);
}

void Positions::find_bins(const Axis& axis, const ColumnView& column, std::size_t first, OnAxis& found) {
  found.values = read_doubles(column, first, size_, found.copies.data());
  if (axis.flow().circular) {
    move_into_range({found.values, size_}, axis.low(), axis.high(), found.copies.data());
    found.values = found.copies.data();
  }
  axis.index({found.values, size_}, found.cells.data());
  std::int64_t num_nan = 0;
  run_kernel<CountNan>(std::span<const double>(found.values, size_), &num_nan);
  num_nan_ += static_cast<std::size_t>(num_nan);
}

void Positions::find_names(const Axis& axis, const ColumnView& column, std::size_t first,
                           GrowingAxis* growing, std::int32_t* cells) {
  const auto* const values = column.data<std::string_view>();
  names_.assign(size_, *values);
  if (!column.is_constant) std::copy_n(values + first, size_, names_.begin());
  growing ? growing->index(names_, cells) : axis.index(names_, cells);
}

// Returns the first value that is too large for a category.
std::optional<std::size_t> Positions::find_numbers(const Axis& axis, const ColumnView& column,
                                                   std::size_t first, GrowingAxis* growing,
                                                   std::int32_t* cells) {
  numbers_.resize(size_);
  visit_scalar(column.type.scalar, [&](auto tag) {
    const auto* const values = column.data<typename decltype(tag)::type>();
    for (std::size_t i = 0; i < size_; ++i)
      numbers_[i] = static_cast<std::int64_t>(values[column.is_constant ? 0 : first + i]);
  });
  if (column.type.scalar == ScalarType::kUInt64) {
    const auto wrapped =
        std::find_if(numbers_.begin(), numbers_.end(), [](std::int64_t number) { return number < 0; });
    if (wrapped != numbers_.end()) return wrapped - numbers_.begin();
  }
  growing ? growing->index(numbers_, cells) : axis.index(numbers_, cells);
  return std::nullopt;
}

// Fills with a position that is not a number, each counted once.
std::optional<Refusal> Positions::find_nan(const HistogramSpec& spec, std::size_t first) {
  num_nan_ = 0;
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
      const double* const values = axes_[axis].values;
      if (values == nullptr || values[i] == values[i]) continue;
      if (spec.nan_positions == NanPositions::kRefuse)
        return Refusal{first + i, axis, "a value that is not a number,"};
      ++num_nan_;
      break;
    }
  return std::nullopt;
}

void Positions::combine(std::span<const std::size_t> extents) {
  cells_ = axes_[0].cells.data();
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents.size() == 1) break;
    run_kernel<AddCells>(Cells{axes_[axis].cells.data(), size_}, static_cast<std::int32_t>(stride), axis == 0,
                         combined_.data());
    stride *= extents[axis];
    cells_ = combined_.data();
  }
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    // A growing axis may have met more categories than it had when it was booked.
    const std::int32_t bins =
        axes_[axis].values ? axes_[axis].num_bins : static_cast<std::int32_t>(extents[axis]) - 2;
    run_kernel<MarkInside>(Cells{axes_[axis].cells.data(), size_}, bins, axis == 0, inside_.data());
  }
}

void Positions::add_to(std::span<ExactSum> sums, std::size_t num_axes, const double* weights) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < num_axes; ++axis) {
    OnAxis& on = axes_[axis];
    if (on.values == nullptr) continue;
    Largest largest;
    run_kernel<Multiply>(Factors{on.values, weights, inside_.data(), size_}, on.weighted.data(),
                         products_.data(), &largest);
    on.largest = largest.product;
    sums[axis].add({on.weighted.data(), size_}, largest.product);
    // A product that is infinite can make one that is not a number, whose magnitude is not seen.
    const bool is_finite = std::isfinite(largest.product);
    sums[num_axes + axis].add({products_.data(), size_}, is_finite ? largest.squared : kInfinity);
  }
  std::size_t product = 2 * num_axes;
  for (std::size_t i = 0; i < num_axes && product < sums.size(); ++i)
    for (std::size_t j = i + 1; j < num_axes; ++j, ++product) add_product(i, j, sums[product]);
}

void Positions::add_product(std::size_t i, std::size_t j, ExactSum& sum) {
  if (axes_[i].values == nullptr || axes_[j].values == nullptr) return;
  Largest largest;
  run_kernel<Multiply>(Factors{axes_[j].values, axes_[i].weighted.data(), inside_.data(), size_},
                       products_.data(), static_cast<double*>(nullptr), &largest);
  const bool is_finite = std::isfinite(axes_[i].largest);
  sum.add({products_.data(), size_}, is_finite ? largest.product : std::numeric_limits<double>::infinity());
}

}  // namespace skimline::histograms
