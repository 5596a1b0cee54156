// SPDX-License-Identifier: BSD-3-Clause
// Whether shards of one whole were made by one config.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

class ConfigsOfShards {
 public:
  /// Takes the configs of a record that has shards of a whole, by its digest. Returns what differs from the
  /// first record with shards of it, if none of the configs is one of its: a key of the configs. What decides
  /// no result, such as where files are, does not count.
  struct Difference {
    std::size_t first_record = 0;
    std::string key;
  };
  std::optional<Difference> add(const std::string& whole, const std::vector<std::string>& configs,
                                std::size_t record);

 private:
  struct Known {
    std::size_t first_record = 0;
    std::vector<std::string> configs;  // that all records have had; what decides of them
  };

  const std::string& what_decides(const std::string& config);

  std::map<std::string, Known> wholes_;              // by digest
  std::map<std::string, std::string> what_decides_;  // by config
};

}  // namespace skimline::skims
