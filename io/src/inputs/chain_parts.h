// SPDX-License-Identifier: BSD-3-Clause
// What the parts of a chain share while they are opened.
#pragma once

#include "storage/buffer_pool.h"
#include "ttree/class_trial.h"

#include <cstddef>
#include <memory>

namespace skimline::io {

struct ChainParts {
  std::size_t number = 0;
  std::shared_ptr<BufferPool> pool;
  KnownClasses known;
};

}  // namespace skimline::io
