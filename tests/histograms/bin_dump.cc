// SPDX-License-Identifier: BSD-3-Clause
// Prints nothing but cells: reads doubles from the standard input, writes the cell of each as an int32, both
// as raw bytes. The arguments are an axis (axis_words.h):
//
//   histograms_bin_dump regular <bins> <low> <high>
#include "axis_words.h"

#include "skimline/histograms/axis.h"

#include <cstdint>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

using skimline::histograms::Axis;

namespace {

std::vector<double> read_values() {
  const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

}  // namespace

int main(int argc, char** argv) try {
  const Axis axis = skimline::histograms::testing::axis_from({argv + 1, argv + argc});
  const std::vector<double> values = read_values();
  std::vector<std::int32_t> cells(values.size());
  axis.index(values, cells.data());
  std::cout.write(reinterpret_cast<const char*>(cells.data()),
                  static_cast<std::streamsize>(cells.size() * sizeof(std::int32_t)));
  return std::cout.good() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
