// SPDX-License-Identifier: BSD-3-Clause
// What the command line says beside a config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// The part `number` of `count` equal parts of the entries of each sample, counted from 1.
struct Shard {
  std::uint64_t number = 1;
  std::uint64_t count = 1;
};

/// What the command line says beside the config.
struct ConfigOptions {
  std::vector<std::string> sets;     ///< "path.to.key=value", applied in this order
  std::vector<std::string> inputs;   ///< "sample=file", or "file" for the only sample; replace the files
  std::vector<std::string> samples;  ///< patterns of the samples to process; all if empty
  std::optional<std::uint64_t> limit_files;   ///< of each sample, the first ones
  std::optional<std::uint64_t> limit_events;  ///< of each sample, the first ones
  std::optional<Shard> shard;                 ///< of what the limits leave
  std::optional<std::string> report;          ///< the file for the report instead of the config's
  bool has_report = true;                     ///< whether there is to be a file for it
  std::optional<std::string> trace;           ///< a file for a timeline
  bool finds_inputs = true;                   ///< else samples have none
};

}  // namespace skimline::skims
