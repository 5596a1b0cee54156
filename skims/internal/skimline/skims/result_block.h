// SPDX-License-Identifier: BSD-3-Clause
// Results of parts as bytes that travel: exact sums of a range of the cells, which are added as they are.
#pragma once

#include "skimline/histograms/histogram.h"
#include "skimline/skims/block_facts.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Cuts the results of some parts into blocks of as many cells each; histograms with growing axes are in the
/// first one. All must have exact sums. Equal results have equal blocks.
std::vector<std::string> blocks_of(std::span<const histograms::Histogram* const> results,
                                   const BlockFacts& facts);

/// Reads the front of a block and verifies its checksum. Throws Error saying what is wrong.
BlockFacts facts_of_block(std::string_view block, BlockChecksum checksum = BlockChecksum::kUnknown);

/// The sum of blocks of one place: the bytes that the sum of their histograms has, in whatever order. Throws
/// Error if one is damaged, if they do not fit together, or if two have the same part.
std::string sum_of_blocks(std::span<const std::string_view> blocks,
                          BlockChecksum checksum = BlockChecksum::kUnknown);

/// Reads histograms that lie in the blocks of one sum, in place of those of `results`, which have the axes,
/// as far as all of their cells are there. Returns their numbers, increasing. Throws Error if a block is
/// damaged, or is none of these results, or if one is there twice.
std::vector<std::size_t> read_blocks(std::span<const std::string_view> blocks,
                                     std::vector<histograms::Histogram>& results);

}  // namespace skimline::skims
