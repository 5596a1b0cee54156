// SPDX-License-Identifier: BSD-3-Clause
// How many threads can be started.
#pragma once

#include <string>

namespace skimline {

/// Returns how many of `wanted` threads, the calling one among them, can be started now, at least 1: limits
/// of users, control groups (cgroups) and address space may leave fewer. It starts them to find out, once for
/// each number. Never throws for want of threads. Thread-safe.
int available_threads(int wanted);

/// Returns a warning that so few threads can be started, or nothing if all can.
std::string warning_of_threads(int wanted, int available);

}  // namespace skimline
