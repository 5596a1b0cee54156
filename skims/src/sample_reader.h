// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "located_json.h"

#include "skimline/skims/config.h"

#include <filesystem>
#include <optional>
#include <string>

namespace skimline::skims {

/// Reads one of "samples" and finds its files, relative to `folder`.
Sample read_sample(const Text& name, const JsonValue& value, const std::filesystem::path& folder,
                   Diagnostics& diagnostics);

/// Reads a value for expressions; `what` names it in an error.
std::optional<ConstantValue> read_constant(const JsonValue& value, const std::string& what,
                                           Diagnostics& diagnostics);

}  // namespace skimline::skims
