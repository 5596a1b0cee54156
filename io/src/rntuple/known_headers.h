// SPDX-License-Identifier: BSD-3-Clause
// What headers of RNTuples say, read once for all files that are open and have an equal one.
#pragma once

#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace skimline::io {

/// A header, and what was found to be right in it.
struct KnownHeader {
  std::vector<std::byte> stored;  ///< as it is in the file
  std::uint64_t raw_size = 0;
  std::uint64_t checksum = 0;
  RNTupleDescriptor descriptor;  ///< what a header has of it
};

/// Returns the header that is stored so, if somebody holds one. Thread-safe.
std::shared_ptr<const KnownHeader> find_header(std::span<const std::byte> stored, std::uint64_t raw_size);

/// Lets others find it for as long as it is held. Returns the one to hold, which may be known already.
/// Thread-safe.
std::shared_ptr<const KnownHeader> share_header(KnownHeader header);

}  // namespace skimline::io
