// SPDX-License-Identifier: BSD-3-Clause
// Elements of a column of an RNTuple that follow each other.
#pragma once

#include <cstdint>

namespace skimline::io {

/// Elements [begin, end) of a column or level, counted from the start of the cluster.
struct ElementRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

}  // namespace skimline::io
