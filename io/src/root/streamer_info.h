// SPDX-License-Identifier: BSD-3-Clause
// The StreamerInfo record: how the classes of a file's objects are laid out, for readers of any version.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Returns the uncompressed payload of the StreamerInfo record for a file with objects of these classes, and
/// those of their bases and members, as ROOT 6.40 writes it but for its rules about older versions. Throws
/// InternalError for a class that is not in streamer_classes.h. Positions in it count from the record's key,
/// of `key_size` bytes.
std::vector<std::byte> streamer_info_list(std::span<const std::string> class_names, std::size_t key_size);

/// Whether a class is in streamer_classes.h.
bool has_streamer_info(std::string_view class_name);

}  // namespace skimline::io
