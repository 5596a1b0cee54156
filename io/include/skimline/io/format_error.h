// SPDX-License-Identifier: BSD-3-Clause
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
