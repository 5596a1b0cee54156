// SPDX-License-Identifier: BSD-3-Clause
#include "record/record_text.h"

#include "record/record_inputs.h"
#include "record/record_json.h"
#include "record/shards_of_run.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

Json json_of(const ConstantValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json json_of(const InputRecord& input) {
  Json processed = Json::array();
  for (const EntryRange& range : input.processed)
    processed.push_back(Json::array({range.first, range.count}));
  Json json{{"file", input.file},
            {"ntuple", input.ntuple},
            {"uuid", input.uuid},
            {"entries", input.num_entries},
            {"processed", std::move(processed)}};
  if (input.version.empty()) return json;
  json["version"] = input.version;
  json["bytes"] = input.file_bytes;
  return json;
}

Json json_of(const ShardsOfRun& shards) {
  const auto& [whole, parts] = shards;
  if (is_of_unknown_whole(shards)) return parts.second;
  return {{"of", parts.first}, {"entries", whole.first}, {"numbers", parts.second}};
}

Json json_of(const SampleRecord& sample) {
  Json json{{"name", sample.name}};
  Json::object_t metadata;  // of which no key is looked up
  for (const auto& [name, value] : sample.metadata) metadata.emplace_back(name, json_of(value));
  json["metadata"] = std::move(metadata);
  json["cross_section_pb"] = sample.cross_section_pb ? Json(*sample.cross_section_pb) : Json();
  json["normalisation"] = sample.normalisation ? Json(*sample.normalisation) : Json();
  json["weight"] = sample.weight;
  json["carried_steps"] = sample.num_carried_steps;
  json["inputs"] = Json::array();
  for (const InputRecord& input : sample.inputs) json["inputs"].push_back(json_of(input));
  json["skipped"] = Json::array();
  for (const SkippedInput& skipped : sample.skipped)
    json["skipped"].push_back({{"file", skipped.file}, {"problem", skipped.problem}});
  for (const ShardsOfRun& shards : sample.shards) json["shards"][shards.first.second] = json_of(shards);
  for (const auto& [whole, files] : sample.files)
    json["files"][whole] = {{"of", files.first}, {"numbers", files.second}};
  for (const auto& [region, histograms] : sample.counted_by) json["counted_by"][region] = histograms;
  return json;
}

std::string normal_form(const std::string& config) {
  try {
    return compact_text(config);
  } catch (const Error& error) {
    throw InternalError(std::string("a config cannot be recorded: ") + error.what());
  }
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// One object of the JSON, of which nothing is believed.
class RecordObject {
 public:
  RecordObject(const nlohmann::json& json, const char* what) : json_(json), what_(what) {
    if (!json.is_object()) throw Error(std::string(what) + " is no object");
  }

  std::string text(const char* key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_string()) fail(key, "no text");
    return value.get<std::string>();
  }

  std::uint64_t count(const char* key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_number_unsigned()) fail(key, "no count");
    return value.get<std::uint64_t>();
  }

  const nlohmann::json& list(const char* key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_array()) fail(key, "no list");
    return value;
  }

  const nlohmann::json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) throw Error(std::string(what_) + " has no \"" + key + "\"");
    return *found;
  }

  [[noreturn]] void fail(const char* key, const char* problem) const {
    throw Error("\"" + std::string(key) + "\" of " + what_ + " is " + problem);
  }

 private:
  const nlohmann::json& json_;
  const char* what_;
};

ConstantValue constant_of(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    return json.get<double>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  throw Error("metadata of a sample is neither a number nor a text");
}

EntryRange range_of(const nlohmann::json& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number_unsigned() || !json[1].is_number_unsigned())
    throw Error("a range of entries is no pair of counts");
  return {json[0].get<std::uint64_t>(), json[1].get<std::uint64_t>()};
}

InputRecord input_of(const nlohmann::json& json) {
  const RecordObject object(json, "an input");
  InputRecord input{.file = object.text("file"),
                    .ntuple = object.text("ntuple"),
                    .uuid = object.text("uuid"),
                    .num_entries = object.count("entries"),
                    .processed = {},
                    .version = {},
                    .file_bytes = 0};
  if (json.contains("version")) {
    input.version = object.text("version");
    input.file_bytes = object.count("bytes");
  }
  std::uint64_t next = 0;
  for (const nlohmann::json& range : object.list("processed")) {
    const EntryRange entries = range_of(range);
    if (entries.first < next || entries.first > input.num_entries || entries.count == 0 ||
        entries.count > input.num_entries - entries.first)
      object.fail("processed", "no list of ranges inside the input");
    next = entries.end();
    input.processed.push_back(entries);
  }
  return input;
}

