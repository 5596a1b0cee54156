// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cpu_limits.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>

namespace skimline {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return only_number(text);
}

std::string first_line(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

// A quota of -1 or "max" is none.
double cores_of(std::optional<double> quota, std::optional<double> period) {
  return quota && period && *quota > 0 && *period > 0 ? *quota / *period : kNoGroupLimit;
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

double cores_of_slurm(const CpuLimitPlaces& places) {
  const std::optional<double> cores = number_in(places.slurm_cpus_per_task.value_or(""));
  return cores && *cores >= 1 ? *cores : kNoGroupLimit;
}

}  // namespace

int threads_within_limits(int cores, const CpuLimitPlaces& places) {
  const double limit =
      std::min({static_cast<double>(cores),
                std::ceil(least_of_control_groups(places, {"cpu", cores_of_v2, cores_of_v1})),
                std::floor(cores_of_slurm(places))});
  return std::max(1, static_cast<int>(limit));
}

}  // namespace skimline
