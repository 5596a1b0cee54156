// SPDX-License-Identifier: BSD-3-Clause
// What the machine has, and how much of it this process may take.
#pragma once

#include "skimline/framework/control_groups.h"

#include <cstdint>
#include <optional>

namespace skimline::skims {

struct MachineLimits {
  std::uint64_t memory = 0;                    ///< of the machine, in bytes
  std::optional<std::uint64_t> group_memory;   ///< that control groups grant
  std::optional<std::uint64_t> address_space;  ///< ulimit -v
  std::optional<std::uint64_t> processes;   ///< and threads: of control groups, or ulimit -u if that is less
  std::optional<std::uint64_t> open_files;  ///< ulimit -n
};

/// Limits that there are none of are left out.
MachineLimits machine_limits(const ControlGroupPlaces& places = {});

}  // namespace skimline::skims
