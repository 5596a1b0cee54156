// SPDX-License-Identifier: BSD-3-Clause
// What the trees share that are read one after the other.
#pragma once

#include "columns/read_ahead.h"
#include "storage/buffer_pool.h"
#include "ttree/class_trial.h"
#include "ttree/tree_kinds.h"

#include <memory>
#include <set>

namespace skimline::io {

/// Sources are made one after the other, and then read by any threads.
struct TreeChain {
  std::shared_ptr<BufferPool> pool;
  std::shared_ptr<ReadAhead> ahead;
  std::shared_ptr<TreeKinds> kinds = std::make_shared<TreeKinds>();
  std::set<std::shared_ptr<TreeKind>> counted{};  // whose memory is that of a file
  KnownClasses known{};
  // Which columns slices load, of trees that have the columns of the first.
  std::shared_ptr<const ReadColumns> columns{};
  std::shared_ptr<LoadedStreams> loaded{};
};

}  // namespace skimline::io
