// SPDX-License-Identifier: BSD-3-Clause
// Names under which something of files of other machines is kept.
#pragma once

#include "skimline/io/remote_file.h"

#include <span>
#include <string>

namespace skimline::io {

/// Whether a URL has secrets, which are not to be kept. They may say which file it is.
bool has_secrets(const std::string& name);

/// The name; where it has secrets, with a digest of what the file begins and ends with. Of another file that
/// the secrets name size and version may be the same, as of files that came out of an archive, but not these.
std::string distinct_name(const std::string& name, std::span<const FileBytes> ends);

}  // namespace skimline::io
