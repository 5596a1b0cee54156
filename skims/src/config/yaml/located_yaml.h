// SPDX-License-Identifier: BSD-3-Clause
// YAML whose values know their places in the text, as those of JSON do.
#pragma once

#include "config/json/located_json.h"

#include <string>

namespace skimline::skims {

/// Parses a text with one document of YAML 1.1. Aliases stand for copies of what their anchors name, with the
/// places of these; "<<" merges the keys of other mappings. Scalars without quotes are `true`, `false`, null
/// or numbers where YAML says so. Keys may be numbers and are strings in the result. Adds to `diagnostics`
/// what libyaml cannot read, texts that are not UTF-8, keys that appear twice, tags, several documents,
/// nesting beyond 64 levels and more than 200 000 values, and then returns a value that is not complete.
JsonValue parse_located_yaml(const std::string& text, Diagnostics& diagnostics);

}  // namespace skimline::skims
