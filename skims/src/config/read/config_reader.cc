// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/config_reader.h"

#include "base/ordered_names.h"
#include "base/resolved_path.h"
#include "base/text_file.h"
#include "config/corrections/correction_reader.h"
#include "config/json/byte_size_reader.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"
#include "config/models/model_config_reader.h"
#include "config/read/config_composer.h"
#include "config/read/event_choice_reader.h"
#include "config/read/histogram_config_reader.h"
#include "config/read/naming.h"
#include "config/read/object_config_reader.h"
#include "config/read/output_checks.h"
#include "config/read/output_reader.h"
#include "config/read/plots_reader.h"
#include "config/read/schema_version.h"
#include "config/read/shard_paths.h"
#include "config/read/skim_reader.h"
#include "config/read/unused_functions.h"
#include "config/read/used_names.h"
#include "config/read/variation_reader.h"
#include "config/samples/alias_reader.h"
#include "config/samples/sample_reader.h"
#include "config/samples/sample_set.h"

#include "skimline/framework/schema.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr ByteLimits kHistogramMemoryLimits{1 << 20, 16ull << 40};
constexpr ByteLimits kMemoryLimits{64 << 20, 16ull << 40};

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& path)
      : source_(std::make_shared<ConfigText>(ConfigText{path, {}, {}})),
        folder_(folder_of(path)),
        diagnostics_(source_) {
    config_.source = source_;
  }

  Config read(const std::string& text, const ConfigOptions& options) {
    ComposedConfig composed = compose_config(*source_, text, options.sets, diagnostics_);
    config_.resolved = std::move(composed.resolved);
    config_.warnings = std::move(composed.warnings);
    read_root(composed.root, options);
    name_outputs_of_shard(config_);
    take_side_files(options);
    check_outputs(config_, diagnostics_);
    diagnostics_.throw_if_any();
    warn_of_unused_functions(config_);
    return std::move(config_);
  }

 private:
  // Paths of the command line are taken as they are.
  void take_side_files(const ConfigOptions& options) {
    const auto take = [&](const char* option, const std::string& path) {
      const std::size_t begin = append_part(*source_, {.path = option, .is_argument = true}, path);
      return Text{path, {begin, begin + path.size()}};
    };
    OutputConfig& output = config_.output;
    if (options.report) {
      const bool html = is_html(*options.report);
      (html ? output.html_report : output.report) = take("--report", *options.report);
      (html ? output.html_report_path : output.report_path) = *options.report;
    }
    if (!options.has_report) output.report_path.clear();
    if (!options.has_report) output.html_report.reset();
    if (options.trace) output.trace = take("--trace", *options.trace);
  }

  void read_root(const JsonValue& root, const ConfigOptions& options) {
    const ObjectReader object(root, "the config",
                              {"$schema",
                               "schema_version",
                               "include",
                               "variables",
                               "override",
                               "samples",
                               "samples_from",
                               "sample_defaults",
                               "on_bad_file",
                               "max_bad_fraction",
                               "allow_duplicates",
                               "require_checksums",
                               "checksum_folder",
                               "cache",
                               "memory_limit",
                               "aliases",
                               "collections",
                               "objects",
                               "defaults",
                               "functions",
                               "corrections",
                               "models",
                               "redefine",
                               "define",
                               "luminosity_pb",
                               "weights",
                               "variations",
                               "sums",
                               "select",
                               "regions",
                               "histogram_defaults",
                               "histogram_memory",
                               "histograms",
                               "plots",
                               "skims",
                               "output"},
                              diagnostics_);
    object.text("$schema");
    check_schema_version(object, diagnostics_);
    read_samples(object, options);
    if (const JsonValue* aliases = object.find("aliases"))
      config_.aliases = read_aliases(*aliases, diagnostics_);
    if (const JsonValue* collections = object.find("collections"))
      config_.collections = read_collections(*collections, diagnostics_);
    if (const JsonValue* objects = object.find("objects"))
      config_.objects = read_objects(*objects, diagnostics_);
    if (const JsonValue* defaults = object.find("defaults")) read_defaults(*defaults);
    if (const JsonValue* corrections = object.find("corrections"))
      read_corrections(*corrections, folder_, config_, diagnostics_);
    if (const JsonValue* models = object.find("models")) read_models(*models, folder_, config_, diagnostics_);
    if (const JsonValue* functions = object.find("functions")) read_functions(*functions);
    if (const JsonValue* redefine = object.find("redefine")) read_redefinitions(*redefine);
    if (const JsonValue* define = object.find("define"))
      config_.define = read_definitions(*define, "\"define\"", "a definition");
    read_weights(object);
    if (const JsonValue* select = object.find("select")) events_.read_cuts(*select);
    if (const JsonValue* regions = object.find("regions")) read_regions(*regions);
    read_running(object);
    read_output(object.find("output"), config_, folder_, diagnostics_);
    if (const auto& file = config_.output.histograms)
      for (const std::string& problem : problems_of_braces(file->value, "")) warn(file->location, problem);
    if (config_.output.n_minus_1 && config_.select.empty())
      warn(object.find("output")->location, "\"n_minus_1\" is not used: there are no cuts in \"select\"");
    read_histograms(object);
    if (const JsonValue* sums = object.find("sums"); sums && config_.histograms.empty())
      warn(sums->location, "\"sums\" are not used: there are no histograms");
    if (const JsonValue* plots = object.find("plots")) read_plots(*plots);
    if (const JsonValue* skims = object.find("skims")) read_skims(*skims);
    check_something_to_do(object);
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

  void read_samples(const ObjectReader& object, const ConfigOptions& options) {
    InputTexts texts(*source_, folder_, diagnostics_);
    SampleSet samples(texts, config_.opened_files);
    const JsonValue* lists = object.find("samples_from");
    const JsonValue* named = lists ? object.find("samples") : object.require("samples");
    if (named) samples.add_samples(*named);
    if (lists) samples.add_lists(*lists);
    config_.sample_names = samples.names();
    config_.limit_events = options.limit_events;
    config_.shard = options.shard;
    config_.has_all_inputs = options.samples.empty() && options.inputs.empty() && !options.limit_files;
    config_.samples = samples.choose(options);
    if (const JsonValue* defaults = object.find("sample_defaults")) read_sample_defaults(*defaults);
    config_.warnings.insert(config_.warnings.end(), texts.warnings().begin(), texts.warnings().end());
  }

  void read_sample_defaults(const JsonValue& value) {
    Sample defaults;
    skims::read_sample_defaults(value, defaults, diagnostics_);
    bool is_used = config_.samples.size() < config_.sample_names.size();  // by others, perhaps
    for (Sample& sample : config_.samples) {
      if (sample.sum_weights || sample.is_data) continue;
      sample.sum_weights = defaults.sum_weights;
      is_used = true;
    }
    if (!is_used)
      warn(value.location, "no sample takes \"sample_defaults\": each is data, or says it itself");
  }

  void warn(Location location, const std::string& message) {
    if (!is_included(*source_, location))
      config_.warnings.push_back(marked_message(*source_, location, "warning", message));
  }

  void read_defaults(const JsonValue& value) {
    std::set<std::string> columns;
    for_each_named(value, "\"defaults\"", diagnostics_, [&](const Text& column, const JsonValue& each) {
      if (has_wildcards(column.value)) check_column_pattern(column, diagnostics_);
      const Text name = has_wildcards(column.value) ? column : column_name(column, diagnostics_);
      auto read = read_default(each, diagnostics_);
      if (!read) return;
      const Text stands = stands_for(name, config_.aliases);
      if (!columns.insert(stands.value).second)
        diagnostics_.add(column.location, "column \"" + stands.value + "\" has two defaults");
      config_.defaults.push_back({stands, std::move(*read)});
    });
  }

  void read_functions(const JsonValue& value) {
    for_each_named(value, "\"functions\"", diagnostics_, [&](const Text& signature, const JsonValue& body) {
      auto text = read_text(body, "the function \"" + signature.value + "\"", diagnostics_);
      if (!text) return;
      config_.functions.push_back({signature, std::move(*text)});
      check_function_name(config_.functions.back());
    });
  }

  // What else is wrong with a signature is found where it is parsed.
  void check_function_name(const FunctionConfig& function) {
    const Text name{name_of(function), function.signature.location};
    if (is_reserved(name.value)) check_identifier(name, "a function", diagnostics_);
  }

  void read_redefinitions(const JsonValue& value) {
    for_each_named(value, "\"redefine\"", diagnostics_, [&](const Text& column, const JsonValue& each) {
      const Text name = column_name(column, diagnostics_);
      auto text = read_text(each, "the redefinition of \"" + name.value + "\"", diagnostics_);
      if (text) config_.redefine.push_back({name, std::move(*text)});
    });
  }

  std::vector<Definition> read_definitions(const JsonValue& value, const std::string& key,
                                           const std::string& what) {
    std::vector<Definition> definitions;
    for_each_named(value, key, diagnostics_, [&](const Text& name, const JsonValue& expression) {
      check_identifier(name, what, diagnostics_);
      auto text = read_text(expression, "the definition of \"" + name.value + "\"", diagnostics_);
      if (text) definitions.push_back({name, std::move(*text)});
    });
    return definitions;
  }

  // Factors, and what varies them and samples.
  void read_weights(const ObjectReader& object) {
    if (const JsonValue* luminosity = object.find("luminosity_pb")) read_luminosity(*luminosity);
    if (const JsonValue* weights = object.find("weights"))
      config_.weights = read_definitions(*weights, "\"weights\"", "a weight");
    for (const Sample& sample : config_.samples) {
      check_replaced(sample.define, config_.define, "definition");
      check_replaced(sample.weights, config_.weights, "factor of \"weights\"");
    }
    if (const JsonValue* variations = object.find("variations"))
      read_variations(*variations, config_, diagnostics_);
    if (const JsonValue* sums = object.find("sums")) read_sums(*sums, config_, diagnostics_);
  }

  void read_luminosity(const JsonValue& value) {
    config_.luminosity_place = value.location;
    config_.luminosity_pb = read_number(value, "\"luminosity_pb\"", diagnostics_);
    if (config_.luminosity_pb && !(*config_.luminosity_pb > 0 && std::isfinite(*config_.luminosity_pb)))
      diagnostics_.add(value.location, "\"luminosity_pb\" must be greater than 0");
  }

  // What a sample says stands in place of what all have.
  void check_replaced(const std::vector<Definition>& own, const std::vector<Definition>& common,
                      const std::string& what) {
    OrderedNames names;
    for (const Definition& each : common) names.add(each.name.value);
    for (const Definition& each : own)
      if (!names.contains(each.name.value))
        diagnostics_.add(each.name.location, "there is no " + what + " \"" + each.name.value +
                                                 "\" for all samples, which this could replace" +
                                                 diagnostics_.meant(each.name.value, names.in_order()));
  }

  void read_regions(const JsonValue& value) {
    events_.read_regions(value);
    for (const Region& region : config_.regions) check_object_name(region.name, "a region", diagnostics_);
  }

  void read_histograms(const ObjectReader& object) {
    HistogramConfigReader reader(events_, diagnostics_);
    if (!config_.weights.empty()) reader.set_weight({kEventWeight, config_.weights.front().name.location});
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

  // Whoever draws the histograms finds it in the record.
  void read_plots(const JsonValue& value) {
    if (config_.histograms.empty())
      return warn(value.location, "\"plots\" is not used: there are no histograms");
    check_plots(value, config_, diagnostics_);
  }

  void read_running(const ObjectReader& object) {
    constexpr std::array kPolicies{BadFilePolicy::kFail, BadFilePolicy::kSkip};
    if (const auto policy = object.choice("on_bad_file", {"fail", "skip"}))
      config_.on_bad_file = kPolicies[*policy];
    if (const JsonValue* fraction = object.find("max_bad_fraction")) {
      read_bad_fraction(*fraction);
      if (config_.on_bad_file == BadFilePolicy::kFail)
        warn(fraction->location, "\"max_bad_fraction\" is not used without \"on_bad_file\": \"skip\"");
    }
    config_.allows_duplicates = object.flag("allow_duplicates", false);
    config_.requires_checksums = object.flag("require_checksums", false);
    if (const auto folder = object.text("checksum_folder"))
      config_.checksum_folder = resolved(folder_, folder->value).string();
    if (const auto folder = object.text("cache")) {
      config_.cache_folder = resolved(folder_, folder->value).string();
      config_.opened_files->stop()->keep_blocks_in(config_.cache_folder);
    }
    if (const JsonValue* memory = object.find("memory_limit")) {
      const auto bytes = read_byte_size(*memory, "\"memory_limit\"", kMemoryLimits, diagnostics_);
      if (bytes) config_.memory_limit = ByteLimit{*bytes, memory->location};
    }
  }

  void read_bad_fraction(const JsonValue& value) {
    const auto fraction = read_number(value, "\"max_bad_fraction\"", diagnostics_);
    if (!fraction) return;
    if (!(*fraction >= 0 && *fraction <= 1))
      diagnostics_.add(value.location, "\"max_bad_fraction\" must be a number from 0 to 1");
    config_.max_bad_fraction = *fraction;
  }

  void read_histogram_memory(const JsonValue& value) {
    const auto bytes = read_byte_size(value, "\"histogram_memory\"", kHistogramMemoryLimits, diagnostics_);
    if (bytes) config_.histogram_memory = ByteLimit{*bytes, value.location};
  }

  void read_skims(const JsonValue& value) {
    for_each_named(value, "\"skims\"", diagnostics_, [&](const Text& name, const JsonValue& skim) {
      check_object_name(name, "a skim", diagnostics_);
      if (auto read = read_skim(name, skim, events_, folder_, diagnostics_)) {
        for (const std::string& problem : problems_of_braces(read->file.value, "sample"))
          warn(read->file.location, problem);
        config_.skims.push_back(std::move(*read));
      }
    });
  }

  std::shared_ptr<ConfigText> source_;
  fs::path folder_;
  Diagnostics diagnostics_;
  Config config_;
  EventChoiceReader events_{config_, diagnostics_};
};

}  // namespace

bool is_json(const OutputConfig& output) { return output.histograms_path.ends_with(".json"); }

std::shared_ptr<const Config> read_config(const std::string& path, const ConfigOptions& options) {
  return parse_config(path, read_text_file(path), options);
}

std::shared_ptr<const Config> parse_config(const std::string& path, const std::string& text,
                                           const ConfigOptions& options) {
  if (text.size() > kLargestConfig)
    throw ConfigError(path + ": is larger than " + std::to_string(kLargestConfig >> 20) +
                      " MiB, the most that a config may have");
  ConfigOptions shown = options;
  for (std::vector<std::string>* const texts : {&shown.sets, &shown.inputs})
    for (std::string& each : *texts) each = io::hide_secrets(each);
  return std::make_shared<const Config>(ConfigReader(path).read(io::hide_secrets(text), shown));
}

std::vector<std::string> sample_names(const Config& config) {
  std::vector<std::string> names;
  for (const Sample& sample : config.samples) names.push_back(sample.name.value);
  return names;
}

}  // namespace skimline::skims
