// SPDX-License-Identifier: BSD-3-Clause
// What a process that ends at once has to know of its outputs.
#pragma once

#include <filesystem>
#include <mutex>

namespace skimline::io {

/// Whether this process has begun to write a file. May be called in a signal handler.
bool has_begun_outputs() noexcept;

/// Notes that a file is about to be written in a folder.
void note_output_in(const std::filesystem::path& folder);

/// Notes a folder that goes with all that is in it when the process ends at once; forgets it again.
void note_temporary_folder(const std::filesystem::path& folder);
void forget_temporary_folder(const std::filesystem::path& folder);

/// Removes temporary folders, and what outputs of this process are as long as they are not complete: for a
/// process that cannot go on. Other threads may still write to them.
void remove_unfinished_outputs() noexcept;

/// To be held while outputs take their names.
[[nodiscard]] std::unique_lock<std::mutex> begin_publishing();

/// As remove_unfinished_outputs(); from now on no output takes its name: who tries waits for ever. Does
/// nothing and returns false if one has its name or is about to.
bool abandon_outputs() noexcept;

}  // namespace skimline::io
