// SPDX-License-Identifier: BSD-3-Clause
// The skims of a config.
#pragma once

#include "config/read/event_choice_reader.h"

#include <filesystem>

namespace skimline::skims {

/// Reads one skim, whose file is relative to `folder`; nothing if it has no file.
std::optional<SkimConfig> read_skim(const Text& name, const JsonValue& value, const EventChoiceReader& events,
                                    const std::filesystem::path& folder, Diagnostics& diagnostics);

}  // namespace skimline::skims
