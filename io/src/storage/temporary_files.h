// SPDX-License-Identifier: BSD-3-Clause
// Files under the names that outputs have until they are complete.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace skimline::io {

/// The folder of a path, "." if it names none.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Returns ".<name>.<process>-<number><ending>" in the folder of `path`, another one with each call.
std::string temporary_name(const std::filesystem::path& path, std::string_view ending = ".part");

/// Returns "<name>.<process>-<number><extension>" in the folder of `path`, which no file has.
std::string kept_name(const std::filesystem::path& path);

/// Locks an open file as long as it is open in this process, so that it is not taken for one that was left.
/// Returns whether it is still there. Storage that knows no locks does not matter.
bool lock_temporary(int descriptor);

/// Removes the temporary files in a folder that no process holds locked. Where other machines write too, and
/// locks might not reach them, only those that nobody has written to for a day.
void remove_abandoned(const std::filesystem::path& folder);

}  // namespace skimline::io
