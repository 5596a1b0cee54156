// SPDX-License-Identifier: BSD-3-Clause
// How many entries are computed together, and what their values take.
#pragma once

#include "engine/program.h"

#include "skimline/framework/plan_outline.h"

#include <cstddef>
#include <cstdint>

namespace skimline {

/// Bytes that the values of a batch take in memory, at most, unless a single entry has more: with long lists,
/// batches have fewer entries.
inline constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

/// How many entries of a program are computed together, at most.
std::uint64_t batch_entries_of(const Program& program);

/// Estimates the bytes that the values of a batch take. Without `values_per_entry` all lists count as one
/// value.
double batch_bytes_of(const Program& program, const ValuesPerEntry& values_per_entry);

}  // namespace skimline
