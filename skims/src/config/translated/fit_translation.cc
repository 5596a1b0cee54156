// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fit_translation.h"

#include "skimline/framework/error.h"

#include <utility>

namespace skimline::skims {
namespace {

NtuplePath first_input(const std::vector<FitBlock>& blocks, const FitBlock& job) {
  return ntuple_paths(job, first_of(blocks, "Sample"), nullptr, "").front();
}

}  // namespace

const FitBlock& first_of(const std::vector<FitBlock>& blocks, const std::string& kind) {
  for (const FitBlock& block : blocks)
    if (block.kind == kind) return block;
  throw ConfigError("the config of TRExFitter has no block \"" + kind + "\"");
}

FitTranslation::FitTranslation(std::vector<FitBlock> of_config, std::filesystem::path path)
    : blocks(std::move(of_config)),
      config_path(std::move(path)),
      job(first_of(blocks, "Job")),
      words(first_input(blocks, job), left_out) {}

std::vector<FitBlock> FitTranslation::blocks_of(const std::string& kind) const {
  std::vector<FitBlock> found;
  for (const FitBlock& block : blocks)
    if (block.kind == kind) found.push_back(block);
  return found;
}

bool is_data(const FitBlock& sample) { return sample.word("Type") == "DATA"; }

std::string region_weight(const FitBlock& region, FitTranslation& fit) {
  return "weight_" + fit.words.identifier(region);
}

}  // namespace skimline::skims
