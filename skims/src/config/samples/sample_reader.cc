// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/sample_reader.h"

#include "base/text_table.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"
#include "config/samples/alias_reader.h"

#include "skimline/io/url.h"

#include <cmath>

namespace skimline::skims {
namespace {

// The weight of an event in NanoAOD, whose sum "Runs" has.
constexpr const char* kNanoWeight = "genWeight";

void read_metadata(const JsonValue& value, Sample& sample, Diagnostics& diagnostics) {
  for_each_named(value, "\"metadata\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    check_metadata_name(name, diagnostics);
    if (auto read = read_constant(each, "a value", diagnostics))
      sample.metadata.push_back({name, std::move(*read)});
  });
}

void read_cross_section(const JsonValue& value, Sample& sample, Diagnostics& diagnostics) {
  const std::optional<double> number = read_number(value, "\"cross_section_pb\"", diagnostics);
  if (!number) return;
  if (!(*number > 0 && std::isfinite(*number)))
    return diagnostics.add(value.location, "\"cross_section_pb\" must be greater than 0");
  sample.cross_section_pb = *number;
  sample.cross_section_place = value.location;
}

// An expression, or {"runs": true}.
std::optional<WeightSumConfig> read_weight_sum(const JsonValue& value, Diagnostics& diagnostics) {
  WeightSumConfig sum;
  if (value.kind == JsonKind::kString) {
    const auto weight = read_text(value, "\"sum_weights\"", diagnostics);
    if (!weight) return std::nullopt;
    sum.weight = *weight;
    return sum;
  }
  if (value.kind != JsonKind::kObject) {
    diagnostics.add(value.location,
                    "\"sum_weights\" must be an expression or {\"runs\": true}, got " + name_of(value.kind));
    return std::nullopt;
  }
  const ObjectReader object(value, "\"sum_weights\"", {"runs", "weight"}, diagnostics);
  sum.kind = WeightSumConfig::Kind::kRuns;
  if (object.require("runs") && !object.flag("runs", true))
    diagnostics.add(value.location, "\"runs\" must be true; an expression is summed over the events");
  sum.weight = object.text("weight").value_or(Text{kNanoWeight, value.location});
  return sum;
}

void read_replaced(const ObjectReader& object, const char* key, std::vector<Definition>& list) {
  const JsonValue* found = object.find(key);
  if (!found) return;
  for_each_named(*found, "\"" + std::string(key) + "\"", object.diagnostics(),
                 [&](const Text& name, const JsonValue& each) {
                   auto text =
                       read_text(each, "the definition of \"" + name.value + "\"", object.diagnostics());
                   if (text) list.push_back({name, std::move(*text)});
                 });
}

// URLs of copies of one file, as one name.
std::optional<Text> read_copies(const JsonValue& value, Diagnostics& diagnostics) {
  Text name{"", value.location};
  for (const Text& copy : read_texts(value, "the copies of a file", diagnostics)) {
    if (!io::is_url(copy.value)) {
      diagnostics.add(copy.location, "copies of one file are given by URLs, and this is none");
      return std::nullopt;
    }
    name.value += (name.value.empty() ? "" : "|") + copy.value;
  }
  return name.value.empty() ? std::nullopt : std::optional(name);
}

// Paths, and lists of URLs that lead to copies of one file.
std::vector<Text> read_files(const ObjectReader& object) {
  const JsonValue* found = object.find("files");
  if (!found) return {};
  JsonValue files = *found;
  for (JsonValue& file : files.items)
    if (file.kind == JsonKind::kList) {
      const std::optional<Text> name = read_copies(file, object.diagnostics());
      file.kind = JsonKind::kString;
      file.text = name ? name->value : "";
    }
  return read_texts(files, "\"files\"", object.diagnostics());
}

void read_friends(const JsonValue& value, Sample& sample, Diagnostics& diagnostics) {
  for_each_named(value, "\"friends\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    check_identifier(name, "a friend", diagnostics);
    const ObjectReader object(each, "the friend \"" + name.value + "\"", {"files", "match"}, diagnostics);
    FriendConfig config;
    config.name = name;
    if (object.require("files")) config.files = read_files(object);
    config.match = object.texts("match");
    sample.friends.push_back(std::move(config));
  });
}

bool are_of_one_kind(JsonKind a, JsonKind b) {
  const auto is_number = [](JsonKind kind) { return kind == JsonKind::kInteger || kind == JsonKind::kReal; };
  return a == b || (is_number(a) && is_number(b));
}

}  // namespace

