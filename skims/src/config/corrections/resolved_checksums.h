// SPDX-License-Identifier: BSD-3-Clause
// Checksums in resolved configs: records say with which files a run was made, and their configs run with no
// others.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// By name in a section of the config: the checksum of the file.
using NamedChecksums = std::vector<std::pair<std::string, std::string>>;

/// Puts the checksums into the `section` of a resolved config, JSON, as "checksum" of what they name.
void add_checksums(const std::string& section, const NamedChecksums& checksums, std::string& resolved);

}  // namespace skimline::skims
