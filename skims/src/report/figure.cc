// SPDX-License-Identifier: BSD-3-Clause
#include "report/figure.h"

#include "report/plotted_bins.h"

#include "skimline/framework/schema.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using histograms::Histogram;
using PlotsJson = nlohmann::json;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool matches_any(const std::string& name, const PlotsJson& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const PlotsJson& pattern) {
    return matches_pattern(name, pattern.get<std::string>());
  });
}

// True, false, or patterns; what is sensible unless the config says so.
bool is_logarithmic(const PlotsJson& plots, const char* key, const std::string& histogram, bool is_sensible) {
  if (!plots.contains(key)) return is_sensible;
  return plots[key].is_boolean() ? plots[key].get<bool>() : matches_any(histogram, plots[key]);
}

bool is_left_out(const PlotsJson& plots, const char* key, const std::string& name) {
  return plots.contains(key) && !name.empty() && !matches_any(name, plots[key]);
}

// Calls with each cell that is no flow cell.
template <typename Visit>
void for_each_bin(const Histogram& histogram, Visit visit) {
  const std::size_t width = histogram.axes[0].num_cells();
  const std::size_t height = histogram.axes.size() > 1 ? histogram.axes[1].num_cells() : 3;
  for (std::size_t row = 1; row + 1 < height; ++row)
    for (std::size_t column = 1; column + 1 < width; ++column)
      visit((histogram.axes.size() > 1 ? row * width : 0) + column);
}

// Of a mean: the spread of the values over the effective number of fills.
double variance_of_mean(const Histogram& histogram, std::size_t cell) {
  const double weight = histogram.sums[histograms::kWeight][cell];
  if (weight == 0) return kNotANumber;
  const double mean = histogram.sums[histograms::kWeightedValue][cell] / weight;
  const double spread = histogram.sums[histograms::kWeightedValueSquared][cell] / weight - mean * mean;
  return std::max(spread, 0.0) * histogram.variances()[cell] / (weight * weight);
}

bool have_same_bins(const std::vector<histograms::Axis>& left, const std::vector<histograms::Axis>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& a, const auto& b) { return histograms::have_same_bins(a, b); });
}

void add(std::vector<double>& sum, const std::vector<double>& part, double factor) {
  sum.resize(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] += factor * part[i];
}

// Over several powers of ten in width.
bool has_logarithmic_bins(const histograms::Axis& axis) {
  const std::vector<double>& edges = axis.edges();
  return !axis.is_category() && edges.size() > 3 && edges.front() > 0 &&
         edges.back() >= 100 * edges.front() &&
         edges.back() - edges[edges.size() - 2] >= 10 * (edges[1] - edges[0]);
}

// Where the largest contents hide most of the others.
bool has_large_range(const Figure& figure) {
  std::vector<double> positive;
  for (const FigureSeries& series : figure.series)
    for (const double value : series.values) {
      if (value < 0) return false;
      if (value > 0) positive.push_back(value);
    }
  if (positive.size() < 4) return false;
  std::sort(positive.begin(), positive.end());
  return positive.back() > 2000 * positive[positive.size() / 2];
}

}  // namespace

std::vector<double> bin_values(const Histogram& histogram) {
  std::vector<double> values;
  for_each_bin(histogram, [&](std::size_t cell) {
    if (!has_values(histogram.storage)) return values.push_back(histogram.contents()[cell]);
    const double weight = histogram.contents()[cell];
    values.push_back(weight == 0 ? kNotANumber : histogram.sums[histograms::kWeightedValue][cell] / weight);
  });
  return values;
}

std::vector<double> bin_variances(const Histogram& histogram) {
  std::vector<double> variances;
  for_each_bin(histogram, [&](std::size_t cell) {
    variances.push_back(has_values(histogram.storage) ? variance_of_mean(histogram, cell)
                                                      : histogram.variances()[cell]);
  });
  return variances;
}

