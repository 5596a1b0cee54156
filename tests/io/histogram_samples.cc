// SPDX-License-Identifier: BSD-3-Clause
// Writes three filled histograms to the ROOT file named on the command line, after as many bytes of empty
// records as the second argument says.
#include "skimline/histograms/histogram_set.h"
#include "skimline/io/th1_writer.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace skimline;

namespace {

ColumnView view(const std::vector<double>& values) {
  ColumnView column;
  column.type.scalar = ScalarType::kDouble;
  column.length = values.size();
  column.values = values.data();
  return column;
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments != 3) return 2;
  std::vector<double> values, weights;
  for (int i = 0; i < 1000; ++i) {
    values.push_back(-0.5 + 0.0625 * (i % 40));
    weights.push_back(0.25 * (i % 7) - 0.5);
  }
  histograms::HistogramSet set;
  auto regular = histograms::Axis::regular(10, 0, 1);
  regular.label = "x";
  regular.unit = "GeV";
  const auto variable = histograms::Axis::variable({0, 0.1, 0.5, 1});
  set.add({"regular", "a title", regular, false});
  set.add({"variable", "", variable, false});
  set.add({"weighted", "", regular, true});
  const ColumnView value_column = view(values), weight_column = view(weights);
  set.fill(0, 0, value_column);
  set.fill(0, 1, value_column);
  set.fill(0, 2, value_column, weight_column);
  io::RootFileWriter file(arguments[1], {"TH1D"});
  constexpr std::uint64_t kLargestBlob = 1'000'000'000;
  for (std::uint64_t left = std::strtoull(arguments[2], nullptr, 10); left > 0;) {
    const std::uint64_t size = std::min(left, kLargestBlob);
    file.reserve_blob(size);
    left -= size;
  }
  for (const auto& histogram : set.reduce()) file.add_object(io::th1d_object(histogram));
  file.commit();
}
