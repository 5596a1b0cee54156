// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/trexfitter_config.h"

#include "config/read/config_variables.h"
#include "config/translated/fit_regions.h"
#include "config/translated/fit_samples.h"
#include "config/translated/fit_settings.h"
#include "config/translated/fit_systematics.h"
#include "config/translated/fit_translation.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"

#include <set>
#include <utility>

namespace skimline::skims {
namespace {

// Where each region reads its own trees there is no sample of all.
void check_reads_ntuples(const std::vector<FitBlock>& blocks) {
  const FitBlock& job = first_of(blocks, "Job");
  const std::string from = job.word("ReadFrom");
  if (from != "NTUP" && from != "NTUPLE")
    throw ConfigError(job.place + ": the job reads \"" + job.value("ReadFrom") +
                      "\": a config can be made where it reads n-tuples, \"ReadFrom: NTUP\"");
  static_cast<void>(first_of(blocks, "Region"));
  for (const FitBlock& block : blocks)
    for (const FitBlock::Setting& setting : block.settings)
      if (block.kind == "Region" && setting.name.starts_with("Ntuple"))
        throw ConfigError(block.place + ": " + setting.name +
                          ": regions with n-tuples of their own are samples of their own here: make a config "
                          "of each such region, with its n-tuples in the block \"Job\"");
}

// Of two samples or regions with one name the first would be lost.
void check_names(const std::vector<FitBlock>& blocks) {
  std::set<std::pair<std::string, std::string>> known;
  for (const FitBlock& block : blocks)
    if ((block.kind == "Sample" || block.kind == "Region") && !known.insert({block.kind, block.name}).second)
      throw ConfigError(block.place + ": there is another " + block.kind + " \"" + block.name +
                        "\" above: rename one");
}

// Factors of simulated samples; of data all are 1.
void add_weights(FitTranslation& fit) {
  const std::string lumi = fit.job.value("Lumi");
  if (!is_one(fit.job.value("MCweight")))
    fit.weights["job_weight"] = fit.words.formula(fit.job.value("MCweight"));
  if (!is_one(lumi) && only_number(lumi) != 1.) fit.weights["luminosity_factor"] = fit.words.formula(lumi);
  fit.weights["sample_weight"] = "1.";
  for (const FitBlock& sample : fit.blocks_of("Sample"))
    if (scales_of(sample).size() == 1) fit.weights["luminosity_scale"] = "1.";
}

OrderedJson whole(FitTranslation& fit) {
  OrderedJson config = begun_config();
  OrderedJson select = OrderedJson::array();
  if (const std::string job = selection(fit.job.value("Selection"), "job_selection", fit); job != "true")
    select.push_back({{"name", "job"}, {"where", job}});
  if (fit.define.contains("sample_selection"))
    select.push_back({{"name", "sample"}, {"where", "sample_selection"}});
  config["samples"] = fit.samples;
  if (!fit.define.empty()) config["define"] = fit.define;
  config["weights"] = fit.weights;
  if (!fit.variations.empty()) config["variations"] = fit.variations;
  if (!select.empty()) config["select"] = select;
  config["regions"] = fit.regions;
  config["histograms"] = fit.histograms;
  config["output"]["histograms"] = {
      {"file", plain_text(fit.config_path.stem().string() + "_histograms.root")},
      {"name", {{"nominal", "{region}_{process}"}, {"varied", "{region}_{process}_{variation}"}}}};
  add_quotient(config);
  return config;
}

}  // namespace

TranslatedConfig config_of_fit(std::vector<FitBlock> blocks, const std::string& origin,
                               const std::filesystem::path& config_path) {
  check_reads_ntuples(blocks);
  check_names(blocks);
  FitTranslation fit(std::move(blocks), config_path);
  add_weights(fit);
  for (const FitBlock& sample : fit.blocks_of("Sample")) add_sample(sample, fit);
  for (const FitBlock& systematic : fit.blocks_of("Systematic")) add_systematic(systematic, fit);
  for (const FitBlock& region : fit.blocks_of("Region")) add_region(region, fit);
  leave_out_settings(fit.blocks, fit.left_out);
  return written(whole(fit), origin, std::move(fit.left_out));
}

}  // namespace skimline::skims
