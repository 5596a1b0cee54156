// SPDX-License-Identifier: BSD-3-Clause
// Where the files of one output end.
#pragma once

#include <cstdint>

namespace skimline::io {

/// Counts what is stitched and what is committed, which is behind it.
class FileCuts {
 public:
  FileCuts(std::uint64_t max_entries, std::uint64_t max_bytes)
      : max_entries_(max_entries), max_bytes_(max_bytes) {}

  /// How many entries more the file may have that entries are stitched for.
  std::uint64_t room() const { return max_entries_ == 0 ? ~std::uint64_t{0} : max_entries_ - num_entries_; }

  /// Counts stitched entries, for which there is room. Returns whether the file is full: a cluster must end.
  bool add_entries(std::uint64_t count);

  /// Counts a cluster that is committed. Returns whether it is the first of another file.
  bool begins_file(std::uint64_t bytes, bool is_last_of_file);

 private:
  const std::uint64_t max_entries_, max_bytes_;
  std::uint64_t num_entries_ = 0;  // stitched for the file
  std::uint64_t num_bytes_ = 0;    // committed to the file
  bool is_complete_ = false;       // the file that was committed to
};

}  // namespace skimline::io
