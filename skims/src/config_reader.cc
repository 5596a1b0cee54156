// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/config_reader.h"

#include "axis_reader.h"
#include "byte_size_reader.h"
#include "event_choice_reader.h"
#include "input_files.h"
#include "object_reader.h"
#include "output_checks.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view kDigits = "0123456789";

// Names that mean something else in every expression.
constexpr std::array<std::string_view, 9> kWords{"true",   "false",     "and",   "or",     "not",
                                                 "entry_", "rdfentry_", "file_", "sample_"};

constexpr ByteLimits kClusterLimits{64 << 10, 16ull << 30};
constexpr ByteLimits kPageLimits{1 << 10, 256 << 20};

bool consists_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
  return std::all_of(text.begin(), text.end(), [&](char letter) {
    return std::any_of(alphabets.begin(), alphabets.end(), [&](std::string_view alphabet) {
      return alphabet.find(letter) != std::string_view::npos;
    });
  });
}

bool is_identifier(std::string_view name) {
  return !name.empty() && kLetters.find(name.front()) != std::string_view::npos &&
         consists_of(name, {kLetters, kDigits});
}

// Names in expressions: members of records may follow a dot.
bool is_column_name(std::string_view name) {
  return !name.empty() && kLetters.find(name.front()) != std::string_view::npos &&
         consists_of(name, {kLetters, kDigits, "."});
}

