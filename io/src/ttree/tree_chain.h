// SPDX-License-Identifier: BSD-3-Clause
// What the trees share that are read one after the other.
#pragma once

#include "columns/read_ahead.h"
#include "storage/buffer_pool.h"
#include "ttree/class_trial.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// Sources are made one after the other, and then read by any threads.
struct TreeChain {
  std::shared_ptr<BufferPool> pool;
  std::shared_ptr<ReadAhead> ahead;
  KnownClasses known;
  // Which columns slices load, of trees that have the columns of the first.
  std::vector<std::string> columns;
  std::shared_ptr<LoadedStreams> loaded;
};

}  // namespace skimline::io
