// SPDX-License-Identifier: BSD-3-Clause
#include "positions.h"

#include "bin_search.h"
#include "moments.h"
#include "vector_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace skimline::histograms {
namespace {

struct Cells {
  const std::int32_t* cells;
  std::size_t size;
};

// Adds the cells of one more axis, `stride` apart; the first axis begins the numbers.
template <int kLanes>
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

template <int kLanes>
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

// Keeps the weights of fills inside the range, 1 if there are none, and 0 for others.
template <int kLanes>
struct KeepWeights {
  [[gnu::always_inline]] static inline void run(const double* const& weights,
                                                const std::span<const std::uint64_t>& inside,
                                                double* const& kept) {
    constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);
    const double* const in = weights;
    const std::uint64_t* const marks = inside.data();
    double* const __restrict out = kept;
    const std::size_t size = inside.size();
    if (in == nullptr)
      for (std::size_t i = 0; i < size; ++i) out[i] = std::bit_cast<double>(kOne & marks[i]);
    else
      for (std::size_t i = 0; i < size; ++i)
        out[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(in[i]) & marks[i]);
  }
};

void fill_constant(const ColumnView& column, std::size_t count, double* copies) {
  visit_scalar(column.type.scalar, [&](auto tag) {
    std::fill_n(copies, count, static_cast<double>(*column.data<typename decltype(tag)::type>()));
  });
}

// What is left out, in increasing order, takes the category of a fill that is not.
template <typename Value>
void index_growing(GrowingAxis& axis, std::vector<Value>& values, std::span<const std::size_t> left_out,
                   std::int32_t* cells) {
  if (left_out.size() == values.size()) {
    std::fill_n(cells, values.size(), 0);
    return;
  }
  std::size_t kept = 0;
  while (kept < left_out.size() && left_out[kept] == kept) ++kept;
  for (const std::size_t fill : left_out) values[fill] = values[kept];
  axis.index(values, cells);
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
                                       std::size_t first, std::size_t size, std::span<GrowingAxis> growing,
                                       std::span<const std::size_t> left_out) {
  size_ = size;
  if (axes_.size() < spec.axes.size()) axes_.resize(spec.axes.size());
  num_nan_ = 0;
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    const Axis& axis = spec.axes[i];
    OnAxis& found = axes_[i];
    found.num_bins = axis.num_bins();
    found.values = {};
    GrowingAxis* const grown = axis.is_growing() ? &growing[i] : nullptr;
    if (axis.values() == AxisValues::kTexts) {
      find_names(axis, columns[i], first, grown, left_out, found.cells.data());
    } else if (axis.values() == AxisValues::kIntegers) {
      const auto refused = find_numbers(axis, columns[i], first, grown, left_out, found.cells.data());
      if (refused) return Refusal{first + *refused, i, "a new category of 2^63 or more,"};
    } else {
      find_bins(axis, columns[i], first, found);
    }
  }
  return num_nan_ == 0 ? std::nullopt : find_nan(spec, first);
}

void Positions::find_bins(const Axis& axis, const ColumnView& column, std::size_t first, OnAxis& found) {
  double* const copies = found.copies.data();
  std::int32_t* const cells = found.cells.data();
  if (column.type.scalar == ScalarType::kFloat && !column.is_constant && !axis.flow().circular) {
    found.values = {.floats = column.data<float>() + first};
    axis.index(std::span(found.values.floats, size_), cells);
  } else {
    found.values = {.doubles = read_doubles(column, first, size_, copies)};
    if (axis.flow().circular) {
      move_into_range({found.values.doubles, size_}, axis.low(), axis.high(), copies);
      found.values = {.doubles = copies};
    }
    axis.index(std::span(found.values.doubles, size_), cells);
  }
  found.kept = keep_inside(found.values, size_, axis.low(), axis.high(),
                           {found.float_inside.data(), found.inside.data()});
  num_nan_ += found.kept.num_nan;
}

void Positions::find_names(const Axis& axis, const ColumnView& column, std::size_t first,
                           GrowingAxis* growing, std::span<const std::size_t> left_out, std::int32_t* cells) {
  const auto* const values = column.data<std::string_view>();
  names_.assign(size_, *values);
  if (!column.is_constant) std::copy_n(values + first, size_, names_.begin());
  growing ? index_growing(*growing, names_, left_out, cells) : axis.index(names_, cells);
}

