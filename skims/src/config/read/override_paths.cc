// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/override_paths.h"

#include <algorithm>

namespace skimline::skims {

void OverridePaths::add(const ConfigPath& path, std::size_t part) {
  std::size_t at = 0;
  for (const Text& name : path) {
    const auto [found, is_new] = nodes_[at].nodes.try_emplace(name.value, nodes_.size());
    at = found->second;
    if (is_new) nodes_.emplace_back();
    nodes_[at].through.emplace(part, num_paths_);
  }
  nodes_[at].ending.emplace(part, num_paths_);
  ++num_paths_;
}

std::optional<std::size_t> OverridePaths::first_about_same(const ConfigPath& path,
                                                           const std::set<std::size_t>& ignored) const {
  std::size_t first = num_paths_, at = 0;
  const auto look_at = [&](const FirstByPart& paths) {
    for (const auto& [part, number] : paths)
      if (!ignored.contains(part)) first = std::min(first, number);
  };
  bool is_known = true;
  for (auto name = path.begin(); is_known && name != path.end(); ++name) {
    const auto found = nodes_[at].nodes.find(name->value);
    is_known = found != nodes_[at].nodes.end();
    if (is_known) look_at(nodes_[at = found->second].ending);
  }
  if (is_known) look_at(nodes_[at].through);
  return first == num_paths_ ? std::nullopt : std::optional(first);
}

}  // namespace skimline::skims
