// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/value_ranges.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>

namespace skimline::skims {
namespace {

constexpr std::uint64_t kMaximumEntries = 4096;
// Parts of the values that lie below and above a range.
constexpr double kTail = 0.01;

std::vector<double> finite_values(const ColumnView& view) {
  std::vector<double> values;
  for (std::size_t i = 0; i < view.num_values(); ++i) {
    const double value = view.type.scalar == ScalarType::kFloat ? static_cast<double>(view.data<float>()[i])
                                                                : view.data<double>()[i];
    if (std::isfinite(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

// The largest of 1, 2 and 5 times a power of ten that is no larger.
double round_step(double step) {
  const double power = maths::pow(10.0, std::floor(maths::log10(step)));
  return power * (step >= 5 * power ? 5 : step >= 2 * power ? 2 : 1);
}

ValueRange range_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto tail = static_cast<std::size_t>(kTail * static_cast<double>(values.size()));
  const double low = values[tail], high = values[values.size() - 1 - tail];
  const double width = high > low ? high - low : std::max(std::abs(low), 1.0);
  // Few significant digits of the ends tell them apart.
  if (!(width > 1e-4 * std::max(std::abs(low), std::abs(high))) || !(std::abs(low) + std::abs(high) < 1e30))
    return {};
  const double step = round_step(width / 5);
  const double first = std::floor(low / step) * step, last = std::ceil(high / step) * step;
  return {first, last > first ? last : first + step};
}

}  // namespace

std::vector<ValueRange> usual_ranges(io::InputSource& source, const std::vector<std::size_t>& columns) {
  if (source.slices().empty()) return std::vector<ValueRange>(columns.size());
  const std::unique_ptr<SliceReader> reader = source.open_slice(0);
  reader->load(columns);
  const std::uint64_t num_entries = std::min(source.slices().front().count, kMaximumEntries);
  std::vector<ValueRange> ranges;
  for (const std::size_t column : columns) {
    ColumnBuffer scratch;
    ranges.push_back(range_of(finite_values(reader->view(column, {0, num_entries}, scratch))));
  }
  return ranges;
}

}  // namespace skimline::skims
