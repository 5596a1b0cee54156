// SPDX-License-Identifier: BSD-3-Clause
// Entries cut into pieces of work.
#pragma once

#include "skimline/framework/source.h"

#include <cstdint>
#include <vector>

namespace skimline::io {

/// Returns the entries in slices of nearly equal size, each of at most `slice_entries`.
inline std::vector<EntryRange> cut(EntryRange entries, std::uint64_t slice_entries) {
  std::vector<EntryRange> slices;
  if (entries.count == 0) return slices;
  const std::uint64_t count = (entries.count - 1) / slice_entries + 1;
  const std::uint64_t larger = entries.count % count;
  std::uint64_t first = entries.first;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t size = entries.count / count + (i < larger ? 1 : 0);
    slices.push_back({first, size});
    first += size;
  }
  return slices;
}

}  // namespace skimline::io
