// SPDX-License-Identifier: BSD-3-Clause
#include "base/machine_limits.h"

#include <algorithm>
#include <cmath>

#include <sys/resource.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

using Limit = std::optional<std::uint64_t>;

// Version 1 says "no limit" by a number near the largest.
Limit limit_of(double granted) {
  constexpr double kAsGoodAsNone = 1e18;
  if (!(granted >= 0 && granted < kAsGoodAsNone)) return std::nullopt;
  return static_cast<std::uint64_t>(granted);
}

Limit limit_of_user(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

Limit group_memory(const ControlGroupPlaces& places) {
  return limit_of(least_of_control_groups(
      places, {"memory", [](const fs::path& group) { return number_of_group(group / "memory.max"); },
               [](const fs::path& group) { return number_of_group(group / "memory.limit_in_bytes"); }}));
}

Limit group_processes(const ControlGroupPlaces& places) {
  const auto most = [](const fs::path& group) { return number_of_group(group / "pids.max"); };
  return limit_of(least_of_control_groups(places, {"pids", most, most}));
}

Limit least(Limit one, Limit other) { return one && other ? std::min(one, other) : one ? one : other; }

std::uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

MachineLimits machine_limits(const ControlGroupPlaces& places) {
  MachineLimits limits;
  limits.memory = memory_of_machine();
  limits.group_memory = group_memory(places);
  limits.address_space = limit_of_user(RLIMIT_AS);
  limits.processes = least(group_processes(places), limit_of_user(RLIMIT_NPROC));
  limits.open_files = limit_of_user(RLIMIT_NOFILE);
  return limits;
}

}  // namespace skimline::skims
