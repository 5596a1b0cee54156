// SPDX-License-Identifier: BSD-3-Clause
#include "job_source.h"

#include <algorithm>

namespace skimline::skims {
namespace {

std::string located(const Config& config, const io::DefaultError& error) {
  Diagnostics diagnostics(config.source);
  for (const io::DefaultError::Mistake& mistake : error.mistakes()) {
    const auto found =
        std::find_if(config.defaults.begin(), config.defaults.end(),
                     [&](const NamedValue& each) { return each.name.value == mistake.column; });
    diagnostics.add(found->name.location, mistake.problem);
  }
  return diagnostics.format();
}

}  // namespace

io::RNTupleSource open_source(const Config& config) {
  io::RNTupleSourceOptions options;
  for (const NamedValue& each : config.defaults) options.defaults.emplace(each.name.value, each.value);
  try {
    std::vector<io::RNTupleLocation> locations;
    for (const Input& input : config.samples.front().inputs) locations.push_back(input.location);
    return io::RNTupleSource(locations, std::move(options));
  } catch (const io::DefaultError& error) {
    throw ConfigError(located(config, error));
  }
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
