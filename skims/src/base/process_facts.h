// SPDX-License-Identifier: BSD-3-Clause
// What the system knows of this process.
#pragma once

#include <cstdint>

namespace skimline::skims {

/// Memory in bytes that the process has resident now, and the most it ever had.
std::uint64_t current_memory();
std::uint64_t peak_memory();

/// Processor time of all threads so far, in seconds.
double processor_seconds();

}  // namespace skimline::skims
