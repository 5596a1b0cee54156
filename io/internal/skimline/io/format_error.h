// SPDX-License-Identifier: BSD-3-Clause
// What code that knows a format, but no path, says of bytes that break it.
#pragma once

#include "skimline/framework/error.h"

namespace skimline::io {

/// Bytes that are not what the format demands. Thrown where the path is not known; whoever knows the place
/// turns it into a FileError with the path and the offset.
class FormatError : public Error {
 public:
  using Error::Error;
};

}  // namespace skimline::io
