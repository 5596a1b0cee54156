// SPDX-License-Identifier: BSD-3-Clause
// Consecutive entries.
#pragma once

#include <cstdint>

namespace skimline {

/// Consecutive entries [first, first + count).
struct EntryRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  /// The number of the entry behind the last one.
  std::uint64_t end() const { return first + count; }
};

}  // namespace skimline
