// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_leftovers.h"

#include "base/text_table.h"

#include <algorithm>

namespace skimline::skims {

void FrameLeftovers::add(const std::string& things, const std::string& name, const std::string& why) {
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& each) { return each.things == things && each.why == why; });
  if (group == groups_.end()) group = groups_.insert(group, {things, why, {}});
  if (!name.empty() && (group->names.empty() || group->names.back() != name)) group->names.push_back(name);
}

std::vector<std::string> FrameLeftovers::sentences() const {
  std::vector<std::string> all;
  for (const Group& group : groups_)
    all.push_back(group.things + (group.names.empty() ? "" : " " + first_few(group.names)) +
                  (group.why.empty() ? "" : ": " + group.why));
  return all;
}

}  // namespace skimline::skims
