// SPDX-License-Identifier: BSD-3-Clause
// Other names for columns, as configs give them.
#pragma once

#include "config/json/located_json.h"

#include "skimline/skims/config.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Reads "aliases": by name what it stands for. With `*` in the name, which then is in both once, a pattern
/// of names. Mistakes that need no columns are noted.
std::vector<Definition> read_aliases(const JsonValue& value, Diagnostics& diagnostics);

/// What `name` stands for if it is `alias`, or matches it; nothing otherwise.
std::optional<std::string> target_of(const std::string& name, const Definition& alias);

/// The column that a name stands for by way of any number of aliases: itself if there is none.
Text stands_for(const Text& name, const std::vector<Definition>& aliases);

}  // namespace skimline::skims
