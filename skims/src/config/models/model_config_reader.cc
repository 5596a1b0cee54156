// SPDX-License-Identifier: BSD-3-Clause
#include "config/models/model_config_reader.h"

#include "base/resolved_path.h"
#include "config/corrections/resolved_checksums.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"
#include "config/models/model_function.h"

#include "skimline/io/file_checksum.h"
#include "skimline/io/gzip_text.h"
#include "skimline/io/text_digest.h"
#include "skimline/skims/models.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

constexpr std::size_t kMaxBytes = 1 << 30;
constexpr std::size_t kMostArguments = 10000;

// What a model offers, by number and by name.
using Tensors = std::vector<ModelTensor>;

std::vector<std::string> names_of(const Tensors& tensors) {
  std::vector<std::string> names;
  for (const ModelTensor& tensor : tensors) names.push_back(tensor.name);
  return names;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  return list;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::optional<std::size_t> index_of(const JsonValue& value) {
  std::size_t index = 0;
  const char* end = value.text.data() + value.text.size();
  if (value.kind == JsonKind::kInteger &&
      std::from_chars(value.text.data(), end, index) == std::from_chars_result{end, std::errc{}})
    return index;
  return std::nullopt;
}

// How many numbers an object has in an input, nothing if the model leaves it open. Throws Error if it cannot
// be used.
std::optional<std::size_t> width_of(const ModelTensor& input) {
  const std::string what = "its input \"" + input.name + "\" ";
  if (!input.scalar) throw Error(what + "is a " + input.type + ", which expressions have no numbers for");
  if (input.shape.empty()) throw Error(what + "is a single number for all objects, not one for each");
  const auto sizes = std::span(input.shape).subspan(1);
  const bool is_open = std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; });
  if (is_open && sizes.size() > 1) throw Error(what + "leaves open how large it is");
  if (is_open) return std::nullopt;
  std::size_t width = 1;
  for (const std::int64_t size : sizes) {
    if (size == 0 || static_cast<std::uint64_t>(size) > kMostArguments / width)
      throw Error(what + "has for each object none or more than " + std::to_string(kMostArguments) +
                  " numbers");
    width *= static_cast<std::size_t>(size);
  }
  return width;
}

// One model of a config, from what it says to the function that it is.
class ModelConfigReader {
 public:
  ModelConfigReader(const ObjectReader& object, const Text& file, std::shared_ptr<const Model> model,
                    Diagnostics& diagnostics)
      : object_(object), file_(file), diagnostics_(diagnostics) {
    call_.model = std::move(model);
  }

  /// Nothing, and a mistake, if it cannot be called like this.
  std::optional<ModelFunction> read() {
    const std::size_t num_errors = diagnostics_.size();
    try {
      read_inputs();
      read_output();
      if (diagnostics_.size() != num_errors) return std::nullopt;
      call_.num_values = count_values(call_);
      read_element();
      if (diagnostics_.size() != num_errors) return std::nullopt;
      return model_function(call_);
    } catch (const Error& error) {
      diagnostics_.add(file_.location, "the model \"" + file_.value + "\" cannot be used: " + error.what());
      return std::nullopt;
    }
  }

  const ModelCall& call() const { return call_; }

 private:
  const Tensors& inputs() const { return call_.model->inputs(); }

  void read_inputs() {
    std::vector<std::optional<std::size_t>> widths;
    for (const ModelTensor& input : inputs()) widths.push_back(width_of(input));
    const JsonValue* place = object_.find("inputs");
    const std::vector<Text> names = place ? object_.texts("inputs") : std::vector<Text>();
    if (place && names.empty()) return;  // a mistake already
    for (const auto& width : widths) {
      if (!width && widths.size() > 1) throw Error("its inputs leave open how many numbers an object has");
      if (!width && names.empty())
        throw Error("it leaves open how many numbers an object has: name them by \"inputs\"");
      call_.widths.push_back(width.value_or(names.size()));
    }
    const std::size_t count = std::accumulate(call_.widths.begin(), call_.widths.end(), std::size_t{0});
    call_.arguments.resize(count);
    std::iota(call_.arguments.begin(), call_.arguments.end(), 0);
    if (!place) return name_by_model(count);
    if (names.size() != count)
      return diagnostics_.add(place->location, "the model takes " + counted(count, "number") +
                                                   " for each object, not " + std::to_string(names.size()));
    std::set<std::string> known;
    for (const Text& name : names) {
      if (!known.insert(name.value).second)
        diagnostics_.add(name.location, "there is a second \"" + name.value + "\"");
      call_.names.push_back(name.value);
    }
    if (inputs().size() == count && count > 1) find_arguments(names);
  }

