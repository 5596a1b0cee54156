// SPDX-License-Identifier: BSD-3-Clause
// Histograms as ROOT streams them.
#pragma once

#include "root/object_cursor.h"

#include "skimline/histograms/histogram.h"

#include <cstddef>
#include <vector>

namespace skimline::io {

/// Whether the streamed object refers to places in its record: that of labels, or with more than three axes.
bool has_references(const histograms::Histogram& histogram);

/// Returns the object for a record with a key of `key_size` bytes. Histograms with up to three axes, their
/// cells as double, float or int. Throws
/// ConfigError if a cell holds what its type cannot.
std::vector<std::byte> streamed_histogram(const histograms::Histogram& histogram, NumberType cells,
                                          std::size_t key_size);

/// The same for any number of axes, as a THnSparseT<TArrayD>.
std::vector<std::byte> streamed_sparse_histogram(const histograms::Histogram& histogram,
                                                 std::size_t key_size);

}  // namespace skimline::io
