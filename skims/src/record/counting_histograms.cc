// SPDX-License-Identifier: BSD-3-Clause
#include "record/counting_histograms.h"

namespace skimline::skims {

void keep_common(HistogramsOfRegions& counted_by, const HistogramsOfRegions& other) {
  for (auto& [region, histograms] : counted_by) {
    const auto found = other.find(region);
    std::erase_if(histograms, [&](const std::string& each) {
      return found == other.end() || !found->second.contains(each);
    });
  }
  std::erase_if(counted_by, [](const auto& each) { return each.second.empty(); });
}

}  // namespace skimline::skims
