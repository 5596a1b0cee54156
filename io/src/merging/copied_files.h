// SPDX-License-Identifier: BSD-3-Clause
// Finds inputs of a merge that are copies of each other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace skimline::io {

class CopiedFiles {
 public:
  /// Throws Error if a file before has the same UUID and as many entries.
  void check(const std::string& file, const std::string& uuid, std::uint64_t num_entries);

 private:
  // Those with entries, by UUID and number of entries: a file that was filled further keeps its UUID.
  std::map<std::pair<std::string, std::uint64_t>, std::string> files_;
};

}  // namespace skimline::io
