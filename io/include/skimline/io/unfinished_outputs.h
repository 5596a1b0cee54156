// SPDX-License-Identifier: BSD-3-Clause
// What a process that ends at once has to know of its outputs.
#pragma once

#include <filesystem>

namespace skimline::io {

/// Whether this process has begun to write a file. May be called in a signal handler.
bool has_begun_outputs() noexcept;

/// Notes that a file is about to be written in a folder.
void note_output_in(const std::filesystem::path& folder);

/// Removes what outputs of this process are as long as they are not complete: for a process that cannot go
/// on. Other threads may still write to them.
void remove_unfinished_outputs() noexcept;

}  // namespace skimline::io
