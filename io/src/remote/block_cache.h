// SPDX-License-Identifier: BSD-3-Clause
// Blocks of remote files on a local disk.
#pragma once

#include "skimline/io/remote_file.h"

#include <memory>
#include <string>

namespace skimline::io {

/// Returns a file that reads what it can from the folder that SKIMLINE_CACHE names, and keeps there what it
/// read of `file`; `file` itself if no folder is named, or nobody says what state the file is in. `name` has
/// no secrets. Blocks have checksums: what is damaged is read again. The folder may be used by many
/// processes, which may end at any time; files that were not used for longest are removed once they take more
/// than SKIMLINE_CACHE_SIZE, in GB, 20 without it. A folder that cannot be written only makes nothing faster.
std::unique_ptr<const RemoteFile> cached(std::unique_ptr<const RemoteFile> file, const std::string& name);

}  // namespace skimline::io
