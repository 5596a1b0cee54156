// SPDX-License-Identifier: BSD-3-Clause
// Names under which something of files of other machines is kept.
#pragma once

#include "skimline/io/remote_file.h"

#include <span>
#include <string>

namespace skimline::io {

/// The name; where it has secrets, which are not to be kept and may say which file it is, with a digest of
/// what the file begins and ends with. Of another file that the secrets name size and version may be the
/// same, as of files that came out of an archive, but not these.
std::string distinct_name(const std::string& name, std::span<const FileBytes> ends);

}  // namespace skimline::io
