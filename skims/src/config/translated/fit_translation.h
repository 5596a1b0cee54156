// SPDX-License-Identifier: BSD-3-Clause
// A config that is being made of one of TRExFitter.
#pragma once

#include "config/translated/config_writing.h"
#include "config/translated/fit_words.h"
#include "config/translated/trexfitter_blocks.h"

#include <filesystem>
#include <string>
#include <vector>

namespace skimline::skims {

/// Throws ConfigError if there is no block of the kind.
const FitBlock& first_of(const std::vector<FitBlock>& blocks, const std::string& kind);

/// The blocks, and the parts of the config that have been made of some.
struct FitTranslation {
  /// Throws ConfigError if there is no job or sample.
  FitTranslation(std::vector<FitBlock> blocks, std::filesystem::path config_path);
  FitTranslation(const FitTranslation&) = delete;
  FitTranslation& operator=(const FitTranslation&) = delete;

  std::vector<FitBlock> blocks_of(const std::string& kind) const;

  std::vector<FitBlock> blocks;
  std::filesystem::path config_path;
  FitBlock job;
  std::vector<std::string> left_out;
  FitWords words;

  OrderedJson samples = OrderedJson::object(), define = OrderedJson::object(),
              weights = OrderedJson::object(), variations = OrderedJson::object(),
              regions = OrderedJson::object(), histograms = OrderedJson::object();
  bool ignores_selections = false;  ///< whether a sample does: then selections have names
};

bool is_data(const FitBlock& sample);

/// The definition that holds the weight of a region.
std::string region_weight(const FitBlock& region, FitTranslation& fit);

}  // namespace skimline::skims
