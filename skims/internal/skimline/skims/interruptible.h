// SPDX-License-Identifier: BSD-3-Clause
// Calls of this library that can be ended early.
#pragma once

#include "skimline/framework/stop_flag.h"

namespace skimline::skims {

/// While it lives, what the calling thread does in this library, reading configs and planning for instance,
/// ends soon with Interrupted once `stop` is set. Without a flag that of an outer one holds.
class Interruptible {
 public:
  explicit Interruptible(StopFlag stop);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  StopFlag outer_;
};

}  // namespace skimline::skims
