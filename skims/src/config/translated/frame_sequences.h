// SPDX-License-Identifier: BSD-3-Clause
// Blocks of FastFrames that stand for several, by a "numbering_sequence".
#pragma once

#include "config/json/located_json.h"

#include <cstddef>
#include <vector>

namespace skimline::skims {

/// Takes lists of blocks apart. All that one makes counts: at most 20 000 blocks, and 64 MiB.
class FrameSequences {
 public:
  explicit FrameSequences(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Returns the blocks of a list, those of lists within it too. A block with a numbering sequence is one
  /// block for each number or value, or for each combination of those of several sequences, with all texts
  /// that hold the replacement string changed. Adds mistakes to the diagnostics.
  std::vector<JsonValue> blocks(const JsonValue& list);

 private:
  Diagnostics& diagnostics_;
  std::size_t num_blocks_ = 0, num_bytes_ = 0;
};

}  // namespace skimline::skims
