// SPDX-License-Identifier: BSD-3-Clause
// Writes filled histograms of every kind and a record as UHI JSON to the file named on the command line.
#include "record/uhi_json.h"
#include "sample_histograms.h"
#include "sample_record.h"

#include <fstream>

int main(int num_arguments, char** arguments) {
  if (num_arguments != 2) return 2;
  using namespace skimline::skims;
  SampleRecord ttbar = sample_record("ttbar", {100, 40, 7}, {12.5, 3.25, -0.5}, {500, 20, 3});
  ttbar.cross_section_pb = 729.84;
  ttbar.inputs = {{"a.root", "Events", "uuid", 100, {{0, 100}}}};
  const RunRecord record{.version = "0.9.0",
                         .configs = {R"({"schema_version": 1})"},
                         .samples = {ttbar, sample_record("data", {5}, {5}, {5})}};
  std::ofstream(arguments[1]) << to_uhi_json(skimline::sample_histograms::filled_histograms(), &record);
}
