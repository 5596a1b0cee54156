// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/control_groups.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace skimline {
namespace {

namespace fs = std::filesystem;

// A group has no more than those around it. In a container the groups above its own may be missing, and those
// that are there lie right under the root.
double least_of(const fs::path& root, std::string_view group,
                const std::function<double(const fs::path&)>& limit_of) {
  double least = kNoGroupLimit;
  fs::path inner = fs::path(group).relative_path().lexically_normal();
  if (inner.native().starts_with("..")) inner.clear();  // outside of what the process can see
  for (; !inner.empty() && inner != "."; inner = inner.parent_path())
    least = std::min(least, limit_of(root / inner));
  return std::min(least, limit_of(root));
}

bool has_controller(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::string_view name = controllers.substr(0, controllers.find(','));
    if (name == wanted) return true;
    controllers.remove_prefix(std::min(name.size() + 1, controllers.size()));
  }
  return false;
}

}  // namespace

// Lines are "0::/group" (v2) and "4:cpu,cpuacct:/group" (v1); both kinds may be there.
double least_of_control_groups(const ControlGroupPlaces& places, const GroupLimit& limit) {
  double least = kNoGroupLimit;
  std::ifstream stream(places.process_cgroups);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, least_of(places.cgroup_root, group, limit.of_v2));
      least = std::min(least, least_of(places.cgroup_root / "unified", group, limit.of_v2));
    } else if (has_controller(controllers, limit.controller)) {
      least = std::min(least, least_of(places.cgroup_root / controllers, group, limit.of_v1));
      least = std::min(least, least_of(places.cgroup_root / limit.controller, group, limit.of_v1));
    }
  }
  return least;
}

double number_of_group(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return only_number(line).value_or(kNoGroupLimit);
}

}  // namespace skimline
