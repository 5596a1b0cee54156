// SPDX-License-Identifier: BSD-3-Clause
// Writes the histograms of a ROOT file as skimline does, with exact sums.
//
//     exact_collection INPUT OUTPUT
#include "skimline/io/histogram_reader.h"
#include "skimline/io/histogram_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using namespace skimline;
using histograms::ExactCells;
using histograms::ExactSum;
using histograms::Histogram;
using histograms::Storage;

ExactCells exact_cells(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  ExactCells cells(values.size());
  cells.set_window(histograms::SumWindow::of(largest));
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    if (values[cell] == 0) continue;
    ExactSum sum;
    sum.takes(largest);  // so that all cells have one window
    sum.add(std::span(&values[cell], 1));
    cells.set_parts(cell, sum.parts());
  }
  return cells;
}

// As if every cell had been filled once with its content.
Histogram exact(Histogram histogram) {
  histogram.has_exact_sums = true;
  if (histogram.storage != Storage::kCount)
    for (std::size_t sum = 0; sum < num_sums(histogram.storage); ++sum)
      histogram.exact_cells.push_back(exact_cells(histogram.sums[sum]));
  else
    for (const double count : histogram.contents()) histogram.entries += static_cast<std::uint64_t>(count);
  histogram.exact_positions.resize(histograms::num_position_sums(histogram.axes.size()));
  round_exact_sums(histogram);
  return histogram;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  const io::RootFile input(argv[1]);
  io::RootFileWriter output(argv[2]);
  for (const io::RootKey& key : input.keys())
    output.add_object(io::root_object(exact(io::read_histogram(input, key))));
  output.commit();
  return EXIT_SUCCESS;
}
