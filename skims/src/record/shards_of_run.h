// SPDX-License-Identifier: BSD-3-Clause
// Which shards of a run are here, and of which whole.
#pragma once

#include "skimline/skims/run_record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

/// Entries and digest of the whole, then of how many shards which are here.
using ShardsOfRun = decltype(SampleRecord::shards)::value_type;

/// What stands for a whole of which records of older programs only tell in how many shards it is.
inline ShardsOfRun::first_type unknown_whole(std::uint64_t num_shards) {
  return {0, std::to_string(num_shards)};
}

inline bool is_of_unknown_whole(const ShardsOfRun& shards) {
  return shards.first == unknown_whole(shards.second.first);
}

/// Returns which are missing: "shard 2/8, 3/8" for each of the runs, unless none is.
std::vector<std::string> missing_shards(const decltype(SampleRecord::shards)& of_runs);

}  // namespace skimline::skims
