// SPDX-License-Identifier: BSD-3-Clause
// Reads the StreamerInfo record: how the classes of a file's objects are laid out.
#pragma once

#include "skimline/io/class_layouts.h"
#include "skimline/io/root_file.h"

#include <cstddef>
#include <span>

namespace skimline::io {

/// Reads the uncompressed payload of the record, whose key has `key_size` bytes. Throws FormatError if it is
/// damaged.
ClassLayouts read_class_layouts(std::span<const std::byte> payload, std::size_t key_size);

/// Returns none if the file has no such record or a damaged one: what is read by it then has to do without.
/// Throws FileError if the storage fails.
ClassLayouts read_class_layouts(const RootFile& file);

}  // namespace skimline::io
