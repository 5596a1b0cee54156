// SPDX-License-Identifier: BSD-3-Clause
// Which compression of a column is worth its time.
#pragma once

#include "skimline/io/compression.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace skimline::io {

/// How many elements of this size in memory, from the begin of the first page of a column, are the sample by
/// which its compression is chosen: as many that each byte of four fills a block of zstd, 128 KiB, as it does
/// in a whole page. Less would be compressed otherwise.
constexpr std::uint64_t sample_elements(std::size_t element_size) { return 512 * 1024 / element_size; }

/// Returns the setting for which what `sample`, the begin of an encoded page, takes, and what the time to
/// compress it is worth, are least together. Times are fixed numbers: the choice depends on the bytes only.
CompressionSetting choose_compression(std::span<const std::byte> sample);

/// Whether choose_compression may return the setting.
bool may_be_chosen(const CompressionSetting& setting);

/// The setting that ROOT's number stands for, if it compresses and choose_compression may return it.
std::optional<CompressionSetting> choice_numbered(std::uint32_t root_number);

/// Whether a column may be compressed for which this is asked for; its setting is chosen if nothing is.
inline bool may_compress(const std::optional<CompressionSetting>& wanted) {
  return !wanted || wanted->algorithm != CompressionAlgorithm::kNone;
}

}  // namespace skimline::io