Figures::Figures(const HistogramFile& file, const HistogramCatalogue& catalogue, bool are_normalised)
    : file_(file),
      catalogue_(catalogue),
      plots_(catalogue.plots.empty() ? "{}" : catalogue.plots),
      are_normalised_(are_normalised) {
  for (const CataloguedHistogram& each : catalogue.filled)
    filled_[{each.histogram, each.region}].push_back(&each);
  read_groups();
  add_ungrouped();
  const PlotsJson plots = PlotsJson::parse(plots_);
  std::vector<std::string> regions{""};
  regions.insert(regions.end(), catalogue.regions.begin(), catalogue.regions.end());
  for (const std::string& histogram : catalogue.histograms) {
    if (is_left_out(plots, "histograms", histogram)) continue;
    for (const std::string& region : regions)
      if (!is_left_out(plots, "regions", region) && filled_.contains({histogram, region}))
        places_.emplace_back(histogram, region);
  }
}

void Figures::read_groups() {
  const auto plots = nlohmann::ordered_json::parse(plots_);
  if (!plots.contains("groups")) return;
  for (const auto& [name, described] : plots["groups"].items()) {
    Group group;
    group.label = described.value("label", name);
    group.colour = described.value("colour", "");
    group.scale = described.value("scale", 1.0);
    const std::string kind = described.value("kind", "background");
    group.kind = kind == "data"     ? SeriesKind::kData
                 : kind == "signal" ? SeriesKind::kSignal
                                    : SeriesKind::kBackground;
    for (const auto& pattern : described["samples"]) add_members(pattern.get<std::string>(), group);
    groups_.push_back(std::move(group));
  }
}

// Sums only by their own names, or where no sample matches: nothing counts twice.
void Figures::add_members(const std::string& pattern, Group& group) const {
  const auto add = [&](bool are_sums) {
    bool has_any = false;
    for (const CataloguedSample& sample : catalogue_.samples) {
      if (!matches_pattern(sample.name, pattern)) continue;
      if (sample.is_sum != are_sums && sample.name != pattern) continue;
      has_any = true;
      if (std::count(group.samples.begin(), group.samples.end(), sample.name) == 0)
        group.samples.push_back(sample.name);
    }
    return has_any;
  };
  if (!add(false)) add(true);
}

void Figures::add_ungrouped() {
  if (!groups_.empty()) return;
  for (const CataloguedSample& sample : catalogue_.samples) {
    if (sample.is_sum) continue;
    groups_.push_back({.label = sample.name,
                       .colour = {},
                       .kind = sample.is_data ? SeriesKind::kData : SeriesKind::kBackground,
                       .samples = {sample.name}});
  }
}

Figure Figures::read(std::size_t number) const {
  const PlotsJson plots = PlotsJson::parse(plots_);
  Figure figure;
  std::tie(figure.histogram, figure.region) = places_[number];
  const Filled& filled = filled_.at(places_[number]);
  figure.grown_axes = grown_axes(filled);
  for (const Group& group : groups_)
    if (!add_series(group, filled, figure)) {
      figure.series.clear();
      return figure;
    }
  if (figure.series.empty()) return figure;
  figure.is_stack =
      !figure.is_profile && figure.axes.size() == 1 && (are_normalised_ || !catalogue_.plots.empty());
  if (figure.is_stack) add_variations(filled, figure);
  const auto has = [&](SeriesKind kind) {
    return std::any_of(figure.series.begin(), figure.series.end(),
                       [&](const FigureSeries& series) { return series.kind == kind; });
  };
  figure.has_ratio =
      figure.is_stack && has(SeriesKind::kData) && has(SeriesKind::kBackground) && plots.value("ratio", true);
  const histograms::Axis& axis = figure.axes.front();
  figure.log_x = !axis.is_category() && edges_of(axis).front() > 0 &&
                 is_logarithmic(plots, "log_x", figure.histogram, has_logarithmic_bins(axis));
  figure.log_y =
      !figure.is_profile && is_logarithmic(plots, "log_y", figure.histogram, has_large_range(figure));
  return figure;
}

