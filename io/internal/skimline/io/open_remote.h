// SPDX-License-Identifier: BSD-3-Clause
// Opens files of other machines, wherever they have copies.
#pragma once

#include "skimline/io/remote_file.h"

#include <cstdint>
#include <string>

namespace skimline::io {

/// Opens a file by its URL, or by several with "|" between them, which lead to copies of one file: the next
/// one is tried where one fails, also while the file is read, and has to have the same size and the same
/// bytes at both ends. Secrets in it may be hidden, see url_secrets.h. About `end_bytes` of both ends are
/// read at the same time. Throws FileError, of several copies saying of each what is wrong, and Interrupted
/// soon after `stop` is set.
OpenedRemote open_remote(const std::string& name, std::uint64_t end_bytes, StopFlag stop = {});

}  // namespace skimline::io
