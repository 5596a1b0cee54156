// SPDX-License-Identifier: BSD-3-Clause
// The events that a skim takes of a part, as files of a store.
#pragma once

#include <string>

namespace skimline::skims {

/// What their names end with.
inline constexpr const char* kSkimSuffix = ".skim.root";

/// Whether a file of a store has such a name.
bool is_skim_file(const std::string& path);

/// Reads all of a file, in the threads of the caller's arena. Throws FileError if anything in it is damaged.
void check_skim_file(const std::string& path);

/// Removes the file if it is damaged. Returns whether there is a sound one.
bool is_sound_skim(const std::string& path, int threads);

}  // namespace skimline::skims
