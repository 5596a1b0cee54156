// SPDX-License-Identifier: BSD-3-Clause
// How many threads can be started.
#pragma once

#include <cstddef>
#include <string>

namespace skimline {

/// Returns how many of `wanted` threads, the calling one among them, can be started now, at least 1: limits
/// of users, control groups (cgroups) and address space may leave fewer. It starts them to find out, once for
/// each number. Never throws for want of threads. Thread-safe.
int available_threads(int wanted);

/// Whether the stacks of threads are taken from what the limits leave for all other memory.
bool is_address_space_limited();

/// Threads that were joined count for the limits of the system a moment longer.
class EndOfThreads {
 public:
  EndOfThreads();
  /// Waits until there are no more threads than when this was made, 50 ms at most.
  void wait() const;

 private:
  std::size_t num_before_;
};

/// Returns a warning that so few threads can be started, or nothing if all can.
std::string warning_of_threads(int wanted, int available);

}  // namespace skimline