// With the categories that any of them has met; empty if none can grow.
std::vector<histograms::Axis> Figures::grown_axes(const Filled& filled) const {
  const auto emptied = [&](const CataloguedHistogram* each) {
    const Histogram histogram = file_.read(each->name);
    return histograms::empty_histogram({}, {}, histogram.axes, histogram.storage);
  };
  Histogram all = emptied(filled.front());
  if (std::none_of(all.axes.begin(), all.axes.end(), [](const auto& axis) { return axis.is_growing(); }))
    return {};
  for (const CataloguedHistogram* each : filled) {
    const Histogram one = emptied(each);
    if (difference_of_bins(all, one).empty()) histograms::add(all, one);
  }
  return all.axes;
}

Histogram Figures::read(const std::string& name, const std::vector<histograms::Axis>& grown) const {
  Histogram histogram = file_.read(name);
  if (grown.empty()) return histogram;
  Histogram moved = histograms::empty_histogram(histogram.name, histogram.title, grown, histogram.storage);
  moved.value_title = histogram.value_title;
  if (!difference_of_bins(moved, histogram).empty()) return histogram;
  histograms::add(moved, histogram);
  return moved;
}

// Returns whether it has the bins of those before.
bool Figures::add_series(const Group& group, const Filled& filled, Figure& figure) const {
  FigureSeries series{.label = group.label,
                      .colour = group.colour,
                      .kind = group.kind,
                      .scale = group.scale,
                      .histograms = {},
                      .values = {},
                      .variances = {}};
  Histogram sum;
  for (const CataloguedHistogram* each : filled) {
    if (!each->variation.empty() || std::count(group.samples.begin(), group.samples.end(), each->sample) == 0)
      continue;
    Histogram histogram = read(each->name, figure.grown_axes);
    if (series.histograms.empty())
      sum = std::move(histogram);
    else if (have_same_bins(sum.axes, histogram.axes))
      histograms::add(sum, histogram);
    else
      return false;
    series.histograms.push_back(each->name);
  }
  if (series.histograms.empty()) return true;
  if (figure.series.empty()) {
    figure.title = sum.title;
    figure.axes = sum.axes;
    figure.value_title = sum.value_title;
    figure.is_profile = has_values(sum.storage);
  } else if (!have_same_bins(figure.axes, sum.axes)) {
    return false;
  }
  if (sum.axes.size() <= 2) {
    add(series.values, bin_values(sum), group.scale);
    add(series.variances, bin_variances(sum), group.scale * group.scale);
  }
  figure.series.push_back(std::move(series));
  return true;
}

bool Figures::is_background(const std::string& sample) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
    return group.kind == SeriesKind::kBackground &&
           std::count(group.samples.begin(), group.samples.end(), sample) != 0;
  });
}

void Figures::add_variations(const Filled& filled, Figure& figure) const {
  std::vector<double> nominal;
  for (const FigureSeries& series : figure.series)
    if (series.kind == SeriesKind::kBackground) add(nominal, series.values, 1);
  for (const CataloguedHistogram* each : filled) {
    if (each->variation.empty() || !is_background(each->sample)) continue;
    const auto own = std::find_if(filled.begin(), filled.end(), [&](const CataloguedHistogram* other) {
      return other->sample == each->sample && other->variation.empty();
    });
    if (own == filled.end()) continue;
    auto found =
        std::find_if(figure.variations.begin(), figure.variations.end(),
                     [&](const FigureVariation& known) { return known.variation == each->variation; });
    if (found == figure.variations.end())
      found = figure.variations.insert(found, {each->variation, each->systematic, {}, nominal});
    const Histogram varied = read(each->name, figure.grown_axes);
    if (!have_same_bins(varied.axes, figure.axes)) continue;
    found->histograms.push_back(each->name);
    add(found->values, bin_values(varied), 1);
    add(found->values, bin_values(read((*own)->name, figure.grown_axes)), -1);
  }
}

}  // namespace skimline::skims
