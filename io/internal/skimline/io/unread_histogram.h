// SPDX-License-Identifier: BSD-3-Clause
// Histograms that are whole, but cannot be read.
#pragma once

#include "skimline/framework/error.h"

namespace skimline::io {

/// What read_histogram() throws of a histogram that no damage makes unreadable: its class has a version that
/// is not known, its axes are not found yet, or its cells do not fit into memory.
class UnreadHistogram : public FileError {
 public:
  using FileError::FileError;
};

}  // namespace skimline::io
