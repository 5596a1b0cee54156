// SPDX-License-Identifier: BSD-3-Clause
#include "random_fills.h"

#include "histograms.h"
#include "special_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace skimline::histograms::testing {
namespace {

constexpr std::array<std::string_view, 16> kNames{
    "",  "signal", "top", "Z+jets",
    "W", "data",   "QCD", "\xc3\xa9lectron",
    "a", "b",      "c",   "d",
    "e", "f",      "g",   "a name that is longer than strings which fit into themselves"};

int below(std::mt19937_64& random, int end) {
  return static_cast<int>(random() % static_cast<unsigned>(end));
}

AxisFlow random_flow(std::mt19937_64& random) {
  if (below(random, 6) == 0) return {.circular = true};
  return {.underflow = below(random, 5) > 0, .overflow = below(random, 5) > 0};
}

Axis variable_axis(std::mt19937_64& random, int bins, AxisFlow flow) {
  std::vector<double> edges{-4.0 + below(random, 4)};
  for (int i = 0; i < bins; ++i) edges.push_back(edges.back() + (1 + below(random, 64)) / 64.0);
  return Axis::variable(edges, flow);
}

Axis category_axis(std::mt19937_64& random, int bins) {
  const bool is_growing = below(random, 3) > 0;
  const int booked = is_growing ? below(random, 4) : std::min(1 + below(random, bins), 12);
  std::vector<std::string> names(kNames.begin(), kNames.end());
  std::vector<std::int64_t> numbers{-1, 0, 1, 13, -211, 22, 1LL << 40, 5, 6, 7, 8, 9};
  std::shuffle(names.begin(), names.end(), random);
  std::shuffle(numbers.begin(), numbers.end(), random);
  names.resize(static_cast<std::size_t>(booked));
  numbers.resize(static_cast<std::size_t>(booked));
  return below(random, 2) == 0 ? Axis::categories(names, is_growing) : Axis::categories(numbers, is_growing);
}

// Positions are multiples of 2^-10 unless they are far off: circular axes move them without rounding.
double random_position(std::mt19937_64& random, const Axis& axis) {
  const double length = axis.high() - axis.low();
  switch (below(random, 50)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return axis.flow().circular ? axis.low() : (below(random, 2) == 0 ? kInfinity : -kInfinity);
    case 2:
      return axis.low();
    case 3:
      return axis.high();
    case 4:
      return std::round(axis.low() + length * below(random, 100) / 100);
    default:
      const double fraction = static_cast<double>(random() % 1000) / 800 - 0.125;
      return std::round((axis.low() + length * fraction) * 1024) / 1024;
  }
}

RandomFills::OnAxis random_positions(std::mt19937_64& random, const Axis& axis, std::size_t size) {
  RandomFills::OnAxis on;
  for (std::size_t i = 0; i < size; ++i) {
    if (axis.values() == AxisValues::kTexts)
      on.names.push_back(kNames[random() % kNames.size()]);
    else if (axis.values() == AxisValues::kIntegers)
      on.integers.push_back(below(random, 12) == 0 ? 1LL << 40 : below(random, 30) - 10);
    else
      on.numbers.push_back(random_position(random, axis));
  }
  if (random() % 2 == 0) on.floats.assign(on.numbers.begin(), on.numbers.end());
  if (!on.floats.empty()) on.numbers.assign(on.floats.begin(), on.floats.end());
  return on;
}

std::vector<double> random_numbers(std::mt19937_64& random, std::size_t size, Magnitudes magnitudes) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < size; ++i)
    numbers.push_back(magnitudes == Magnitudes::kCancelling && i % 2 == 1
                          ? -numbers.back()
                          : random_magnitude(random, magnitudes));
  return numbers;
}

// Makes each second element equal the one before.
template <typename T>
void pair_up(std::vector<T>& elements) {
  for (std::size_t i = 1; i < elements.size(); i += 2) elements[i] = elements[i - 1];
}

// Pairs of fills with opposite weights cancel in every sum that is odd in the weight.
void pair_up(RandomFills& fills) {
  for (RandomFills::OnAxis& on : fills.axes) {
    pair_up(on.numbers);
    pair_up(on.floats);
    pair_up(on.integers);
    pair_up(on.names);
  }
  pair_up(fills.values);
}

