// SPDX-License-Identifier: BSD-3-Clause
// The paths that the files of a config override, and which of them say something about the same value.
#pragma once

#include "config/json/config_path.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Paths in the order in which they are added, each by a part of a config.
class OverridePaths {
 public:
  /// Adds a path of the part with that number; it is called by how many there were before.
  void add(const ConfigPath& path, std::size_t part);

  /// The first path that leads to the same value, to one in it, or to one that it is in, and is not of the
  /// parts in `ignored`.
  std::optional<std::size_t> first_about_same(const ConfigPath& path,
                                              const std::set<std::size_t>& ignored) const;

 private:
  using FirstByPart = std::map<std::size_t, std::size_t>;  // the number of the first path of each part
  struct Node {
    std::map<std::string, std::size_t> nodes;  // by name
    FirstByPart ending, through;               // here, and here or in what is below
  };

  std::vector<Node> nodes_{1};  // the first is the root
  std::size_t num_paths_ = 0;
};

}  // namespace skimline::skims
