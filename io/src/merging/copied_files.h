// SPDX-License-Identifier: BSD-3-Clause
// Finds inputs of a merge that are copies of each other.
#pragma once

#include "histograms/merge_inputs.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// Throws Error if two inputs are the same bytes: of those of one UUID, or without one of their own, all are
/// compared that are as large as another one.
void refuse_equal_files(const std::vector<MergeInput>& inputs);

/// Those with entries, by what is known of them without reading them.
class CopiedFiles {
 public:
  /// Throws Error if a file before has the same UUID and as many entries.
  void check(const std::string& file, const std::string& uuid, std::uint64_t num_entries);

 private:
  // Those with entries, by UUID and number of entries: a file that was filled further keeps its UUID.
  std::map<std::pair<std::string, std::uint64_t>, std::string> files_;
};

}  // namespace skimline::io
