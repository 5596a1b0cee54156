// SPDX-License-Identifier: BSD-3-Clause
// Builds RNTuple metadata and the file around them, independently of the writer, so that whatever bytes are
// inside are reached: lengths, checksums and the links between them are right.
#pragma once

#include "fuzz_target.h"

namespace skimline::testing {

/// The payloads of the three kinds of envelopes.
struct NTuplePayloads {
  ByteSpan header, footer, page_list;
};

/// Where wrap() places the envelope of the page list, which a footer has to name. Its payload is cut or
/// padded with zeros to this size; then come bytes that pages may lie in.
inline constexpr std::uint64_t kPageListOffset = 512;
inline constexpr std::uint64_t kPageListSize = 16384;

/// Returns a ROOT file with one RNTuple, "E", of these payloads. Footer and page list get the header's
/// checksum.
Bytes wrap(const NTuplePayloads& payloads);

}  // namespace skimline::testing
