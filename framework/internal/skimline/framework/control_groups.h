// SPDX-License-Identifier: BSD-3-Clause
// The control groups (cgroups) that a process is in, and what they grant.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace skimline {

/// Where the system describes them. Tests have folders of their own.
struct ControlGroupPlaces {
  std::filesystem::path process_cgroups = "/proc/self/cgroup";
  std::filesystem::path cgroup_root = "/sys/fs/cgroup";
};

/// What a group without a limit grants.
inline constexpr double kNoGroupLimit = std::numeric_limits<double>::infinity();

/// How the folder of a group says what it grants, by the version of control groups.
struct GroupLimit {
  std::string_view controller;  ///< "cpu", "memory", "pids"
  std::function<double(const std::filesystem::path&folder)> of_v2, of_v1;
};

/// Returns the least that the groups of the process and those around them grant, or kNoGroupLimit. What is
/// not there does not limit.
double least_of_control_groups(const ControlGroupPlaces& places, const GroupLimit& limit);

/// The number in the first line of a file, or kNoGroupLimit for "max" and whatever is no number.
double number_of_group(const std::filesystem::path& file);

}  // namespace skimline
