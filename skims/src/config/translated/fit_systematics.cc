// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fit_systematics.h"

#include "config/translated/fit_samples.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

constexpr const char* kUp = "up";
constexpr const char* kDown = "down";

bool may_have_systematics(const FitBlock& sample) {
  if (is_data(sample)) return false;
  const std::string told = sample.word("UseSystematics");
  return told.empty() ? sample.word("Type") != "GHOST" : told == "TRUE";
}

// Lists of samples and regions may have "*" and "?".
bool lists(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches_pattern(name, pattern); });
}

// Which simulated samples a systematic is of.
std::vector<FitBlock> samples_of(const FitBlock& systematic, const FitTranslation& fit) {
  const std::vector<std::string> named = systematic.values("Samples"),
                                 excluded = systematic.values("Exclude"),
                                 dummies = systematic.values("DummyForSamples");
  const bool are_all = named.empty() || std::find(named.begin(), named.end(), "all") != named.end();
  std::vector<FitBlock> samples;
  for (const FitBlock& sample : fit.blocks_of("Sample"))
    if ((are_all || lists(named, sample.name)) && !lists(excluded, sample.name) &&
        !lists(dummies, sample.name) && may_have_systematics(sample))
      samples.push_back(sample);
  return samples;
}

// "Exclude" has samples and regions.
bool excludes_regions(const FitBlock& systematic, const FitTranslation& fit) {
  const std::vector<FitBlock> regions = fit.blocks_of("Region");
  const std::vector<std::string> excluded = systematic.values("Exclude");
  return std::any_of(regions.begin(), regions.end(),
                     [&](const FitBlock& region) { return lists(excluded, region.name); });
}

std::string suffix(const std::string& direction) { return direction == kUp ? "Up" : "Down"; }

bool has_files(const FitBlock& systematic, const std::string& direction) {
  return std::any_of(systematic.settings.begin(), systematic.settings.end(), [&](const auto& setting) {
    return setting.name.starts_with("Ntuple") && setting.name.ends_with(suffix(direction));
  });
}

bool has_weight(const FitBlock& systematic, const std::string& direction) {
  return !systematic.value("Weight" + suffix(direction)).empty() ||
         !systematic.value("WeightSuf" + suffix(direction)).empty();
}

// The weight of a sample as a systematic has it; `nominal` is its own.
std::string varied_weight(const FitBlock& systematic, const std::string& direction,
                          const std::string& nominal, FitTranslation& fit) {
  const std::string whole = systematic.value("Weight" + suffix(direction));
  const std::string factor = systematic.value("WeightSuf" + suffix(direction));
  if (!whole.empty()) return fit.words.formula(whole);
  if (factor.empty()) return {};
  return (nominal.empty() ? "" : "(" + nominal + ") * ") + "(" + fit.words.formula(factor) + ")";
}

bool add_varied_weight(const FitBlock& systematic, const std::string& direction, FitTranslation& fit) {
  const std::string weight = varied_weight(systematic, direction, "sample_weight", fit);
  if (weight.empty()) return false;
  OrderedJson& variation = fit.variations[fit.words.identifier(systematic)];
  variation["weights"]["sample_weight"][direction] = weight;
  OrderedJson names = OrderedJson::array();
  for (const FitBlock& sample : samples_of(systematic, fit)) names.push_back(fit.words.object_name(sample));
  variation["samples"] = std::move(names);
  variation["allow_unchanged"] = true;  // TRExFitter fills the histograms of a factor of 1 too
  return true;
}

// Other files are samples that are variations.
void add_varied_samples(const FitBlock& systematic, const std::string& direction, FitTranslation& fit) {
  for (const FitBlock& sample : samples_of(systematic, fit)) {
    const std::string name = fit.words.object_name(sample), key = fit.words.identifier(systematic);
    const std::string varied = name + "__" + key + "_" + direction;
    if (fit.samples.contains(varied))
      throw ConfigError(systematic.place + ": the systematic " + systematic.name + " of " + sample.name +
                        " would be a second sample \"" + varied + "\": rename one");
    OrderedJson json = sample_of(sample, ntuple_paths(fit.job, sample, &systematic, direction),
                                 {{"process", name},
                                  {"variation", key + "_" + direction},
                                  {"systematic", key},
                                  {"direction", direction}},
                                 fit);
    const bool has_own = json.contains("weights") && json["weights"].contains("sample_weight");
    const std::string nominal = has_own ? json["weights"]["sample_weight"].get<std::string>() : "";
    if (const std::string weight = varied_weight(systematic, direction, nominal, fit); !weight.empty())
      json["weights"]["sample_weight"] = weight;
    fit.samples[varied] = std::move(json);
  }
}

}  // namespace

void add_systematic(const FitBlock& systematic, FitTranslation& fit) {
  const auto leave_out = [&](const std::string& why) {
    fit.left_out.push_back(systematic.place + ": the systematic " + systematic.name + ": " + why);
  };
  const std::string type = systematic.word("Type");
  if (type == "OVERALL" || type == "STAT") return leave_out(type + " is for the fit");
  for (const char* key : {"ReferenceSample", "IgnoreWeight"})
    if (!systematic.written(key).empty()) return leave_out(std::string(key) + " has no counterpart");
  if (samples_of(systematic, fit).empty()) return leave_out("none of the samples has it");
  if (!systematic.written("Regions").empty())
    fit.left_out.push_back(systematic.place + ": Regions of the systematic " + systematic.name +
                           ": its histograms are filled in all regions");
  if (excludes_regions(systematic, fit))
    fit.left_out.push_back(systematic.place + ": Exclude of the systematic " + systematic.name +
                           ": its histograms are filled in all regions");
  if (!systematic.written("DummyForSamples").empty())
    fit.left_out.push_back(systematic.place + ": DummyForSamples of the systematic " + systematic.name +
                           ": these samples have no histograms of it, which would be the nominal ones");
  const bool is_second = fit.variations.contains(fit.words.identifier(systematic));
  bool is_used = false;
  for (const char* direction : {kUp, kDown}) {
    if (has_files(systematic, direction))
      add_varied_samples(systematic, direction, fit);
    else if (is_second && has_weight(systematic, direction))
      return leave_out("one above has its name, and a variation has one weight: give it another name");
    else if (!add_varied_weight(systematic, direction, fit))
      continue;
    is_used = true;
  }
  if (!is_used) leave_out("it has neither weights nor n-tuples");
}

}  // namespace skimline::skims
