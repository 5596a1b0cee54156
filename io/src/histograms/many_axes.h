// SPDX-License-Identifier: BSD-3-Clause
// What histograms with any number of axes, dense or sparse, begin with.
#pragma once

#include "histograms/stored_axis.h"
#include "root/object_cursor.h"

#include <cstddef>
#include <string>
#include <vector>

namespace skimline::io {

/// A THnBase: names, axes, sums.
struct ManyAxes {
  std::string title;
  std::vector<StoredAxis> axes;
  std::vector<std::size_t> sums;
  std::vector<PayloadRange> changing;
  bool has_opaque = false;
};

/// Throws FormatError if it is damaged; `key_size` is that of the record.
ManyAxes read_many_axes(ObjectCursor& cursor, std::size_t key_size);

/// Throws Mismatch if only one of two objects has sums of positions, by the places of all sums.
void check_same_sums(const std::vector<std::size_t>& first, const std::vector<std::size_t>& other);

}  // namespace skimline::io