std::optional<double> number_in(const RecordObject& object, const char* key) {
  const nlohmann::json& json = object.at(key);
  if (json.is_null()) return std::nullopt;
  if (!json.is_number()) object.fail(key, "no number");
  return json.get<double>();
}

// Numbers of some of `count` parts.
std::set<std::uint64_t> numbers_in(const nlohmann::json& list, std::uint64_t count, const char* part) {
  std::set<std::uint64_t> numbers;
  for (const nlohmann::json& number : list) {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() - 1 >= count)
      throw Error(std::string(part) + " is not one of " + std::to_string(count));
    numbers.insert(number.get<std::uint64_t>());
  }
  return numbers;
}

// Records of older programs have the numbers by how many there are.
ShardsOfRun shards_of(const std::string& whole, const nlohmann::json& json) {
  if (json.is_array()) {
    std::uint64_t count = 0;
    const auto [end, fault] = std::from_chars(whole.data(), whole.data() + whole.size(), count);
    if (fault != std::errc() || end != whole.data() + whole.size())
      throw Error("the shards of a sample are no lists of numbers");
    return {unknown_whole(count), {count, numbers_in(json, count, "a shard")}};
  }
  const RecordObject object(json, "a run in shards");
  const std::uint64_t count = object.count("of");
  return {{object.count("entries"), whole}, {count, numbers_in(object.list("numbers"), count, "a shard")}};
}

decltype(SampleRecord::shards) shards_of(const nlohmann::json& json) {
  decltype(SampleRecord::shards) all;
  if (!json.is_object()) throw Error("the shards of a sample are no object");
  for (const auto& [whole, each] : json.items())
    if (ShardsOfRun shards = shards_of(whole, each); !shards.second.second.empty())
      all.insert(std::move(shards));
  return all;
}

using FilesOfSkims = decltype(SampleRecord::files);

FilesOfSkims files_of(const nlohmann::json& json) {
  FilesOfSkims all;
  if (!json.is_object()) throw Error("the files of the skims of a sample are no object");
  for (const auto& [whole, each] : json.items()) {
    const RecordObject object(each, "a skim that is split");
    auto& [count, numbers] = all[whole];
    count = object.count("of");
    numbers = numbers_in(object.list("numbers"), count, "a file of a skim");
    if (numbers.empty()) object.fail("numbers", "empty");
  }
  return all;
}

std::map<std::string, std::set<std::string>> counted_by_of(const nlohmann::json& json) {
  std::map<std::string, std::set<std::string>> regions;
  if (!json.is_object()) throw Error("what counts the events of a sample is no object");
  for (const auto& [region, names] : json.items()) {
    if (!names.is_array() ||
        !std::all_of(names.begin(), names.end(), [](const nlohmann::json& name) { return name.is_string(); }))
      throw Error("what counts the events of a sample are no lists of histograms");
    for (const nlohmann::json& name : names) regions[region].insert(name.get<std::string>());
  }
  return regions;
}

SampleRecord sample_of(const nlohmann::json& json) {
  const RecordObject object(json, "a sample");
  SampleRecord sample;
  sample.name = object.text("name");
  if (!object.at("metadata").is_object()) object.fail("metadata", "no object");
  for (const auto& [name, value] : object.at("metadata").items())
    sample.metadata.emplace_back(name, constant_of(value));
  sample.cross_section_pb = number_in(object, "cross_section_pb");
  sample.normalisation = number_in(object, "normalisation");
  sample.weight = object.text("weight");
  sample.num_carried_steps = object.count("carried_steps");
  for (const nlohmann::json& input : object.list("inputs")) sample.inputs.push_back(input_of(input));
  for (const nlohmann::json& skipped : object.list("skipped")) {
    const RecordObject left_out(skipped, "a skipped input");
    sample.skipped.push_back({left_out.text("file"), left_out.text("problem")});
  }
  if (const auto shards = json.find("shards"); shards != json.end()) sample.shards = shards_of(*shards);
  if (const auto files = json.find("files"); files != json.end()) sample.files = files_of(*files);
  if (const auto counted = json.find("counted_by"); counted != json.end())
    sample.counted_by = counted_by_of(*counted);
  return sample;
}

void check_format(const RecordObject& object) {
  const std::uint64_t format = object.count("format");
  if (format != kFormat)
    throw Error("it has the format " + std::to_string(format) + ", and only " + std::to_string(kFormat) +
                " is known");
}

