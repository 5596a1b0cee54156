// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

namespace skimline::skims {

/// Shows on a terminal how far a run is, ten times a second at most; nothing if standard error is no
/// terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  void show(std::uint64_t done, std::uint64_t total);

 private:
  bool is_terminal_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace skimline::skims
