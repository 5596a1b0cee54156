// SPDX-License-Identifier: BSD-3-Clause
// Where in a config something is: "histograms.mass.x.bins", "select.0.where".
#pragma once

#include "config/json/located_json.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// The names of keys and the numbers of list items that lead to a value, each with its place.
using ConfigPath = std::vector<Text>;

/// Returns the parts of a path, between its dots; a part with a dot is quoted like a JSON string. Adds an
/// error and returns nothing if it is not one.
std::optional<ConfigPath> parse_path(const Text& path, const ConfigText& source, Diagnostics& diagnostics);

/// Returns the first `num_parts` parts as a text that parse_path() understands.
std::string to_text(const ConfigPath& path, std::size_t num_parts);

/// Puts `value` in the place of what is at `path`. Keys that are not there are made, list items are not.
void set_value(JsonValue& root, const ConfigPath& path, JsonValue value, Diagnostics& diagnostics);

}  // namespace skimline::skims
