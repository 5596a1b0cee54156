// SPDX-License-Identifier: BSD-3-Clause
// Entries of a sample that are read by their numbers.
#pragma once

#include "skimline/framework/entry_range.h"
#include "skimline/skims/config.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skimline::skims {

/// Returns a config whose first cut leaves only its chosen entries, if it has some. A file that turns out to
/// be damaged is never left out of it: the numbers would be those of other entries.
Config with_chosen_entries(Config config);

/// Entries of a slice, at most, so that little else is read of storage than what holds the chosen entries,
/// which are in rising order. `usual` is what reading all of them would take.
std::uint64_t slice_entries_for(std::span<const std::uint64_t> chosen, std::uint64_t usual);

/// Returns the numbers of the slices that hold chosen entries; of all if none were chosen. Throws ConfigError
/// if a chosen entry is in no slice.
std::vector<std::size_t> slices_to_read(const Config& config, const Sample& sample,
                                        const std::vector<EntryRange>& slices);

}  // namespace skimline::skims
