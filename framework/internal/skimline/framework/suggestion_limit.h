// SPDX-License-Identifier: BSD-3-Clause
// For how many misspelt names it is said what may be meant.
#pragma once

#include <cstddef>

namespace skimline {

/// Counts the names that are compared with all there are. Thousands of mistakes mostly have one cause, and
/// comparing each of many names with all of many would take longer than everything else.
class SuggestionLimit {
 public:
  /// Whether to compare one more.
  bool take() { return num_taken_ < kMost && ++num_taken_ > 0; }

 private:
  static constexpr std::size_t kMost = 100;
  std::size_t num_taken_ = 0;
};

}  // namespace skimline
