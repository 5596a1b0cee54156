// SPDX-License-Identifier: BSD-3-Clause
// Ending early, as the caller wants.
#pragma once

#include "skimline/framework/runner.h"

#include <atomic>

namespace skimline::skims {

/// Throws Interrupted if `stop`, which may be null, is true.
inline void stop_if_asked(const std::atomic<bool>* stop) {
  if (stop && stop->load(std::memory_order_relaxed)) throw Interrupted();
}

/// Throws Interrupted if the calling thread is inside an Interruptible whose flag is true.
void stop_if_asked();

}  // namespace skimline::skims
