// SPDX-License-Identifier: BSD-3-Clause
// Which sample, region and variation the histograms of a file belong to, as its record says.
#pragma once

#include "skimline/skims/histogram_file.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// One histogram of a file.
struct CataloguedHistogram {
  std::string name;       ///< in the file
  std::string histogram;  ///< in the config
  std::string region;     ///< empty if it is in none
  std::string sample;  ///< or the sum of samples; of one that is a variation, the nominal one or the process
  std::string variation;   ///< "jes_up"; empty for nominal ones
  std::string systematic;  ///< "jes"
  std::string direction;   ///< "up"; empty if it has none
};

struct CataloguedSample {
  std::string name;
  bool is_data = false;
  bool is_sum = false;  ///< of samples
};

/// What a file holds, in the order of the config. Without a record there is nothing in it.
struct HistogramCatalogue {
  std::vector<CataloguedSample> samples;
  std::vector<std::string> histograms, regions;
  std::vector<std::string> varied_samples;              ///< that are variations of others
  std::map<std::string, std::set<std::string>> summed;  ///< the samples of each sum
  std::vector<CataloguedHistogram> filled;
  std::string plots;  ///< "plots" of the config as JSON, or empty
};

/// Returns what the record of a file says of its histograms. Names that it does not have are left out. Throws
/// FileError if the record is damaged.
HistogramCatalogue catalogue_of(const HistogramFile& file);

/// The same of a file whose record is known.
HistogramCatalogue catalogue_of(const HistogramFile& file, const RunRecord& record);

/// Returns it as one JSON object.
std::string to_json(const HistogramCatalogue& catalogue);

}  // namespace skimline::skims
