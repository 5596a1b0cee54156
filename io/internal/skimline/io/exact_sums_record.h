// SPDX-License-Identifier: BSD-3-Clause
// The record behind a histogram's own record in our files: its order-independent sums, and what else a ROOT
// object cannot say. No directory lists it; readers that do not know it skip it. The layout is in
// docs/histogram-files.md.
#pragma once

#include "skimline/histograms/histogram.h"
#include "skimline/io/compression.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skimline::io {

/// Returns the payload of the record for a histogram with exact sums. `stored_object` is the payload of the
/// histogram's own record as it is in the file, compressed or not: the two belong together as long as it is
/// unchanged.
std::vector<std::byte> exact_sums_payload(const histograms::Histogram& histogram,
                                          std::span<const std::byte> stored_object,
                                          CompressionSetting compression = {});

/// So many bytes behind a histogram's record tell whether exact sums follow.
inline constexpr std::size_t kExactSumsFront = 64;

/// Returns the size, key included, of the record with exact sums that `bytes` begin with; 0 if they begin
/// with anything else. `bytes` are those directly behind the record of a histogram, kExactSumsFront or
/// more of them unless the file ends before.
std::uint64_t exact_sums_record_size(std::span<const std::byte> bytes);

/// Whether `stored_object`, the stored payload of a histogram's own record, is the one that was written with
/// the record, key included. Throws FormatError if the record is damaged or of an unknown version.
bool exact_sums_fit(std::span<const std::byte> record, std::span<const std::byte> stored_object);

/// What is wrong with a histogram for which read_exact_sums() returns nothing.
inline constexpr const char* kChangedObject =
    "does not fit the checksum behind it: damaged, or changed by another program";
/// What is wrong with one whose exact sums are not where they were written.
inline constexpr const char* kNoExactSums = "the exact sums behind it are damaged";

/// Returns the histogram of a record, key included, with the very sums, statistics and axes of the one that
/// was written, but without name; nothing if `stored_object`, the stored payload of the histogram's own
/// record, is not the one that was written with it: somebody changed the object. Throws FormatError if the
/// record is damaged or of an unknown version.
std::optional<histograms::Histogram> read_exact_sums(std::span<const std::byte> record,
                                                     std::span<const std::byte> stored_object);

}  // namespace skimline::io
