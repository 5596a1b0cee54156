// SPDX-License-Identifier: BSD-3-Clause
#include "root/file_cuts.h"

namespace skimline::io {

bool FileCuts::add_entries(std::uint64_t count) {
  if (max_entries_ == 0) return false;
  num_entries_ += count;
  const bool is_full = num_entries_ >= max_entries_;
  if (is_full) num_entries_ = 0;
  return is_full;
}

bool FileCuts::begins_file(std::uint64_t bytes, bool is_last_of_file) {
  const bool is_full =
      max_bytes_ > 0 && num_bytes_ > 0 && (num_bytes_ >= max_bytes_ || bytes > max_bytes_ - num_bytes_);
  const bool begins = is_complete_ || is_full;
  num_bytes_ = begins ? bytes : num_bytes_ + bytes;
  is_complete_ = is_last_of_file;
  return begins;
}

}  // namespace skimline::io
