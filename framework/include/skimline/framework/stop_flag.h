// SPDX-License-Identifier: BSD-3-Clause
// Whether work shall end before it is done.
#pragma once

#include "skimline/framework/error.h"

#include <atomic>

namespace skimline {

/// Looks at a flag that a signal handler or another thread may set, and which outlives all copies of this;
/// without one it is never set. Any thread may ask, at the price of one load.
class StopFlag {
 public:
  /// Never set.
  StopFlag() = default;
  /// Implicit, so that `options.stop = &flag` says it. `flag` may be null.
  StopFlag(const std::atomic<bool>* flag) : flag_(flag) {}  // NOLINT(google-explicit-constructor)

  /// Whether there is a flag to look at.
  bool is_given() const { return flag_ != nullptr; }

  /// Whether work shall end now.
  bool is_set() const { return flag_ && flag_->load(std::memory_order_relaxed); }

  /// Throws Interrupted if it is set.
  void throw_if_set() const {
    if (is_set()) throw Interrupted();
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

}  // namespace skimline