std::vector<NamedValue> constants_of(const Sample& sample) {
  std::vector<NamedValue> constants{{{"sample_", sample.name.location}, sample.name.value}};
  if (sample.cross_section_pb)
    constants.push_back({{"cross_section_pb", sample.cross_section_place.value_or(sample.name.location)},
                         *sample.cross_section_pb});
  constants.insert(constants.end(), sample.metadata.begin(), sample.metadata.end());
  return constants;
}

std::string name_among_metadata(const Sample& sample, const std::string& name) {
  for (const NamedValue& each : sample.metadata) {
    if (each.name.value != name) continue;
    if (const auto* text = std::get_if<std::string>(&each.value)) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&each.value)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&each.value)) return exact_number(*real);
  }
  return {};
}

void check_metadata_name(const Text& name, Diagnostics& diagnostics) {
  if (name.value == "cross_section_pb")
    diagnostics.add(name.location, "\"cross_section_pb\" is a key of the sample itself, beside \"metadata\"");
  else
    check_identifier(name, "a value", diagnostics);
}

std::optional<ConstantValue> constant_of(const JsonValue& value) {
  if (value.kind == JsonKind::kBool) return value.boolean;
  if (value.kind == JsonKind::kReal) return value.number;
  if (value.kind == JsonKind::kString) return value.text;
  if (value.kind == JsonKind::kInteger && is_exact(value)) return static_cast<std::int64_t>(value.number);
  return std::nullopt;
}

std::optional<ConstantValue> read_constant(const JsonValue& value, const std::string& what,
                                           Diagnostics& diagnostics) {
  std::optional<ConstantValue> constant = constant_of(value);
  if (!constant)
    diagnostics.add(
        value.location,
        what + " must be true, false, a number (integers up to 2^53) or a text, got " + name_of(value.kind));
  return constant;
}

std::optional<io::DefaultValue> read_default(const JsonValue& value, Diagnostics& diagnostics) {
  if (value.kind != JsonKind::kList) {
    const auto constant = read_constant(value, "a default", diagnostics);
    if (!constant) return std::nullopt;
    return std::visit([](const auto& each) -> io::DefaultValue { return each; }, *constant);
  }
  constexpr std::size_t kMostItems = 1024;
  if (value.items.size() > kMostItems) {
    diagnostics.add(value.location, "a default has " + std::to_string(kMostItems) + " values at most");
    return std::nullopt;
  }
  io::DefaultList list;
  for (const JsonValue& item : value.items) {
    auto constant = read_constant(item, "a value of a default", diagnostics);
    if (!constant) continue;
    list.values.push_back(std::move(*constant));
    if (!are_of_one_kind(item.kind, value.items.front().kind))
      diagnostics.add(item.location, "the values of a default are of one kind: this is " +
                                         name_of(item.kind) + ", the first is " +
                                         name_of(value.items.front().kind));
  }
  return list;
}

void read_sample_defaults(const JsonValue& value, Sample& sample, Diagnostics& diagnostics) {
  const ObjectReader object(value, "\"sample_defaults\"", {"sum_weights"}, diagnostics);
  if (const JsonValue* sum = object.find("sum_weights"))
    sample.sum_weights = read_weight_sum(*sum, diagnostics);
}

Sample read_sample(const Text& name, const JsonValue& value, Diagnostics& diagnostics) {
  const ObjectReader object(value, "the sample \"" + name.value + "\"",
                            {"files", "friends", "metadata", "is_data", "cross_section_pb", "sum_weights",
                             "lumi_mask", "entry_list", "aliases", "define", "weights", "variations"},
                            diagnostics);
  Sample sample;
  sample.name = name;
  sample.files = read_files(object);
  if (const JsonValue* friends = object.find("friends")) read_friends(*friends, sample, diagnostics);
  if (const JsonValue* metadata = object.find("metadata")) read_metadata(*metadata, sample, diagnostics);
  sample.is_data = object.flag("is_data", false);
  if (const JsonValue* number = object.find("cross_section_pb")) {
    read_cross_section(*number, sample, diagnostics);
    if (sample.is_data)
      diagnostics.add(number->location, "data has no \"cross_section_pb\": it is as much as was recorded");
  }
  if (const JsonValue* sum = object.find("sum_weights"))
    sample.sum_weights = read_weight_sum(*sum, diagnostics);
  sample.lumi_mask = object.text("lumi_mask");
  sample.entry_list = object.text("entry_list");
  if (const JsonValue* aliases = object.find("aliases")) sample.aliases = read_aliases(*aliases, diagnostics);
  read_replaced(object, "define", sample.define);
  read_replaced(object, "weights", sample.weights);
  if (object.find("variations")) sample.has_variations = object.flag("variations", true);
  return sample;
}

}  // namespace skimline::skims
