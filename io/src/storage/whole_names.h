// SPDX-License-Identifier: BSD-3-Clause
// Names that the system would cut.
#pragma once

#include "skimline/framework/error.h"

#include <algorithm>
#include <string>

namespace skimline::io {

/// Throws FileError for a name with a null character: another file would be taken, that of what is in front.
inline void refuse_null(std::string path, const std::string& done, FileFault fault) {
  if (path.find('\0') == std::string::npos) return;
  std::replace(path.begin(), path.end(), '\0', '?');  // messages would end there too
  throw FileError(path, "cannot be " + done + ": no file has a null character, here \"?\", in its name",
                  fault);
}

}  // namespace skimline::io
