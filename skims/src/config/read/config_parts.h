// SPDX-License-Identifier: BSD-3-Clause
// The files that a config is made of.
#pragma once

#include "config/json/located_json.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// One file of a config.
struct ParsedPart {
  JsonValue root;
  std::size_t number = 0;             ///< of the part in the config's text
  std::filesystem::path folder;       ///< as seen from the folder of the config
  std::set<std::size_t> is_built_on;  ///< numbers of the parts that it includes, directly or not
};

/// Reads a config whose text is given, and the files that it includes, each once. Returns them with what a
/// part includes before it, the config itself last. What is wrong with them goes to `diagnostics`.
std::vector<ParsedPart> read_parts(ConfigText& source, const std::string& text, Diagnostics& diagnostics);

}  // namespace skimline::skims
