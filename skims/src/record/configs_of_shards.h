// SPDX-License-Identifier: BSD-3-Clause
// Whether shards of one whole were made by one config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// Configs are the same if what they say of the sample is; what decides no result, such as where files are,
/// does not count.
class ConfigsOfShards {
 public:
  /// The sample, and number and digest of its entries.
  using Whole = std::pair<std::string, std::pair<std::uint64_t, std::string>>;

  struct Difference {
    std::size_t first_record = 0;
    std::string key;  ///< of the configs
  };

  /// Takes the configs of a record that has shards of a whole. Returns what differs from the first record
  /// with shards of it, if none of the configs is one of its.
  std::optional<Difference> add(const Whole& whole, const std::vector<std::string>& configs,
                                std::size_t record);

 private:
  struct Known {
    std::size_t first_record = 0;
    std::vector<std::string> configs;  // that all records have had; what decides of them
  };

  const std::string& what_decides(const std::string& config, const std::string& sample);

  std::map<Whole, Known> wholes_;
  std::map<std::pair<std::string, std::string>, std::string> what_decides_;  // by config and sample
};

}  // namespace skimline::skims