template <typename Item, typename Key>
void sort_by(std::vector<Item>& items, Key key) {
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& left, const Item& right) { return key(left) < key(right); });
}

// Older programs did not say of which whole shards are: of the one that is here in as many shards.
void place_shards_of_older_programs(SampleRecord& sample) {
  std::erase_if(sample.shards, [&](const ShardsOfRun& older) {
    const auto& [count, numbers] = older.second;
    const auto is_whole = [count = count](const ShardsOfRun& each) {
      return !is_of_unknown_whole(each) && each.second.first == count;
    };
    if (!is_of_unknown_whole(older)) return false;
    const auto whole = std::find_if(sample.shards.begin(), sample.shards.end(), is_whole);
    if (whole == sample.shards.end() || std::any_of(std::next(whole), sample.shards.end(), is_whole))
      return false;
    whole->second.second.insert(numbers.begin(), numbers.end());
    return true;
  });
}

// Of shards that are split, files of one may come with another merge.
void drop_complete_shards(SampleRecord& sample) {
  const bool has_all_files = std::all_of(sample.files.begin(), sample.files.end(), [](const auto& of_skim) {
    return of_skim.second.second.size() == of_skim.second.first;
  });
  if (has_all_files)
    std::erase_if(sample.shards, [](const ShardsOfRun& shards) {
      return shards.second.second.size() == shards.second.first;
    });
}

void make_canonical(SampleRecord& sample) {
  place_shards_of_older_programs(sample);
  drop_complete_shards(sample);
  sort_by(sample.metadata, [](const auto& named) { return named.first; });
  std::vector<InputOfRecord> inputs;
  for (InputRecord& input : sample.inputs) inputs.push_back({std::move(input), 0});
  sample.inputs = unite(inputs).inputs;
  const auto key = [](const SkippedInput& skipped) { return std::pair(skipped.file, skipped.problem); };
  sort_by(sample.skipped, key);
  const auto rest = std::unique(sample.skipped.begin(), sample.skipped.end(),
                                [&](const auto& left, const auto& right) { return key(left) == key(right); });
  sample.skipped.erase(rest, sample.skipped.end());
}

}  // namespace

void make_canonical(RunRecord& record) {
  // Parts of one run have the same.
  std::set<std::string> given, configs;
  for (std::string& config : record.configs) given.insert(std::move(config));
  for (const std::string& config : given) configs.insert(normal_form(config));
  record.configs.assign(configs.begin(), configs.end());
  for (SampleRecord& sample : record.samples) make_canonical(sample);
  sort_by(record.samples, [](const SampleRecord& sample) { return sample.name; });
}

Json record_json(const RunRecord& record) {
  Json json{{"format", kFormat}, {"version", record.version}, {"configs", Json::array()}};
  for (const std::string& config : record.configs) json["configs"].push_back(ordered_json_of(config));
  json["files_without_record"] = record.num_files_without;
  json["samples"] = Json::array();
  for (const SampleRecord& sample : record.samples) json["samples"].push_back(json_of(sample));
  return json;
}

std::string record_text(const RunRecord& record) {
  std::string text =
      "{\"format\":" + std::to_string(kFormat) + ",\"version\":" + text_of(Json(record.version));
  text += ",\"configs\":[";
  const char* separator = "";
  for (const std::string& config : record.configs) text.append(std::exchange(separator, ",")).append(config);
  text += "],\"files_without_record\":" + std::to_string(record.num_files_without) + ",\"samples\":[";
  separator = "";
  for (const SampleRecord& sample : record.samples)
    text.append(std::exchange(separator, ",")).append(text_of(json_of(sample)));
  text += "]}";
  if (text.size() > kLargestRecordText)
    throw Error("the record of the run would be longer than " + std::to_string(kLargestRecordText >> 20) +
                " MiB: give the samples fewer inputs, or the config fewer keys");
  return text;
}

RunRecord parse_record(std::string_view text) {
  if (text.size() > kLargestRecordText) throw Error("it is too long");
  RecordParts parts = record_parts(text);
  const RecordObject object(parts.rest, "the record");
  check_format(object);
  RunRecord record;
  record.version = object.text("version");
  if (!parts.has_configs) static_cast<void>(object.list("configs"));
  record.configs = std::move(parts.configs);
  record.num_files_without = object.count("files_without_record");
  std::set<std::string> names;
  for (const nlohmann::json& sample : object.list("samples")) {
    record.samples.push_back(sample_of(sample));
    if (!names.insert(record.samples.back().name).second)
      throw Error("two samples are called \"" + record.samples.back().name + "\"");
  }
  return record;
}

}  // namespace skimline::skims