template <typename T>
std::vector<T> picked(const std::vector<T>& from, std::span<const std::size_t> fills) {
  std::vector<T> some;
  for (const std::size_t fill : fills)
    if (!from.empty()) some.push_back(from[fill]);
  return some;
}

}  // namespace

bool grows(const HistogramSpec& spec) {
  return std::any_of(spec.axes.begin(), spec.axes.end(), [](const Axis& axis) { return axis.is_growing(); });
}

double random_magnitude(std::mt19937_64& random, Magnitudes magnitudes) {
  std::normal_distribution<double> gauss;
  if (magnitudes == Magnitudes::kWhole)
    return random() % 1000 == 0 ? gauss(random) : std::round(8 * gauss(random)) / 4;
  const int exponent = magnitudes == Magnitudes::kNear ? 0 : below(random, 61) - 30;
  return gauss(random) * std::pow(10.0, exponent);
}

Axis random_axis(std::mt19937_64& random, int bins) {
  const AxisFlow flow = random_flow(random);
  switch (below(random, 6)) {
    case 0:
    case 1:
      return flow.circular ? Axis::regular(1 + below(random, bins), -2, 6, flow)
                           : Axis::regular(1 + below(random, bins), -3, 3 + below(random, 100) / 7.0, flow);
    case 2:
      return variable_axis(random, 1 + below(random, bins), flow);
    case 3: {
      const int first = below(random, 20) - 10;
      return Axis::integer(first, first + below(random, bins), flow);
    }
    default:
      return category_axis(random, bins);
  }
}

RandomFills random_fills(std::mt19937_64& random, std::size_t size, Magnitudes magnitudes) {
  constexpr std::array<int, 4> kMostBins{400, 50, 14, 6};
  RandomFills fills;
  fills.size = size;
  const int num_axes = 1 + below(random, 4);
  for (int i = 0; i < num_axes; ++i)
    fills.spec.axes.push_back(random_axis(random, kMostBins[static_cast<std::size_t>(num_axes - 1)]));
  constexpr std::array<Storage, 4> kStorages{Storage::kCount, Storage::kWeighted, Storage::kWeighted,
                                             Storage::kProfile};
  fills.spec.name = "h";
  fills.spec.storage = kStorages[random() % kStorages.size()];
  fills.spec.bad_weights = BadWeights::kSkip;
  for (const Axis& axis : fills.spec.axes) fills.axes.push_back(random_positions(random, axis, size));
  if (fills.spec.storage == Storage::kProfile) fills.values = random_numbers(random, size, Magnitudes::kNear);
  if (fills.spec.storage != Storage::kCount) fills.weights = random_numbers(random, size, magnitudes);
  if (magnitudes == Magnitudes::kCancelling) pair_up(fills);
  return fills;
}

std::vector<ColumnView> RandomFills::columns(std::size_t first, std::size_t count) const {
  std::vector<ColumnView> views;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const OnAxis& on = axes[i];
    if (spec.axes[i].values() == AxisValues::kTexts)
      views.push_back(view_of(on.names, first, count));
    else if (spec.axes[i].values() == AxisValues::kIntegers)
      views.push_back(view_of(on.integers, first, count));
    else if (!on.floats.empty())
      views.push_back(view_of(on.floats, first, count));
    else
      views.push_back(view_of(on.numbers, first, count));
  }
  if (spec.storage == Storage::kProfile) views.push_back(view_of(values, first, count));
  if (spec.storage != Storage::kCount) views.push_back(view_of(weights, first, count));
  return views;
}

RandomFills RandomFills::some(std::span<const std::size_t> fills) const {
  RandomFills some{
      .spec = spec, .axes = {}, .values = picked(values, fills), .weights = picked(weights, fills)};
  for (const OnAxis& on : axes)
    some.axes.push_back({picked(on.numbers, fills), picked(on.floats, fills), picked(on.integers, fills),
                         picked(on.names, fills)});
  some.size = fills.size();
  return some;
}

}  // namespace skimline::histograms::testing
