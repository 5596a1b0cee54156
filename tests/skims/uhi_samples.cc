// SPDX-License-Identifier: BSD-3-Clause
// Writes filled histograms of every kind as UHI JSON to the file named on the command line.
#include "sample_histograms.h"
#include "uhi_json.h"

#include <fstream>

int main(int num_arguments, char** arguments) {
  if (num_arguments != 2) return 2;
  std::ofstream(arguments[1]) << skimline::skims::to_uhi_json(
      skimline::sample_histograms::filled_histograms());
}
