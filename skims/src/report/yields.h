// SPDX-License-Identifier: BSD-3-Clause
// How many events samples come to, with all weights: what a file of histograms and its record say.
#pragma once

#include "skimline/skims/histogram_catalogue.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/run_record.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What a region comes to in one variation.
struct VariedYield {
  std::string variation;   ///< "jes_up"
  std::string systematic;  ///< "jes"
  double value = 0;
};

/// A sum of weights with the root of the sum of their squares.
struct Yield {
  double value = 0, error = 0;
  std::vector<VariedYield> variations;
};

/// How far systematic variations reach from a nominal value, both not negative: of each systematic its
/// largest shift upwards and downwards, in quadrature. Variations to one side count to that side.
struct Reach {
  double up = 0, down = 0;
};
Reach reach_of(const Yield& yield);

/// A sample, a sum of samples, or all simulated samples together.
struct YieldsOfSample {
  std::string name;
  bool is_data = false, is_sum = false;
  bool is_normalised = false;
  std::map<std::string, Yield> steps, regions;    ///< by name; the region "" is all that is selected
  std::map<std::string, std::string> counted_by;  ///< by region: the histogram whose fills these are
};

/// Steps in the order of the cutflow, regions in that of the config.
struct Yields {
  std::vector<std::string> steps, regions;
  std::vector<YieldsOfSample> samples;
};

/// Returns the yields of all samples of a record: of steps sums of the weights whose sum the record has,
/// times its normalisation; of regions what the histogram that counts them holds, under- and overflow
/// included, in all variations. Without a file there are steps only. If two simulated samples or more are
/// normalised, "all simulated" is their sum, variations of one name fully correlated. Throws FileError.
Yields yields_of(const RunRecord& record, const HistogramFile* file);

}  // namespace skimline::skims
