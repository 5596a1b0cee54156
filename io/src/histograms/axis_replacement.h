// SPDX-License-Identifier: BSD-3-Clause
// The payload of a histogram with other bins and labels.
#pragma once

#include "histograms/histogram_layout.h"

#include <cstddef>
#include <span>
#include <vector>

namespace skimline::io {

/// Returns the payload of a TH1, TH2, TH3 or profile, in a record with a key of so many bytes, with other
/// axes. Its arrays become as long as these need, and zero; nothing else changes but counts of bytes. Throws
/// Mismatch for an object whose references cannot be followed.
std::vector<std::byte> with_axes(std::span<const std::byte> payload, std::size_t key_size,
                                 const HistogramLayout& layout, const std::vector<StoredAxis>& axes);

}  // namespace skimline::io