  // Inputs of one number each may be given in any order.
  void find_arguments(const std::vector<Text>& names) {
    const std::vector<std::string> known = names_of(inputs());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = std::find(known.begin(), known.end(), names[i].value);
      if (found == known.end())
        diagnostics_.add(names[i].location,
                         "the model has no input \"" + names[i].value + "\": it has " + list_of(known));
      else
        call_.arguments[static_cast<std::size_t>(found - known.begin())] = i;
    }
  }

  // Inputs of one number have their name, others one with the number of each.
  void name_by_model(std::size_t count) {
    for (std::size_t input = 0; input < inputs().size(); ++input)
      for (std::size_t i = 0; i < call_.widths[input]; ++i)
        call_.names.push_back(inputs()[input].name +
                              (inputs().size() == count ? "" : "[" + std::to_string(i) + "]"));
  }

  void read_output() {
    const Tensors& outputs = call_.model->outputs();
    const JsonValue* value = object_.find("output");
    if (outputs.empty()) throw Error("it has no output");
    if (!value && outputs.size() > 1)
      return diagnostics_.add(object_.opening(),
                              "the model has " + counted(outputs.size(), "output") +
                                  ", say which one by \"output\": " + list_of(names_of(outputs)));
    if (value && !find_output(*value)) return;
    const ModelTensor& output = outputs[call_.output];
    if (output.scalar) return;
    const bool is_map = output.type.find("map") != std::string::npos;
    diagnostics_.add(value ? value->location : file_.location,
                     "the output \"" + output.name + "\" is a " + output.type +
                         ", not numbers that expressions have" +
                         (is_map ? ": convert the model without ZipMap (zipmap=False)" : ""));
  }

  bool find_output(const JsonValue& value) {
    const std::vector<std::string> names = names_of(call_.model->outputs());
    const auto index = index_of(value);
    if (!index && value.kind != JsonKind::kString) {
      diagnostics_.add(value.location,
                       "\"output\" must be a name or a number from 0, got " + name_of(value.kind));
      return false;
    }
    const auto found = std::find(names.begin(), names.end(), value.text);
    call_.output = index ? *index : static_cast<std::size_t>(found - names.begin());
    if (call_.output < names.size()) return true;
    const std::string meant = index ? "" : did_you_mean(value.text, names);
    diagnostics_.add(value.location, "the model has no output " +
                                         (index ? value.text : "\"" + value.text + "\"") +
                                         (meant.empty() ? ": it has " + list_of(names) : meant));
    return false;
  }

  void read_element() {
    const JsonValue* value = object_.find("element");
    const std::string has = "the output \"" + call_.model->outputs()[call_.output].name + "\" has " +
                            counted(call_.num_values, "number") + " for each object";
    if (!value && call_.num_values > 1)
      return diagnostics_.add(object_.opening(), has + ", say which one by \"element\", from 0 to " +
                                                     std::to_string(call_.num_values - 1));
    if (!value) return;
    const auto index = index_of(*value);
    if (!index || *index >= call_.num_values)
      return diagnostics_.add(value->location, "\"element\" must be a number from 0 to " +
                                                   std::to_string(call_.num_values - 1) + ": " + has);
    call_.element = *index;
  }

  const ObjectReader& object_;
  const Text& file_;
  Diagnostics& diagnostics_;
  ModelCall call_;
};

// Which number of which output of which file it is, and what computes it.
std::string content_of(const std::string& digest, const ModelCall& call) {
  const nlohmann::ordered_json content = {
      "model", digest, call.model->evaluator(), call.output, call.element, call.arguments, call.widths};
  return content.dump();
}

class ModelsReader {
 public:
  ModelsReader(const std::filesystem::path& folder, Diagnostics& diagnostics)
      : folder_(folder), diagnostics_(diagnostics) {}

  std::optional<ModelConfig> read(const Text& name, const JsonValue& value) {
    const std::size_t num_errors = diagnostics_.size();
    check_identifier(name, "a model", diagnostics_);
    const ObjectReader object(value, "the model \"" + name.value + "\"",
                              {"file", "checksum", "inputs", "output", "element"}, diagnostics_);
    const std::optional<Text> file = object.required_text("file");
    const std::optional<Text> checksum = object.text("checksum");
    const OpenFile* opened = file ? open(*file) : nullptr;
    if (!opened) return std::nullopt;
    if (checksum && checksum->value != opened->checksum) {
      diagnostics_.add(checksum->location,
                       "\"" + file->value + "\" has the checksum \"" + opened->checksum + "\"");
      return std::nullopt;  // what else is wrong may be so since it is another model
    }
    ModelConfigReader reader(object, *file, opened->model, diagnostics_);
    std::optional<ModelFunction> made = reader.read();
    if (!made || diagnostics_.size() != num_errors) return std::nullopt;
    const std::string evaluator = opened->model->evaluator() + (made->is_alone ? ", object by object" : "");
    return ModelConfig{name,
                       opened->path,
                       opened->checksum,
                       evaluator,
                       std::move(made->function),
                       content_of(opened->digest, reader.call())};
  }

 private:
  struct OpenFile {
    std::string path;
    std::string checksum;
    std::string digest;
    std::shared_ptr<const Model> model;
  };

  // Each file is read once; one that cannot be used is a mistake wherever it is named.
  const OpenFile* open(const Text& file) {
    const std::string path = resolved(folder_, file.value).string();
    const auto found = files_.find(path);
    if (found != files_.end()) return &found->second;
    std::string content;
    try {
      content = io::read_gzip_text(path, kMaxBytes);
    } catch (const Error& error) {
      diagnostics_.add(file.location, error.what());
      return nullptr;
    }
    try {
      // The bytes that are evaluated are those that were summed up.
      OpenFile opened{path, io::checksum_of_bytes(std::as_bytes(std::span(content))),
                      io::text_digest(content), read_model(content)};
      return &files_.emplace(path, std::move(opened)).first->second;
    } catch (const Error& error) {
      diagnostics_.add(file.location, "the model \"" + file.value + "\" cannot be used: " + error.what());
      return nullptr;
    }
  }

  std::filesystem::path folder_;
  Diagnostics& diagnostics_;
  std::map<std::string, OpenFile> files_;
};

}  // namespace

void read_models(const JsonValue& value, const std::filesystem::path& folder, Config& config,
                 Diagnostics& diagnostics) {
  const std::size_t num_errors = diagnostics.size();
  ModelsReader reader(folder, diagnostics);
  for_each_named(value, "\"models\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    if (auto read = reader.read(name, each)) config.models.push_back(std::move(*read));
  });
  if (diagnostics.size() != num_errors) return;
  NamedChecksums checksums;
  for (const ModelConfig& each : config.models) checksums.emplace_back(each.name.value, each.checksum);
  add_checksums("models", checksums, config.resolved);
}

}  // namespace skimline::skims
