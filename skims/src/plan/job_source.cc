// SPDX-License-Identifier: BSD-3-Clause
#include "plan/job_source.h"

#include "plan/chosen_entries.h"

#include "skimline/io/checksum_writing.h"
#include "skimline/io/friend_inputs.h"
#include "skimline/io/match_error.h"
#include "skimline/io/open_inputs.h"
#include "skimline/skims/diagnostics.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

namespace skimline::skims {
namespace {

std::string located(const Config& config, const io::DefaultError& error) {
  Diagnostics diagnostics(config.source);
  for (const io::DefaultError::Mistake& mistake : error.mistakes()) {
    const auto found =
        std::find_if(config.defaults.begin(), config.defaults.end(),
                     [&](const DefaultConfig& each) { return each.name.value == mistake.column; });
    diagnostics.add(found->name.location, mistake.problem);
  }
  return diagnostics.format();
}

std::string located(const Config& config, const Sample& sample, const io::MatchError& error) {
  const auto found =
      std::find_if(sample.friends.begin(), sample.friends.end(),
                   [&](const FriendConfig& each) { return each.name.value == error.friend_name(); });
  const auto column = std::find_if(found->match.begin(), found->match.end(),
                                   [&](const Text& each) { return each.value == error.column(); });
  return marked_message(*config.source, column->location, "error", error.what());
}

std::vector<io::InputLocation> locations_of(const std::vector<Input>& inputs) {
  std::vector<io::InputLocation> locations;
  for (const Input& input : inputs) locations.push_back(input.location);
  return locations;
}

std::vector<io::FriendInputs> friends_of(const Sample& sample) {
  std::vector<io::FriendInputs> friends;
  for (const FriendConfig& each : sample.friends) {
    io::FriendInputs& inputs = friends.emplace_back();
    inputs.name = each.name.value;
    inputs.locations = locations_of(each.inputs);
    for (const Text& column : each.match) inputs.match.push_back(column.value);
    inputs.may_be_longer = each.may_be_longer;
  }
  return friends;
}

// The columns of defaults that no file of a source has, with underscores in their names.
using LackingNames = std::unordered_set<std::string>;

LackingNames lacking_names(const io::InputSource& source) {
  LackingNames names;
  for (const std::string& each : source.columns_nowhere()) names.insert(with_underscores(each));
  return names;
}

}  // namespace

io::InputOptions input_options(const Config& config) {
  io::check_checksum_folder(config.checksum_folder);
  io::InputOptions options;
  options.requires_checksums = config.requires_checksums;
  options.checksum_folder = config.checksum_folder;
  options.files = config.opened_files;
  options.finds_all_bad_files = config.on_bad_file == BadFilePolicy::kSkip;
  return options;
}

void open_ahead(const Config& config) {
  std::vector<std::vector<io::InputLocation>> samples;
  for (const Sample& sample : config.samples) samples.push_back(locations_of(sample.inputs));
  io::open_ahead(samples, input_options(config));
}

std::unique_ptr<io::InputSource> open_source(const Config& config, const Sample& sample,
                                             const std::vector<Input>& inputs) {
  io::InputOptions options = input_options(config);
  if (config.memory_limit) options.max_idle_bytes = options.read_ahead_bytes = 0;
  if (config.chosen_entries)
    options.slice_entries = slice_entries_for(*config.chosen_entries, options.slice_entries);
  options.follows_friends = true;
  std::map<std::string, std::string> names;
  for (const Input& input : inputs) names.emplace(input.location.path, input.name);
  options.file_names = std::make_shared<const std::map<std::string, std::string>>(std::move(names));
  options.max_open_files /= config.samples.size();  // all are opened before the first is processed
  // Those that are opened a few at a time are as many in the end.
  if (sample.inputs.size() > options.max_open_files) options.max_open_files = 0;
  for (const DefaultConfig& each : config.defaults) options.defaults.emplace(each.name.value, each.value);
  const std::vector<io::FriendInputs> friends = friends_of(sample);
  try {
    return io::with_friends(io::open_inputs(locations_of(inputs), io::without_friends(options, friends)),
                            friends, options);
  } catch (const io::DefaultError& error) {
    throw MarkedError(located(config, error));
  } catch (const io::MatchError& error) {
    // One that a tree names itself is none of the config's, and is left out if it cannot be read.
    throw MarkedError(located(config, sample, error));
  }
}

std::vector<std::string> warnings_of_defaults(const Config& config,
                                              const std::vector<const io::InputSource*>& sources) {
  std::vector<std::string> present, warnings;
  std::vector<LackingNames> lacking;
  for (const io::InputSource* source : sources) {
    lacking.push_back(lacking_names(*source));
    for (const std::string& name : source->schema().names())
      if (!lacking.back().contains(with_underscores(name))) present.push_back(name);
  }
  for (const DefaultConfig& each : config.defaults) {
    const std::string& name = each.name.value;
    if (has_wildcards(name)) continue;
    const bool is_nowhere = std::all_of(lacking.begin(), lacking.end(), [&](const LackingNames& names) {
      return names.contains(with_underscores(name));
    });
    if (!is_nowhere) continue;
    warnings.push_back(marked_message(*config.source, each.name.location, "warning",
                                      "no file has a column \"" + name + "\"" + did_you_mean(name, present) +
                                          ": all its values are the default"));
  }
  return warnings;
}

}  // namespace skimline::skims
