// SPDX-License-Identifier: BSD-3-Clause
// One sample of a config.
#pragma once

#include "config/json/located_json.h"

#include "skimline/skims/config.h"

#include <optional>
#include <string>

namespace skimline::skims {

/// Reads one of "samples"; its files are looked for later. `files` is empty if it names none.
Sample read_sample(const Text& name, const JsonValue& value, Diagnostics& diagnostics);

/// Reads "sample_defaults": what samples have that do not say otherwise.
void read_sample_defaults(const JsonValue& value, Sample& sample, Diagnostics& diagnostics);

/// Adds an error if a value for expressions cannot have this name.
void check_metadata_name(const Text& name, Diagnostics& diagnostics);

/// Returns a value for expressions, or nothing if it is none.
std::optional<ConstantValue> constant_of(const JsonValue& value);

/// The same, with an error; `what` names the value in it.
std::optional<ConstantValue> read_constant(const JsonValue& value, const std::string& what,
                                           Diagnostics& diagnostics);

/// Reads what columns are in files that lack them: such a value, or a list of them.
std::optional<io::DefaultValue> read_default(const JsonValue& value, Diagnostics& diagnostics);

}  // namespace skimline::skims
