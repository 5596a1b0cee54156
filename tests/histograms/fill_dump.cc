// SPDX-License-Identifier: BSD-3-Clause
// Fills one histogram and prints its sums, for test_fills_as_root.py. Reads the columns from the standard
// input as raw doubles, one column after the other; slots take turns in batches. Axes are as those of
// histograms_bin_dump, with a comma between two:
//
//   histograms_fill_dump count|weighted|profile <fills> regular <bins> <low> <high> , variable <edge> ...
//
// Writes raw doubles: the entries, the statistics in the order of ROOT's GetStats as far as there are
// (weight, weight squared; for each axis x, x squared and the products with the axes before it; of a profile
// weighted value and its square), then all cells of the contents, and of each further sum.
#include "axis_words.h"

#include "skimline/histograms/histogram_set.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

using namespace skimline::histograms;
using skimline::ColumnView;

namespace {

constexpr std::size_t kBatch = 700;
constexpr std::size_t kSlots = 3;

Storage storage_of(const std::string& word) {
  return word == "count" ? Storage::kCount : word == "weighted" ? Storage::kWeighted : Storage::kProfile;
}

std::vector<Axis> axes_from(const std::vector<std::string>& words) {
  std::vector<Axis> axes;
  for (auto first = words.begin(); first < words.end();) {
    const auto comma = std::find(first, words.end(), ",");
    axes.push_back(testing::axis_from({first, comma}));
    first = comma == words.end() ? comma : comma + 1;
  }
  return axes;
}

std::vector<double> read_doubles() {
  const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

Histogram filled(HistogramSpec spec, const std::vector<double>& values, std::size_t fills) {
  HistogramSet set;
  const std::vector<std::size_t> ids{set.add(std::move(spec))};
  for (std::size_t first = 0; first < fills; first += kBatch) {
    std::vector<ColumnView> columns;
    for (std::size_t column = 0; column * fills < values.size(); ++column)
      columns.push_back({.type = skimline::flat(skimline::ScalarType::kDouble),
                         .length = std::min(kBatch, fills - first),
                         .values = values.data() + column * fills + first});
    if (set.fill(first / kBatch % kSlots, ids, columns)) throw std::runtime_error("a fill was refused");
  }
  return set.reduce(0);
}

std::vector<double> statistics_of(const Histogram& histogram) {
  const Statistics& all = histogram.statistics;
  std::vector<double> values{static_cast<double>(histogram.entries), all.weight, all.weight_squared};
  const auto& product = all.position_product;
  for (std::size_t i = 0; i < histogram.axes.size(); ++i) {
    values.insert(values.end(), {all.position[i], all.position_squared[i]});
    if (i == 1 && !product.empty()) values.push_back(product[0]);
    if (i == 2 && !product.empty()) values.insert(values.end(), {product[1], product[2]});
  }
  if (histogram.storage == Storage::kProfile)
    values.insert(values.end(), {all.weighted_value, all.weighted_value_squared});
  return values;
}

void write(const std::vector<double>& values) {
  std::cout.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * sizeof(double)));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const HistogramSpec spec{.name = "h",
                           .title = "",
                           .axes = axes_from({words.begin() + 2, words.end()}),
                           .storage = storage_of(words.at(0))};
  const Histogram result = filled(spec, read_doubles(), std::stoul(words.at(1)));
  write(statistics_of(result));
  for (std::size_t sum = 0; sum < num_sums(result.storage); ++sum) write(result.sums[sum]);
  return std::cout.good() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
