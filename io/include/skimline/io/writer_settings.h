// SPDX-License-Identifier: BSD-3-Clause
// How entries are stored in a file, whatever is in them.
#pragma once

#include "skimline/io/compression.h"

#include <cstdint>
#include <optional>

namespace skimline::io {

/// Bytes in memory.
struct WriterSizes {
  /// Of a complete cluster, which ends with the first entry, of a ParallelWriter committed, that reaches it.
  std::uint64_t cluster_bytes = 0;
  /// Of a full page, or of a full basket of a TTree.
  std::uint64_t page_bytes = 0;
};

/// What clusters and pages of an RNTuple usually have.
inline constexpr WriterSizes kRNTupleSizes{128 * 1024 * 1024, 1024 * 1024};
/// What clusters and baskets of a TTree usually have.
inline constexpr WriterSizes kTreeSizes{64 * 1024 * 1024, 1024 * 1024};

/// What users choose of an RNTuple or TTree that is written.
struct WriterSettings {
  std::optional<CompressionSetting> compression{};  ///< unless given, what is worth its time, by column
  std::optional<std::uint64_t> cluster_bytes{}, page_bytes{};  ///< unless given, those of sizes()

  /// Returns the sizes that are given, else those of `usual`.
  WriterSizes sizes(const WriterSizes& usual) const {
    return {cluster_bytes.value_or(usual.cluster_bytes), page_bytes.value_or(usual.page_bytes)};
  }
};

}  // namespace skimline::io