// Names of objects in files: regions such as "4j1b" begin with a digit.
bool is_object_name(std::string_view name) {
  return !name.empty() && consists_of(name, {kLetters, kDigits, "-."});
}

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
    const ObjectReader object(root, "the config",
                              {"$schema", "schema_version", "samples", "defaults", "functions", "define",
                               "select", "regions", "histograms", "skims", "output"},
                              diagnostics_);
    object.text("$schema");
    read_version(object);
    if (const JsonValue* samples = object.require("samples")) read_samples(*samples);
    if (const JsonValue* defaults = object.find("defaults")) read_defaults(*defaults);
    if (const JsonValue* functions = object.find("functions")) read_functions(*functions);
    if (const JsonValue* define = object.find("define")) read_definitions(*define);
    if (const JsonValue* select = object.find("select")) events_.read_cuts(*select);
    if (const JsonValue* regions = object.find("regions")) read_regions(*regions);
    if (const JsonValue* histograms = object.find("histograms")) read_histograms(*histograms);
    if (const JsonValue* skims = object.find("skims")) read_skims(*skims);
    if (const JsonValue* output = object.find("output")) read_output(*output);
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
    if (object.is_object() && !histograms && !object.find("skims") && !object.find("select") &&
        !object.find("regions"))
      diagnostics_.add(object.opening(),
                       "nothing to do: give \"select\", \"regions\", \"histograms\" or \"skims\"");
  }

  void read_samples(const JsonValue& value) {
    for_each_named(value, "\"samples\"", diagnostics_, [&](const Text& name, const JsonValue& sample) {
      if (!config_.samples.empty())
        diagnostics_.add(name.location, "this version processes one sample per run");
      check_object_name(name, "a sample");
      read_sample(name, sample);
    });
  }

  void read_sample(const Text& name, const JsonValue& value) {
    const ObjectReader object(value, "the sample \"" + name.value + "\"", {"files", "metadata"},
                              diagnostics_);
    Sample sample{.name = name, .files = {}, .inputs = {}, .metadata = {}};
    if (object.require("files")) sample.files = object.texts("files");
    if (const JsonValue* metadata = object.find("metadata")) read_metadata(*metadata, sample);
    find_inputs(folder_, sample, diagnostics_);
    config_.samples.push_back(std::move(sample));
  }

  void read_metadata(const JsonValue& value, Sample& sample) {
    for_each_named(value, "\"metadata\"", diagnostics_, [&](const Text& name, const JsonValue& each) {
      check_identifier(name, "a value");
      if (auto read = read_value(each, "a value")) sample.metadata.push_back({name, std::move(*read)});
    });
  }

  void read_defaults(const JsonValue& value) {
    for_each_named(value, "\"defaults\"", diagnostics_, [&](const Text& column, const JsonValue& each) {
      if (!is_column_name(column.value))
        diagnostics_.add(column.location, "\"" + column.value +
                                              "\" cannot be a column: use letters, digits, \"_\" and \".\", "
                                              "and begin with no digit");
      if (auto read = read_value(each, "a default")) config_.defaults.push_back({column, std::move(*read)});
    });
  }

  std::optional<ConstantValue> read_value(const JsonValue& value, const std::string& what) {
    // Beyond this, not every integer of the text has reached us.
    constexpr double kLargestInteger = 9007199254740992;
    if (value.kind == JsonKind::kBool) return value.boolean;
    if (value.kind == JsonKind::kReal) return value.number;
    if (value.kind == JsonKind::kString) return value.text;
    if (value.kind == JsonKind::kInteger && std::abs(value.number) <= kLargestInteger)
      return static_cast<std::int64_t>(value.number);
    diagnostics_.add(
        value.location,
        what + " must be true, false, a number (integers up to 2^53) or a text, got " + name_of(value.kind));
    return std::nullopt;
  }

  void read_functions(const JsonValue& value) {
    for_each_named(value, "\"functions\"", diagnostics_, [&](const Text& signature, const JsonValue& body) {
      auto text = read_text(body, "the function \"" + signature.value + "\"", diagnostics_);
      if (text) config_.functions.push_back({signature, std::move(*text)});
    });
  }

  void read_definitions(const JsonValue& value) {
    for_each_named(value, "\"define\"", diagnostics_, [&](const Text& name, const JsonValue& expression) {
      check_identifier(name, "a definition");
      auto text = read_text(expression, "the definition of \"" + name.value + "\"", diagnostics_);
      if (text) config_.define.push_back({name, std::move(*text)});
    });
  }

  void check_identifier(const Text& name, const std::string& what) {
    const bool is_word = std::find(kWords.begin(), kWords.end(), name.value) != kWords.end();
    if (is_identifier(name.value) && !is_word) return;
    diagnostics_.add(name.location,
                     "\"" + name.value + "\" cannot name " + what +
                         (is_word ? ": it is a word of the expression language"
                                  : ": use letters, digits and \"_\", and begin with no digit"));
  }

  void read_regions(const JsonValue& value) {
    events_.read_regions(value);
    for (const Region& region : config_.regions) check_object_name(region.name, "a region");
  }

  void read_histograms(const JsonValue& value) {
    for_each_named(value, "\"histograms\"", diagnostics_, [&](const Text& name, const JsonValue& histogram) {
      check_object_name(name, "a histogram");
      const ObjectReader object(histogram, "the histogram \"" + name.value + "\"",
                                {"x", "weight", "after", "regions", "where"}, diagnostics_);
      HistogramConfig read;
      read.name = name;
      read.weight = object.text("weight");
      read.events = events_.of_histogram(object);
      if (const JsonValue* axis = object.require("x")) read.x = read_axis(*axis, diagnostics_);
      config_.histograms.push_back(std::move(read));
    });
    check_histogram_names(config_, diagnostics_);
  }

  void read_skims(const JsonValue& value) {
    for_each_named(value, "\"skims\"", diagnostics_, [&](const Text& name, const JsonValue& skim) {
      check_object_name(name, "a skim");
      read_skim(name, skim);
    });
  }

  void read_skim(const Text& name, const JsonValue& value) {
    const ObjectReader object(value, "the skim \"" + name.value + "\"",
                              {"file", "name", "keep", "drop", "compression", "cluster_size", "page_size",
                               "after", "region", "where"},
                              diagnostics_);
    SkimConfig skim;
    skim.name = name;
    skim.ntuple_name = "Events";
    if (const auto ntuple = object.text("name")) {
      check_object_name(*ntuple, "an ntuple");
      skim.ntuple_name = ntuple->value;
    }
    skim.keep = object.texts("keep");
    skim.drop = object.texts("drop");
    skim.events = events_.of_skim(object);
    if (const auto compression = object.text("compression")) read_compression(*compression, skim);
    if (const JsonValue* size = object.find("cluster_size"))
      skim.cluster_bytes = read_byte_size(*size, "\"cluster_size\"", kClusterLimits, diagnostics_);
    if (const JsonValue* size = object.find("page_size"))
      skim.page_bytes = read_byte_size(*size, "\"page_size\"", kPageLimits, diagnostics_);
    auto file = object.required_text("file");
    if (!file) return;
    skim.path = resolved(folder_, file->value).string();
    skim.file = std::move(*file);
    config_.skims.push_back(std::move(skim));
  }

  void read_compression(const Text& text, SkimConfig& skim) {
    try {
      skim.compression = io::parse_compression(text.value);
    } catch (const ConfigError& error) {
      diagnostics_.add(text.location, error.what());
    }
  }

  void read_output(const JsonValue& value) {
    const ObjectReader object(value, "\"output\"", {"histograms"}, diagnostics_);
    config_.output.histograms = object.text("histograms");
    if (config_.output.histograms)
      config_.output.histograms_path = resolved(folder_, config_.output.histograms->value).string();
  }

  void check_object_name(const Text& name, const std::string& what) {
    if (!is_object_name(name.value))
      diagnostics_.add(name.location, "\"" + name.value + "\" cannot name " + what +
                                          ": use letters, digits, \"_\", \"-\", \".\"");
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

Config read_config(const std::string& path) { return parse_config(path, read_text_file(path)); }

Config parse_config(const std::string& path, std::string text) {
  return ConfigReader(std::make_shared<const ConfigText>(ConfigText{path, std::move(text)})).read();
}

}  // namespace skimline::skims
