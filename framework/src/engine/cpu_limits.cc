// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cpu_limits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <vector>

namespace skimline {
namespace {

namespace fs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

std::optional<double> number_in(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string first_line(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

// A quota of -1 or "max" is none.
double cores_of(std::optional<double> quota, std::optional<double> period) {
  return quota && period && *quota > 0 && *period > 0 ? *quota / *period : kNoLimit;
}

// "200000 100000", or "max 100000"
double cores_of_v2(const fs::path& group) {
  std::istringstream words(first_line(group / "cpu.max"));
  std::string quota, period;
  words >> quota >> period;
  return cores_of(number_in(quota), number_in(period));
}

double cores_of_v1(const fs::path& group) {
  return cores_of(number_in(first_line(group / "cpu.cfs_quota_us")),
                  number_in(first_line(group / "cpu.cfs_period_us")));
}

// A group has no more than those around it. In a container the groups above its own may be missing, and those
// that are there lie right under the root.
double least_of(const fs::path& root, std::string_view group, double (*cores_of_group)(const fs::path&)) {
  double least = kNoLimit;
  fs::path inner = fs::path(group).relative_path().lexically_normal();
  if (inner.native().starts_with("..")) inner.clear();  // outside of what the process can see
  for (; !inner.empty() && inner != "."; inner = inner.parent_path())
    least = std::min(least, cores_of_group(root / inner));
  return std::min(least, cores_of_group(root));
}

bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::string_view name = controllers.substr(0, controllers.find(','));
    if (name == "cpu") return true;
    controllers.remove_prefix(std::min(name.size() + 1, controllers.size()));
  }
  return false;
}

// Lines are "0::/group" (v2) and "4:cpu,cpuacct:/group" (v1); both kinds may be there.
double cores_of_cgroups(const CpuLimitPlaces& places) {
  double least = kNoLimit;
  std::ifstream stream(places.process_cgroups);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, least_of(places.cgroup_root, group, cores_of_v2));
      least = std::min(least, least_of(places.cgroup_root / "unified", group, cores_of_v2));
    } else if (has_cpu(controllers)) {
      least = std::min(least, least_of(places.cgroup_root / controllers, group, cores_of_v1));
      least = std::min(least, least_of(places.cgroup_root / "cpu", group, cores_of_v1));
    }
  }
  return least;
}

double cores_of_slurm(const CpuLimitPlaces& places) {
  const std::optional<double> cores = number_in(places.slurm_cpus_per_task.value_or(""));
  return cores && *cores >= 1 ? *cores : kNoLimit;
}

}  // namespace

int threads_within_limits(int cores, const CpuLimitPlaces& places) {
  const double limit = std::min(
      {static_cast<double>(cores), std::ceil(cores_of_cgroups(places)), std::floor(cores_of_slurm(places))});
  return std::max(1, static_cast<int>(limit));
}

}  // namespace skimline
