// SPDX-License-Identifier: BSD-3-Clause
// Paths in configs and lists, as seen from the folder of the file that has them.
#pragma once

#include <filesystem>
#include <string>

namespace skimline::skims {

/// Returns a path without "." and "..", but for those ".." that stand behind a link: they lead from the
/// folder which that leads to. Relative paths are seen from `folder`.
std::filesystem::path plain_path(const std::filesystem::path& path, const std::filesystem::path& folder = {});

/// Returns how `path`, as seen from the working folder, is written in a file that lies in `folder`.
std::filesystem::path path_from_folder(const std::filesystem::path& path,
                                       const std::filesystem::path& folder);

/// Returns `path` as seen from `folder`; absolute paths stay as they are.
std::filesystem::path resolved(const std::filesystem::path& folder, const std::string& path);

/// Whether a text is read from a pipe or the like, by a name that the system gives it: /dev/stdin, for
/// instance.
bool is_of_system(const std::string& path);

/// Returns the folder that paths in a file are seen from: its own, and of what is of the system the one in
/// which the program runs.
std::filesystem::path folder_of(const std::string& path);

}  // namespace skimline::skims
