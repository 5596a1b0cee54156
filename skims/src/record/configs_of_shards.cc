// SPDX-License-Identifier: BSD-3-Clause
#include "record/configs_of_shards.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

// What changes no number of a result. Records do not have paths of outputs and limits of memory.
constexpr std::array<const char*, 7> kOfTheJob = {
    "samples_from",    "on_bad_file", "max_bad_fraction", "allow_duplicates", "require_checksums",
    "checksum_folder", "plots"};
constexpr std::array<const char*, 5> kOfSkimFiles = {"format", "compression", "split", "cluster_size",
                                                     "page_size"};

template <typename Change>
void for_each_object(Json& config, const char* key, Change change) {
  if (const auto found = config.find(key); found != config.end() && found->is_object())
    for (Json& object : *found)
      if (object.is_object()) change(object);
}

// Files may be in other folders on other machines.
void leave_name_of_file(Json& object, const char* key) {
  if (const auto found = object.find(key); found != object.end() && found->is_string())
    *found = std::filesystem::path(found->get<std::string>()).filename().string();
}

// Of what inputs are, the digest of the whole tells.
void erase_places(Json& sample) {
  sample.erase("files");
  for_each_object(sample, "friends", [](Json& friends) { friends.erase("files"); });
  for (const char* file : {"lumi_mask", "entry_list"}) leave_name_of_file(sample, file);
}

void leave_sample(Json& config, const std::string& sample) {
  const auto samples = config.find("samples");
  if (samples == config.end() || !samples->is_object()) return;
  const Json own = samples->value(sample, Json());
  *samples = Json::object({{sample, own}});
}

// The first key whose values differ.
std::string differing_key(const std::string& left, const std::string& right) {
  const Json first = Json::parse(left, nullptr, false), second = Json::parse(right, nullptr, false);
  if (!first.is_object() || !second.is_object()) return {};
  for (const Json& config : {first, second})
    for (const auto& [key, value] : config.items())
      if (first.value(key, Json()) != second.value(key, Json())) return key;
  return {};
}

}  // namespace

std::optional<ConfigsOfShards::Difference> ConfigsOfShards::add(const Whole& whole,
                                                                const std::vector<std::string>& configs,
                                                                std::size_t record) {
  std::vector<std::string> added;
  for (const std::string& config : configs) added.push_back(what_decides(config, whole.first));
  const auto [found, is_new] = wholes_.try_emplace(whole, Known{record, added});
  if (is_new) return std::nullopt;
  Known& known = found->second;
  std::vector<std::string> common;
  for (const std::string& config : added)
    if (std::find(known.configs.begin(), known.configs.end(), config) != known.configs.end())
      common.push_back(config);
  if (common.empty() && !known.configs.empty() && !added.empty())
    return Difference{known.first_record, differing_key(known.configs.front(), added.front())};
  known.configs = std::move(common);
  return std::nullopt;
}

const std::string& ConfigsOfShards::what_decides(const std::string& config, const std::string& sample) {
  const auto [found, is_new] = what_decides_.try_emplace({config, sample}, config);
  if (!is_new) return found->second;
  Json json = Json::parse(config, nullptr, false);
  if (!json.is_object()) return found->second;
  for (const char* key : kOfTheJob) json.erase(key);
  leave_sample(json, sample);
  for_each_object(json, "samples", erase_places);
  for_each_object(json, "skims", [](Json& skim) {
    for (const char* key : kOfSkimFiles) skim.erase(key);
  });
  for (const char* key : {"corrections", "models"})
    for_each_object(json, key, [](Json& object) { leave_name_of_file(object, "file"); });
  return found->second = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace skimline::skims
