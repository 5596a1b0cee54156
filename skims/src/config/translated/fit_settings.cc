// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fit_settings.h"

#include <map>
#include <set>

namespace skimline::skims {
namespace {

// By kind of block.
const std::map<std::string, std::set<std::string>> kCarried{
    {"Job",
     {"ReadFrom", "NtuplePath", "NtuplePaths", "NtupleFile", "NtupleFiles", "NtupleName", "NtupleNames",
      "MCweight", "Selection", "Lumi"}},
    {"Region", {"Variable", "VariableTitle", "Selection", "MCweight", "Binning", "Rebin"}},
    {"Sample",
     {"Type",
      "NtuplePath",
      "NtuplePaths",
      "NtupleFile",
      "NtupleFiles",
      "NtupleName",
      "NtupleNames",
      "NtuplePathSuff",
      "NtuplePathSuffs",
      "NtupleFileSuff",
      "NtupleFileSuffs",
      "NtupleNameSuff",
      "NtupleNameSuffs",
      "MCweight",
      "Selection",
      "IgnoreSelection",
      "IgnoreWeight",
      "NormalizedByTheory",
      "UseSystematics",
      "LumiScale",
      "LumiScales"}},
    {"Systematic",
     {"Samples",         "Exclude",           "WeightUp",        "WeightDown",       "WeightSufUp",
      "WeightSufDown",   "NtuplePathUp",      "NtuplePathDown",  "NtuplePathsUp",    "NtuplePathsDown",
      "NtupleFileUp",    "NtupleFileDown",    "NtupleFilesUp",   "NtupleFilesDown",  "NtupleNameUp",
      "NtupleNameDown",  "NtupleNamesUp",     "NtupleNamesDown", "NtuplePathSufUp",  "NtuplePathSufDown",
      "NtupleFileSufUp", "NtupleFileSufDown", "NtupleNameSufUp", "NtupleNameSufDown"}},
};

bool is_told(const std::string& kind, const std::string& setting) {
  return (kind == "Systematic" && (setting == "Type" || setting == "DummyForSamples")) ||
         (kind == "Region" && setting.ends_with("ForSample")) ||
         ((kind == "Sample" || kind == "Systematic") && (setting == "Regions" || setting == "Exclude"));
}

}  // namespace

void leave_out_settings(const std::vector<FitBlock>& blocks, std::vector<std::string>& left_out) {
  std::map<std::string, std::set<std::string>> others;
  for (const FitBlock& block : blocks) {
    const auto carried = kCarried.find(block.kind);
    if (carried == kCarried.end()) others[block.kind];
    for (const FitBlock::Setting& setting : block.settings)
      if (carried != kCarried.end() && !carried->second.contains(setting.name) &&
          !is_told(block.kind, setting.name))
        others[block.kind].insert(setting.name);
  }
  for (const auto& [kind, settings] : others) {
    std::string names;
    for (const std::string& name : settings) names += (names.empty() ? ": " : ", ") + name;
    left_out.push_back(kind + names + ": of the fit and its drawings, which read the histograms");
  }
}

}  // namespace skimline::skims
