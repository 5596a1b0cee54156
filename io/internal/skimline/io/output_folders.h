// SPDX-License-Identifier: BSD-3-Clause
// Folders of outputs: which are missing, whether they can be made, and making them only for files that stay.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace skimline::io {

/// Returns the folders that must be made before `path`, or what it leads to, can be written: the outermost
/// first, none if there are all. Nothing is made.
std::vector<std::filesystem::path> missing_folders(const std::string& path);

/// Returns why no file can be made at `path`, as far as its folders go, or nothing: a file where a folder
/// should be, no right to write into the innermost folder that there is, or too long a path. Nothing is made.
std::string problem_of_folders(const std::string& path);

/// Makes a folder and those that it lies in, as far as they are missing, and remembers which. Returns the
/// number of the system's error, or 0. Thread-safe, as are those below.
int make_folders(const std::filesystem::path& folder) noexcept;

/// Forgets that a folder, and those that it lies in, were made: there is a file in it that stays.
void keep_folders(const std::filesystem::path& folder);

/// Removes a folder, and those that it lies in, that make_folders() has made, as far as they are empty.
void remove_made_folders(std::filesystem::path folder) noexcept;

/// Removes all folders that were made and are empty: for a process that cannot go on.
void remove_made_folders() noexcept;

}  // namespace skimline::io
