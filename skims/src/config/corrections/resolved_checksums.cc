// SPDX-License-Identifier: BSD-3-Clause
#include "config/corrections/resolved_checksums.h"

#include <nlohmann/json.hpp>

namespace skimline::skims {

void add_checksums(const std::string& section, const NamedChecksums& checksums, std::string& resolved) {
  auto json = nlohmann::ordered_json::parse(resolved);
  for (const auto& [name, checksum] : checksums) json[section][name]["checksum"] = checksum;
  resolved = json.dump();
}

}  // namespace skimline::skims
