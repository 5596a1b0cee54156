// SPDX-License-Identifier: BSD-3-Clause
// What reading a source costs.
#pragma once

#include <cstdint>

namespace skimline {

/// What reading has cost so far, and what it did not cost. But for requests, times, and bytes that were read
/// ahead in vain, counts do not depend on the number of threads. Used are the columns that were loaded for
/// any slice, and those that skims carry. Each of their stored pages in the whole source is decoded, passed,
/// both, or skipped; those that several columns share count once.
struct ReadStatistics {
  std::uint64_t bytes_read = 0;     ///< bytes asked of the storage
  std::uint64_t read_calls = 0;     ///< requests to the storage
  double seconds_waited = 0;        ///< for the storage, by threads that had nothing else to do
  std::uint64_t pages_decoded = 0;  ///< pages decompressed and decoded, as often as that was done
  std::uint64_t bytes_decoded = 0;  ///< their size in memory
  std::uint64_t pages_passed = 0;   ///< pages that skims copied as they are stored
  std::uint64_t bytes_passed = 0;   ///< their stored size
  std::uint64_t pages_skipped = 0;  ///< pages of used columns neither decoded nor passed: no entry needs them
  std::uint64_t bytes_skipped = 0;  ///< their stored size
  /// Stored size of the pages decoded or passed, each once in its cluster: of those whose bytes were compared
  /// with a checksum, their own or that of their compression, and of those that have none.
  std::uint64_t bytes_verified = 0;
  std::uint64_t bytes_unverified = 0;

  /// Adds what another source has cost.
  ReadStatistics& operator+=(const ReadStatistics& other);
};

}  // namespace skimline
