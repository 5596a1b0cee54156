// SPDX-License-Identifier: BSD-3-Clause
// Opens files of other machines, wherever they have copies.
#pragma once

#include "skimline/io/read_stop.h"
#include "skimline/io/remote_file.h"

#include <cstdint>
#include <optional>
#include <string>

namespace skimline::io {

/// Opens a file by its URL, or by several with "|" between them, which lead to copies of one file: the next
/// one is tried where one fails, also while the file is read, and has to have the same size and the same
/// bytes at both ends. Secrets in it may be hidden, see url_secrets.h. About `end_bytes` of both ends are
/// read at the same time. What is read is kept as `use` and the environment say. Throws FileError, of several
/// copies saying of each what is wrong, and Interrupted soon after `stop` is set.
OpenedRemote open_remote(const std::string& name, std::uint64_t end_bytes, const CacheUse& use = {},
                         StopFlag stop = {});

/// Asks for the size of a file; nothing if there is none of that name. Throws FileError.
std::optional<std::uint64_t> remote_size(const std::string& name);

/// Throws FileError if a URL cannot name an output, with the nearest scheme if its own is unknown; asks
/// nobody.
void check_output_url(const std::string& name);

}  // namespace skimline::io
