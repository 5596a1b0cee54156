// SPDX-License-Identifier: BSD-3-Clause
// The variables of a config, put into its texts.
#pragma once

#include "config/json/located_json.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Puts the values of `variables`, an object, in the place of "${name}" in all texts of `root`. A text that
/// is nothing else becomes the value; "$${" stands for "${". Returns the variables that nothing uses.
std::vector<Text> put_in_variables(const JsonValue& variables, JsonValue& root, Diagnostics& diagnostics);

/// As a text that no variable is put in, "${" is written "$${".
std::string plain_text(std::string text);

/// Makes all texts in `value` such ones, so that what is written of it is read as it is.
void make_plain(JsonValue& value);

}  // namespace skimline::skims