// Returns the first value that is too large for a category of its own.
std::optional<std::size_t> Positions::find_numbers(const Axis& axis, const ColumnView& column,
                                                   std::size_t first, GrowingAxis* growing,
                                                   std::span<const std::size_t> left_out,
                                                   std::int32_t* cells) {
  numbers_.resize(size_);
  visit_scalar(column.type.scalar, [&](auto tag) {
    const auto* const values = column.data<typename decltype(tag)::type>();
    for (std::size_t i = 0; i < size_; ++i)
      numbers_[i] = static_cast<std::int64_t>(+values[column.is_constant ? 0 : first + i]);
  });
  const bool may_wrap = column.type.scalar == ScalarType::kUInt64;
  const auto is_wrapped = [](std::int64_t number) { return number < 0; };
  if (!growing) {
    axis.index(numbers_, cells);
    // 2^64 - 1 is not the category -1.
    if (may_wrap)
      for (std::size_t i = 0; i < size_; ++i)
        if (is_wrapped(numbers_[i])) cells[i] = axis.num_bins() + 1;
    return std::nullopt;
  }
  if (may_wrap) {
    const auto wrapped = std::find_if(numbers_.begin(), numbers_.end(), is_wrapped);
    if (wrapped != numbers_.end()) return wrapped - numbers_.begin();
  }
  index_growing(*growing, numbers_, left_out, cells);
  return std::nullopt;
}

// Fills with a position that is not a number, each counted once.
std::optional<Refusal> Positions::find_nan(const HistogramSpec& spec, std::size_t first) {
  num_nan_ = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::optional<std::size_t> axis = nan_axis(i, spec.axes.size());
    if (!axis) continue;
    if (spec.nan_positions == NanPositions::kRefuse)
      return Refusal{first + i, *axis, "a value that is not a number,"};
    ++num_nan_;
  }
  return std::nullopt;
}

std::optional<std::size_t> Positions::nan_axis(std::size_t fill, std::size_t num_axes) const {
  for (std::size_t axis = 0; axis < num_axes; ++axis)
    if (axes_[axis].values.are_there() && std::isnan(axes_[axis].values.at(fill))) return axis;
  return std::nullopt;
}

void Positions::combine(std::span<const std::size_t> extents) {
  cells_ = axes_[0].cells.data();
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents.size() == 1) break;
    run_vector_kernel<AddCells>(Cells{axes_[axis].cells.data(), size_}, static_cast<std::int32_t>(stride),
                                axis == 0, combined_.data());
    stride *= extents[axis];
    cells_ = combined_.data();
  }
  // With one axis, positions outside are 0 already.
  for (std::size_t axis = 0; axis < extents.size() && extents.size() > 1; ++axis) {
    // A growing axis may have met more categories than it had when it was booked.
    const std::int32_t bins =
        axes_[axis].values.are_there() ? axes_[axis].num_bins : static_cast<std::int32_t>(extents[axis]) - 2;
    run_vector_kernel<MarkInside>(Cells{axes_[axis].cells.data(), size_}, bins, axis == 0, inside_.data());
  }
}

void Positions::add_to(std::span<ExactSum> sums, std::size_t num_axes, const double* weights,
                       const MagnitudeRange& weight_magnitudes) {
  if (num_axes > 1) {
    run_vector_kernel<KeepWeights>(weights, std::span<const std::uint64_t>(inside_.data(), size_),
                                   weights_.data());
    weights = weights_.data();
  }
  for (std::size_t axis = 0; axis < num_axes; ++axis) {
    OnAxis& on = axes_[axis];
    if (!on.values.are_there()) continue;
    ExactSum& sum = sums[axis];
    ExactSum& squared = sums[num_axes + axis];
    if (weights == nullptr)
      add_values(on.kept, size_, sum, squared);
    else
      on.weighted_magnitudes = add_products({on.kept, weights, weight_magnitudes, size_}, sum, &squared,
                                            num_axes > 1 ? on.weighted.data() : nullptr);
  }
  std::size_t product = 2 * num_axes;
  for (std::size_t i = 0; i < num_axes && product < sums.size(); ++i)
    for (std::size_t j = i + 1; j < num_axes; ++j, ++product) {
      const OnAxis &first = axes_[i], &second = axes_[j];
      if (!first.values.are_there() || !second.values.are_there()) continue;
      add_products({second.kept, first.weighted.data(), first.weighted_magnitudes, size_}, sums[product],
                   nullptr, nullptr);
    }
}

}  // namespace skimline::histograms
