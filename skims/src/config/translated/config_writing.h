// SPDX-License-Identifier: BSD-3-Clause
// What all configs that are made of other tools' inputs have in common.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace skimline::skims {

struct TranslatedConfig {
  std::string text;                   ///< with what is left out as comments
  std::vector<std::string> left_out;  ///< what could not be carried over, a sentence for each
};

using OrderedJson = nlohmann::ordered_json;

/// A path relative to the current folder as seen from the folder of the config; URLs and absolute paths stay.
std::string path_from(const std::string& path, const std::filesystem::path& config_path);

/// A config that says nothing yet.
OrderedJson begun_config();

/// The text of a config, under comments that say what it was made of and what is left out.
TranslatedConfig written(const OrderedJson& config, const std::string& origin,
                         std::vector<std::string> left_out);

}  // namespace skimline::skims
