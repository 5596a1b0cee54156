// SPDX-License-Identifier: BSD-3-Clause
// One of several plans that run together.
#pragma once

#include "skimline/framework/plan.h"
#include "skimline/framework/run_report.h"
#include "skimline/framework/source.h"

#include <functional>

namespace skimline {

/// A plan, and the source that it runs over.
struct PlannedPass {
  Plan plan;
  Source& source;
  /// Those of run(), but for `threads`. Stages of different passes are told of by different threads at a
  /// time.
  RunOptions options;
  /// Called once, when nothing of the pass is left to do, in the order of the passes, while threads work on
  /// later ones. What it throws ends the run.
  std::function<void(PassResult)> complete;
  /// Whether what it reads is fetched from the start, not only once those before it are handed out: for
  /// passes that are small.
  bool reads_ahead_at_once = false;
};

}  // namespace skimline
