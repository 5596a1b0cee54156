// SPDX-License-Identifier: BSD-3-Clause
// Records for tests.
#pragma once

#include "skimline/histograms/histogram_set.h"
#include "skimline/skims/run_record.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// A cutflow with the steps "step 0", "step 1" and so on, from the counts or the sums of weights and squares.
/// It says that it was filled 1000 times.
inline histograms::Histogram sample_cutflow(std::vector<double> sums, std::vector<double> squares = {}) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sums.size(); ++i) names.push_back("step " + std::to_string(i));
  const bool is_counted = squares.empty();
  histograms::Histogram histogram =
      histograms::empty_histogram("cutflow", "", {histograms::Axis::categories(names)},
                                  is_counted ? histograms::Storage::kCount : histograms::Storage::kWeighted);
  const std::vector<double>* const all[] = {&sums, &squares};
  for (std::size_t which = 0; which < num_sums(histogram.storage); ++which) {
    if (is_counted) {
      for (std::size_t i = 0; i < sums.size(); ++i) histogram.sums[which][i + 1] = sums[i];
      continue;
    }
    histograms::ExactCells& cells = histogram.exact_cells[which];
    for (std::size_t i = 0; i < sums.size(); ++i) {
      histograms::ExactSum sum;
      sum.add(std::vector<double>{(*all[which])[i]});
      histograms::ExactCells single(histogram.num_cells());
      single.set_window(sum.window());
      single.set_parts(i + 1, sum.parts());
      cells.add(single);
    }
  }
  histograms::round_exact_sums(histogram);
  histogram.entries = 1000;
  return histogram;
}

inline SampleRecord sample_record(const std::string& name, std::vector<double> counts,
                                  std::vector<double> weights, std::vector<double> squares) {
  SampleRecord sample;
  sample.name = name;
  sample.cutflow = sample_cutflow(std::move(counts));
  sample.weighted_cutflow = sample_cutflow(std::move(weights), std::move(squares));
  return sample;
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be opened");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace skimline::skims
