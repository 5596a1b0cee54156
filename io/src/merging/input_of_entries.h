// SPDX-License-Identifier: BSD-3-Clause
// A file whose entries are merged.
#pragma once

#include "root/process_ids.h"

#include <string>

namespace skimline::io {

struct InputOfEntries {
  std::string file;
  ProcessShift processes{};  ///< from its numbers of processes to those of the output
};

}  // namespace skimline::io
