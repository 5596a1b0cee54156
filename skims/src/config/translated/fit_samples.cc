// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fit_samples.h"

#include "config/read/config_variables.h"
#include "config/translated/text_replacing.h"

#include <string>
#include <utility>

namespace skimline::skims {
namespace {

OrderedJson files_of(const std::vector<NtuplePath>& paths, const FitTranslation& fit) {
  OrderedJson files = OrderedJson::array();
  for (const NtuplePath& path : paths)
    files.push_back(plain_text(path_from(path.file, fit.config_path)) +
                    (path.tree.empty() ? "" : ":" + plain_text(path.tree)));
  return files;
}

void add_ignored_selections(OrderedJson& json, const FitBlock& sample, FitTranslation& fit) {
  const std::string ignored = sample.value("IgnoreSelection");
  if (ignored.empty() || ignored == "FALSE") return;
  const auto rest = [&](const std::string& selection) {
    return ignored == "TRUE" ? "true" : fit.words.cut(with_replaced(selection, ignored, "1"));
  };
  if (!is_one(fit.job.value("Selection"))) json["define"]["job_selection"] = rest(fit.job.value("Selection"));
  for (const FitBlock& region : fit.blocks_of("Region"))
    if (!is_one(region.value("Selection")))
      json["define"]["selection_" + fit.words.identifier(region)] = rest(region.value("Selection"));
  fit.ignores_selections = true;
}

void add_ignored_weights(OrderedJson& json, const FitBlock& sample, FitTranslation& fit) {
  const std::string ignored = sample.value("IgnoreWeight");
  const std::string told = sample.word("NormalizedByTheory");
  const bool is_normalised = told.empty() || told == "TRUE";
  const bool ignores = !ignored.empty() && ignored != "FALSE";
  const auto rest = [&](const std::string& weight) {
    return ignored == "TRUE" ? "1." : fit.words.formula(with_replaced(weight, ignored, "1"));
  };
  if (fit.weights.contains("job_weight") && (ignores || !is_normalised))
    json["weights"]["job_weight"] = is_normalised ? rest(fit.job.value("MCweight")) : "1.";
  if (fit.weights.contains("luminosity_factor") && !is_normalised)
    json["weights"]["luminosity_factor"] = "1.";
  for (const FitBlock& region : fit.blocks_of("Region"))
    if (ignores && !is_one(region.value("MCweight")))
      json["define"][region_weight(region, fit)] = rest(region.value("MCweight"));
}

// Applied to histograms there, so those of data and of other weights have it, too.
void add_scale(OrderedJson& json, const FitBlock& sample, FitTranslation& fit) {
  const std::vector<std::string> scales = scales_of(sample);
  if (scales.size() == 1) json["weights"]["luminosity_scale"] = fit.words.formula(scales[0]);
  if (scales.size() > 1)
    fit.left_out.push_back(sample.place + ": LumiScales of each file of " + sample.name +
                           ": make a sample of each, with a \"luminosity_scale\" of its own");
}

// What a sample says of selections and weights, its own weight as given.
void complete(OrderedJson& json, const FitBlock& sample, FitTranslation& fit) {
  if (!is_one(sample.value("Selection"))) {
    json["define"]["sample_selection"] = fit.words.cut(sample.value("Selection"));
    fit.define["sample_selection"] = "true";
  }
  add_ignored_selections(json, sample, fit);
  add_scale(json, sample, fit);
  if (is_data(sample)) return;
  if (const std::string own = sample.value("MCweight"); !is_one(own))
    json["weights"]["sample_weight"] = fit.words.formula(own);
  add_ignored_weights(json, sample, fit);
}

}  // namespace

std::vector<std::string> scales_of(const FitBlock& sample) {
  std::vector<std::string> scales = sample.values("LumiScale");
  for (const std::string& each : sample.values("LumiScales")) scales.push_back(each);
  return scales;
}

OrderedJson sample_of(const FitBlock& sample, const std::vector<NtuplePath>& paths, OrderedJson metadata,
                      FitTranslation& fit) {
  OrderedJson json;
  json["files"] = files_of(paths, fit);
  if (is_data(sample)) json["is_data"] = true;
  json["metadata"] = std::move(metadata);
  complete(json, sample, fit);
  return json;
}

void add_sample(const FitBlock& sample, FitTranslation& fit) {
  const std::string name = fit.words.object_name(sample);
  fit.samples[name] = sample_of(sample, ntuple_paths(fit.job, sample, nullptr, ""), {{"process", name}}, fit);
  for (const char* key : {"Regions", "Exclude"})
    if (!sample.written(key).empty())
      fit.left_out.push_back(sample.place + ": " + key + " of the sample " + name +
                             ": its histograms are filled in all regions");
}

}  // namespace skimline::skims
