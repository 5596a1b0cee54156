// SPDX-License-Identifier: BSD-3-Clause
// What the front of a block of results says.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// Numbers of parts: ranges [first, last), increasing, not touching each other.
using PartRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Which of the blocks that a collection of results was cut into.
struct BlockPlace {
  std::uint32_t number = 0;
  std::uint32_t count = 1;
};

/// What the front of a block says.
struct BlockFacts {
  std::string digest;  ///< of what is computed of which parts, 32 digits
  BlockPlace place;
  PartRanges parts;  ///< whose results are added up in it
};

/// Largest number of blocks of a collection.
inline constexpr std::uint32_t kMaxBlocks = 1 << 20;

/// Whether the checksum of a block is still to be verified: a process knows it of what it has made, or has
/// verified before.
enum class BlockChecksum { kUnknown, kVerified };

}  // namespace skimline::skims
