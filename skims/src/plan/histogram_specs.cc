// SPDX-License-Identifier: BSD-3-Clause
#include "plan/histogram_specs.h"

#include "skimline/framework/runner.h"
#include "skimline/histograms/axis_kinds.h"

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::AxisValues;

constexpr double kObjectLimit = 0x1p30;

std::string titled(const std::string& label, const std::string& unit) {
  if (unit.empty()) return label;
  return label.empty() ? "[" + unit + "]" : label + " [" + unit + "]";
}

}  // namespace

std::string problem_on(const AxisConfig& axis, const Type& type) {
  const bool is_string = type.scalar == ScalarType::kString;
  const bool is_whole = is_number(type.scalar) && is_integer(type.scalar);
  if (!axis.kind)
    return is_string || is_whole ? "" : "categories are texts or integers: this is " + name_of(type);
  switch (traits_of(*axis.kind).values) {
    case AxisValues::kTexts:
      return is_string ? ""
                       : "an axis with texts as categories is filled with strings: this is " + name_of(type);
    case AxisValues::kIntegers:
      return is_whole
                 ? ""
                 : "an axis with integers as categories is filled with integers: this is " + name_of(type);
    case AxisValues::kNumbers:
      break;
  }
  return problem_as_number(type);
}

std::string problem_as_number(const Type& type) {
  return is_number(type.scalar) ? "" : "a histogram is filled with numbers: this is " + name_of(type);
}

Axis axis_of(const AxisConfig& config, const Type& type) {
  const bool is_string = type.scalar == ScalarType::kString;
  Axis axis = config.kind ? traits_of(*config.kind).make(config.bins)
              : is_string ? Axis::categories(std::vector<std::string>(), true)
                          : Axis::categories(std::vector<std::int64_t>(), true);
  axis.label = config.label;
  axis.unit = config.unit;
  return axis;
}

histograms::HistogramSpec spec_of(const HistogramConfig& config, const std::vector<Type>& types) {
  histograms::HistogramSpec spec;
  spec.title = config.title;
  for (std::size_t i = 0; i < config.axes.size(); ++i) spec.axes.push_back(axis_of(config.axes[i], types[i]));
  if (config.profile) {
    spec.storage = histograms::Storage::kProfile;
    spec.value_title = titled(config.profile->label, config.profile->unit);
  } else if (config.weight) {
    spec.storage = histograms::Storage::kWeighted;
  }
  spec.nan_positions = config.nan_positions;
  spec.bad_weights = config.bad_weights;
  return spec;
}

// Up to three axes, all cells are written.
std::string problem_in_root_file(const histograms::HistogramSpec& spec, io::CellType type) {
  if (spec.axes.size() > 3) return {};
  const std::uint64_t contents = type == io::CellType::kDouble ? sizeof(double) : sizeof(float);
  const std::uint64_t cell_bytes = has_values(spec.storage) ? 3 * sizeof(double) : contents + sizeof(double);
  double cells = 1;  // which may be more than any integer; a set says so itself
  for (const Axis& axis : spec.axes) cells *= static_cast<double>(axis.num_cells());
  if (cells * static_cast<double>(cell_bytes) < kObjectLimit || cells >= 0x1p31) return {};
  return "a histogram with " + std::to_string(histograms::num_cells(spec.axes)) +
         " cells is too large for a ROOT file, whose objects are smaller than 1 GiB";
}

histograms::HistogramSetOptions set_options(const Config& config, int threads) {
  // Half of the memory is left for all else.
  const std::uint64_t half = config.memory_limit ? config.memory_limit->bytes / 2 : 0;
  return {.threads = threads > 0 ? threads : default_threads(),
          .memory_limit = config.histogram_memory ? config.histogram_memory->bytes : half};
}

}  // namespace skimline::skims
