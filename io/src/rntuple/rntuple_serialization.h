// SPDX-License-Identifier: BSD-3-Clause
// RNTuple metadata as bytes: header, page list and footer envelopes, and the anchor.
#pragma once

#include "rntuple/envelope.h"

#include "skimline/io/compression.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skimline::io {

/// An envelope as it is stored.
struct StoredEnvelope {
  std::vector<std::byte> bytes;  ///< compressed
  std::uint64_t raw_size = 0;
  std::uint64_t checksum = 0;  ///< of the uncompressed envelope
};

StoredEnvelope make_header(const RNTupleDescriptor& descriptor, CompressionSetting compression);

/// The page list of clusters that follow each other.
StoredEnvelope make_page_list(std::span<const ClusterDescriptor> clusters, std::uint64_t header_checksum,
                              CompressionSetting compression);

/// A cluster group: the clusters of one page list.
struct ClusterGroup {
  std::uint64_t first_entry = 0;
  std::uint64_t num_entries = 0;
  std::uint32_t num_clusters = 0;
  EnvelopeLink page_list;
};

StoredEnvelope make_footer(std::span<const ClusterGroup> groups, std::uint64_t header_checksum,
                           CompressionSetting compression);

/// The payload of the anchor object, which leads to header and footer.
std::vector<std::byte> make_anchor(const EnvelopeLink& header, const EnvelopeLink& footer);

}  // namespace skimline::io
