// SPDX-License-Identifier: BSD-3-Clause
// Whether a stored histogram is what was written.
#pragma once

#include "skimline/io/root_file.h"

namespace skimline::io {

/// What is known about a histogram whose bytes can be read.
enum class HistogramProof {
  kChecksum,        ///< they are those that were written
  kReadable,        ///< they have no checksum, and make a histogram
  kUnknownVersion,  ///< likewise, of a version of its class that cannot be read
};

/// Compares a histogram with its checksums, or parses it if there are none. Throws FileError if it is
/// damaged. Thread-safe.
HistogramProof check_histogram(const RootFile& file, const RootKey& key);

}  // namespace skimline::io
