// SPDX-License-Identifier: BSD-3-Clause
// Prints nothing but cells: reads doubles from the standard input, writes the cell of each as an int32, both
// as raw bytes. The arguments are an axis (axis_words.h), with "float" before it if floats are read:
//
//   histograms_bin_dump [float] regular <bins> <low> <high>
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

template <typename Real>
bool write_cells(const Axis& axis) {
  const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
  std::vector<Real> values(bytes.size() / sizeof(Real));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Real));
  std::vector<std::int32_t> cells(values.size());
  axis.index(values, cells.data());
  std::cout.write(reinterpret_cast<const char*>(cells.data()),
                  static_cast<std::streamsize>(cells.size() * sizeof(std::int32_t)));
  return std::cout.good();
}

}  // namespace

int main(int argc, char** argv) try {
  const bool are_floats = argc > 1 && std::string(argv[1]) == "float";
  const Axis axis = skimline::histograms::testing::axis_from({argv + (are_floats ? 2 : 1), argv + argc});
  return (are_floats ? write_cells<float>(axis) : write_cells<double>(axis)) ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
