// SPDX-License-Identifier: BSD-3-Clause
// Finds inputs of a merge that are copies of each other.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace skimline::io {

class CopiedFiles {
 public:
  /// Throws Error if a file before has the same UUID and as many entries.
  void check(const std::string& file, const std::string& uuid, std::uint64_t num_entries);

 private:
  struct Known {
    std::string file;
    std::uint64_t num_entries;
  };
  std::map<std::string, Known> by_uuid_;  // those with entries
};

}  // namespace skimline::io
