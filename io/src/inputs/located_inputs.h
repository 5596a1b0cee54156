// SPDX-License-Identifier: BSD-3-Clause
// Which RNTuple or TTree of a file is meant.
#pragma once

#include "skimline/io/input_source.h"

namespace skimline::io {

struct LocatedInput {
  InputLocation location;
  DataFormat format = DataFormat::kRNTuple;
};

/// Throws FileError if the file cannot be read, has nothing of that name, or has several and none is named.
LocatedInput locate(const InputLocation& location);

}  // namespace skimline::io
