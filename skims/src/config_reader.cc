// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/config_reader.h"

#include "byte_size_reader.h"
#include "event_choice_reader.h"
#include "histogram_config_reader.h"
#include "input_files.h"
#include "name_checks.h"
#include "naming.h"
#include "object_reader.h"
#include "output_checks.h"
#include "sample_reader.h"
#include "skim_reader.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr ByteLimits kHistogramMemoryLimits{1 << 20, 16ull << 40};

class ConfigReader {
 public:
  explicit ConfigReader(std::shared_ptr<const ConfigText> source)
      : folder_(fs::path(source->path).parent_path()), diagnostics_(source) {
    config_.source = std::move(source);
  }

  Config read() {
    const JsonValue root = parse_located_json(config_.source->text, diagnostics_);
    diagnostics_.throw_if_any();
    read_root(root);
    check_outputs(config_, diagnostics_);
    diagnostics_.throw_if_any();
    return std::move(config_);
  }

 private:
  void read_root(const JsonValue& root) {
    const ObjectReader object(
        root, "the config",
        {"$schema", "schema_version", "samples", "defaults", "functions", "define", "select", "regions",
         "histogram_defaults", "histogram_memory", "histograms", "skims", "output"},
        diagnostics_);
    object.text("$schema");
    read_version(object);
    if (const JsonValue* samples = object.require("samples")) read_samples(*samples);
    if (const JsonValue* defaults = object.find("defaults")) read_defaults(*defaults);
    if (const JsonValue* functions = object.find("functions")) read_functions(*functions);
    if (const JsonValue* define = object.find("define")) read_definitions(*define);
    if (const JsonValue* select = object.find("select")) events_.read_cuts(*select);
    if (const JsonValue* regions = object.find("regions")) read_regions(*regions);
    if (const JsonValue* output = object.find("output")) read_output(*output);
    read_histograms(object);
    if (const JsonValue* skims = object.find("skims")) read_skims(*skims);
    check_something_to_do(object);
  }

  void read_version(const ObjectReader& object) {
    const JsonValue* version = object.require("schema_version");
    if (version && !(version->kind == JsonKind::kInteger && version->number == 1))
      diagnostics_.add(version->location, "\"schema_version\" must be 1, the only one this program knows");
  }

  void check_something_to_do(const ObjectReader& object) {
    const JsonValue* histograms = object.find("histograms");
    const JsonValue* output = object.find("output");
    if (histograms && !(output && output->find("histograms")))
      diagnostics_.add({histograms->location.begin, histograms->location.begin + 1},
                       "histograms need a file: give \"output\": {\"histograms\": \"histograms.root\"}");
    if (!histograms && config_.output.histograms)
      diagnostics_.add(config_.output.histograms->location, "there are no \"histograms\" to write");
    for (const char* key : {"histogram_defaults", "histogram_memory"})
      if (const JsonValue* found = object.find(key); found && !histograms)
        diagnostics_.add(found->location, "there are no \"histograms\" for \"" + std::string(key) + "\"");
    if (object.is_object() && !histograms && !object.find("skims") && !object.find("select") &&
        !object.find("regions"))
      diagnostics_.add(object.opening(),
                       "nothing to do: give \"select\", \"regions\", \"histograms\" or \"skims\"");
  }

  void read_samples(const JsonValue& value) {
    for_each_named(value, "\"samples\"", diagnostics_, [&](const Text& name, const JsonValue& sample) {
      check_object_name(name, "a sample", diagnostics_);
      config_.samples.push_back(read_sample(name, sample, folder_, diagnostics_));
    });
    config_.has_several_samples = config_.samples.size() > 1;
  }

  void read_defaults(const JsonValue& value) {
    for_each_named(value, "\"defaults\"", diagnostics_, [&](const Text& column, const JsonValue& each) {
      check_column_name(column, diagnostics_);
      if (auto read = read_constant(each, "a default", diagnostics_))
        config_.defaults.push_back({column, std::move(*read)});
    });
  }

