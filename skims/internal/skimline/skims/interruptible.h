// SPDX-License-Identifier: BSD-3-Clause
// Calls of this library that can be ended early.
#pragma once

#include <atomic>

namespace skimline::skims {

/// While it lives, what the calling thread does in this library, reading configs and planning for instance,
/// ends soon with Interrupted once `stop`, which may be null, is true.
class Interruptible {
 public:
  explicit Interruptible(const std::atomic<bool>* stop);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

}  // namespace skimline::skims
