// SPDX-License-Identifier: BSD-3-Clause
// The building blocks of RNTuple metadata: envelopes with checksums, frames, locators, feature flags.
#pragma once

#include "storage/byte_reader.h"

#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace skimline::io {

/// The class of the object that leads to the metadata.
inline constexpr std::string_view kAnchorClass = "ROOT::RNTuple";
/// Before ROOT 6.34, of formats that were not final.
inline constexpr std::string_view kPreReleaseClass = "ROOT::Experimental::RNTuple";

enum class EnvelopeType : std::uint16_t { kHeader = 1, kFooter = 2, kPageList = 3 };

/// Where an envelope is stored and how long it is once decompressed.
struct EnvelopeLink {
  std::uint64_t raw_size = 0;
  Locator locator;
};

/// A verified envelope.
struct Envelope {
  std::vector<std::byte> bytes;
  std::uint64_t checksum = 0;

  ByteReader payload() const;
};

/// Reads an envelope as it is stored. Throws FormatError.
std::vector<std::byte> read_stored_envelope(const InputFile& file, const EnvelopeLink& link);

/// Decompresses and verifies what was stored there. Throws FormatError.
Envelope opened_envelope(std::vector<std::byte> stored, const EnvelopeLink& link, EnvelopeType type);

/// Reads, decompresses and verifies an envelope. Throws FormatError.
Envelope read_envelope(const InputFile& file, const EnvelopeLink& link, EnvelopeType type);

/// The content of a frame; `num_items` is 1 for record frames.
struct Frame {
  ByteReader content;
  std::uint32_t num_items = 1;
};

/// Each takes a whole frame from `reader`, so that unknown bytes at its end are skipped.
ByteReader read_record_frame(ByteReader& reader);
Frame read_list_frame(ByteReader& reader);

/// Throws FormatError for locators that do not point into the file.
Locator read_locator(ByteReader& reader);

/// Throws FormatError naming the lowest flag that is set: none is known.
void check_feature_flags(ByteReader& reader);

/// Throws FormatError unless the bytes, and `extra` after them, lie inside the file.
void check_inside(const InputFile& file, const Locator& locator, std::uint64_t extra);

}  // namespace skimline::io
