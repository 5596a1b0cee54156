// SPDX-License-Identifier: BSD-3-Clause
// Texts as objects of ROOT files, of class TObjString.
#pragma once

#include "skimline/io/compression.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"

#include <string>
#include <string_view>

namespace skimline::io {

/// The class of texts in ROOT files.
inline constexpr const char* kTextClass = "TObjString";

/// Returns a text, UTF-8 of less than 1 GiB, as an object called `name`, which may begin with directories.
/// Compressed if it is long; uncompressed, it is byte for byte what ROOT 6.40 streams.
RootObject text_object(std::string name, std::string_view text, CompressionSetting compression = {});

/// Returns the text of an object. Throws FileError if the object is damaged, or of another class or version.
/// Thread-safe.
std::string read_text_object(const RootFile& file, const RootKey& key);

}  // namespace skimline::io
