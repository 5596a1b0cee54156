// SPDX-License-Identifier: BSD-3-Clause
#include "job_source.h"

#include <algorithm>

namespace skimline::skims {

io::RNTupleSource open_source(const Config& config) {
  io::RNTupleSourceOptions options;
  for (const NamedValue& each : config.defaults) options.defaults.emplace(each.name.value, each.value);
  return io::RNTupleSource(config.samples.front().inputs, std::move(options));
}

std::vector<std::string> warnings_of_defaults(const Config& config, const io::RNTupleSource& source) {
  const std::vector<std::string>& nowhere = source.columns_nowhere();
  std::vector<std::string> present = source.schema().names();
  std::erase_if(present, [&](const std::string& name) {
    return std::find(nowhere.begin(), nowhere.end(), name) != nowhere.end();
  });
  std::vector<std::string> warnings;
  for (const NamedValue& each : config.defaults) {
    const std::string& name = each.name.value;
    if (std::find(nowhere.begin(), nowhere.end(), name) == nowhere.end()) continue;
    warnings.push_back(marked_message(*config.source, each.name.location, "warning",
                                      "no file has a column \"" + name + "\"" + did_you_mean(name, present) +
                                          ": all its values are the default"));
  }
  return warnings;
}

}  // namespace skimline::skims
