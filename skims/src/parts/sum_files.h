// SPDX-License-Identifier: BSD-3-Clause
// Sums of parts that were made elsewhere, as blocks in files of a store.
#pragma once

#include "skimline/skims/result_block.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// The folder of a store that has them.
inline constexpr const char* kSumFolder = "sums";

/// The blocks of one sum.
struct SumBlocks {
  PartRanges parts;
  std::vector<std::string> blocks;  ///< all of them, in order; empty if there is no such sum
};

/// The sum of a digest that lies in a store, as `sums/<digest>/<any name>.block`. What is damaged, or not
/// complete, is not there.
SumBlocks find_sum(const std::string& store, const std::string& digest);

/// All sound blocks of a digest there, those with the same parts together.
std::vector<std::vector<std::string>> find_blocks(const std::string& store, const std::string& digest);

/// Removes the sum of a digest, if there is one.
void remove_sum(const std::string& store, const std::string& digest);

}  // namespace skimline::skims