  void read_functions(const JsonValue& value) {
    for_each_named(value, "\"functions\"", diagnostics_, [&](const Text& signature, const JsonValue& body) {
      auto text = read_text(body, "the function \"" + signature.value + "\"", diagnostics_);
      if (text) config_.functions.push_back({signature, std::move(*text)});
    });
  }

  void read_definitions(const JsonValue& value) {
    for_each_named(value, "\"define\"", diagnostics_, [&](const Text& name, const JsonValue& expression) {
      check_identifier(name, "a definition", diagnostics_);
      auto text = read_text(expression, "the definition of \"" + name.value + "\"", diagnostics_);
      if (text) config_.define.push_back({name, std::move(*text)});
    });
  }

  void read_regions(const JsonValue& value) {
    events_.read_regions(value);
    for (const Region& region : config_.regions) check_object_name(region.name, "a region", diagnostics_);
  }

  void read_histograms(const ObjectReader& object) {
    HistogramConfigReader reader(events_, diagnostics_);
    if (const JsonValue* defaults = object.find("histogram_defaults")) reader.read_defaults(*defaults);
    if (const JsonValue* memory = object.find("histogram_memory")) read_histogram_memory(*memory);
    const JsonValue* histograms = object.find("histograms");
    if (!histograms) return;
    for_each_named(*histograms, "\"histograms\"", diagnostics_,
                   [&](const Text& name, const JsonValue& histogram) {
                     config_.histograms.push_back(reader.read(name, histogram));
                   });
    const std::size_t num_errors = diagnostics_.size();
    check_name_template(config_, diagnostics_);
    if (diagnostics_.size() == num_errors) check_histogram_names(config_, diagnostics_);
  }

  void read_histogram_memory(const JsonValue& value) {
    const auto bytes = read_byte_size(value, "\"histogram_memory\"", kHistogramMemoryLimits, diagnostics_);
    if (bytes) config_.histogram_memory = ByteLimit{*bytes, value.location};
  }

  void read_skims(const JsonValue& value) {
    for_each_named(value, "\"skims\"", diagnostics_, [&](const Text& name, const JsonValue& skim) {
      check_object_name(name, "a skim", diagnostics_);
      if (auto read = read_skim(name, skim, events_, folder_, diagnostics_))
        config_.skims.push_back(std::move(*read));
    });
  }

  void read_output(const JsonValue& value) {
    const ObjectReader object(value, "\"output\"", {"histograms"}, diagnostics_);
    const JsonValue* histograms = object.find("histograms");
    if (!histograms) return;
    if (histograms->kind == JsonKind::kObject)
      read_histogram_output(*histograms);
    else
      config_.output.histograms = object.text("histograms");
    if (config_.output.histograms)
      config_.output.histograms_path = resolved(folder_, config_.output.histograms->value).string();
  }

  void read_histogram_output(const JsonValue& value) {
    const ObjectReader object(value, "\"histograms\" of \"output\"", {"file", "name"}, diagnostics_);
    config_.output.histograms = object.required_text("file");
    config_.output.name_template = object.text("name");
  }

  fs::path folder_;
  Diagnostics diagnostics_;
  Config config_;
  EventChoiceReader events_{config_, diagnostics_};
};

std::string read_text_file(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw ConfigError(path + ": is a folder, not a config");
  if (!stream) throw ConfigError(path + ": cannot be opened: " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw ConfigError(path + ": cannot be read");
  return text;
}

}  // namespace

bool is_json(const OutputConfig& output) { return output.histograms_path.ends_with(".json"); }

Config read_config(const std::string& path, const ConfigOptions& options) {
  return parse_config(path, read_text_file(path), options);
}

Config parse_config(const std::string& path, std::string text, const ConfigOptions&) {
  return ConfigReader(std::make_shared<const ConfigText>(ConfigText{path, std::move(text)})).read();
}

}  // namespace skimline::skims
