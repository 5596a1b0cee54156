// SPDX-License-Identifier: BSD-3-Clause
// Memory in large pages of the system: what is touched first costs one page fault for 2 MiB instead of one
// for each 4 KiB.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace skimline::io {

/// Cuts pieces from regions of large pages. What is given back is the system's at once; its addresses are
/// used again when nothing of its region is in use any more. Thread-safe; outlived by no piece.
class LargePages {
 public:
  LargePages() = default;
  ~LargePages();
  LargePages(const LargePages&) = delete;
  LargePages& operator=(const LargePages&) = delete;

  /// Returns uninitialised memory, aligned to 4 KiB. Throws std::bad_alloc.
  std::byte* take(std::size_t size);
  /// Takes back what take() gave for that size.
  void give_back(std::byte* memory, std::size_t size);

 private:
  struct Region {
    std::size_t size = 0;
    std::size_t used = 0;      // bytes from its beginning that were cut off
    std::size_t num_live = 0;  // pieces
  };

  std::mutex mutex_;
  std::map<std::byte*, Region> regions_;  // by where they begin
  std::byte* open_ = nullptr;             // the region that pieces are cut from
};

}  // namespace skimline::io
