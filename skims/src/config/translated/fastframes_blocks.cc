// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fastframes_blocks.h"

#include "base/text_file.h"
#include "base/text_table.h"
#include "config/json/object_reader.h"
#include "config/translated/frame_block.h"
#include "config/translated/frame_sequences.h"
#include "config/yaml/located_yaml.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kLargestFile = 4 << 20;

// In 1/pb.
const std::map<std::string, double> kLuminosities{
    {"mc20a", 3244.54 + 33402.2}, {"mc20d", 44630.6}, {"mc20e", 58791.6}};

// FastFrames keeps luminosities in a float.
double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

bool is_filled(const JsonValue* value) {
  return value && (!value->items.empty() || (value->kind == JsonKind::kString && !value->text.empty()));
}

class FrameReader {
 public:
  explicit FrameReader(const std::string& path)
      : source_(std::make_shared<ConfigText>(text_of_one_part(path, read_text_file(path, kLargestFile)))),
        diagnostics_(source_),
        sequences_(diagnostics_) {}

  FrameConfig read() {
    JsonValue root = parse_located_yaml(source_->text, diagnostics_);
    diagnostics_.throw_if_any();
    if (!root.find("general") || !root.find("samples"))
      throw ConfigError(source_->path + ": no config of FastFrames: it needs \"general\", \"regions\" and " +
                        "\"samples\"");
    drop_hidden(root);
    const FrameBlock blocks(
        root, "the config",
        {"general", "regions", "samples", "systematics", "ntuples", "cutflows", "simple_onnx_inference"},
        diagnostics_);
    read_general(*root.find("general"));
    if (const JsonValue* regions = blocks.require("regions")) read_regions(*regions);
    read_samples(*root.find("samples"));
    if (const JsonValue* systematics = blocks.find("systematics")) read_systematics(*systematics);
    if (config_.systematics.size() * config_.samples.size() > kMostVaried)
      throw ConfigError(source_->path + ": more than " + std::to_string(kMostVaried) +
                        " systematics of all samples");
    if (const JsonValue* ntuples = blocks.find("ntuples")) read_ntuples(*ntuples);
    leave_out_blocks(blocks);
    diagnostics_.throw_if_any();
    return std::move(config_);
  }

 private:
  // What only holds anchors.
  static void drop_hidden(JsonValue& root) {
    const std::vector<Text> keys = root.keys;
    for (const Text& key : keys)
      if (key.value.starts_with('.')) root.take(key.value);
  }

  void leave_out_blocks(const FrameBlock& blocks) {
    if (is_filled(blocks.find("cutflows")))
      config_.left_out.add(
          "\"cutflows\": a config has one, its \"select\": write the selections as its steps, or as "
          "\"regions\"");
    if (is_filled(blocks.find("simple_onnx_inference")))
      config_.left_out.add(
          "\"simple_onnx_inference\": write a model as a function in \"models\", and what it " +
          std::string("gives in \"define\""));
  }

  void read_general(const JsonValue& value) {
    const FrameBlock general(value, "\"general\"",
                             {"debug_level",
                              "input_filelist_path",
                              "input_sumweights_path",
                              "output_path_histograms",
                              "output_path_ntuples",
                              "default_sumweights",
                              "default_event_weights",
                              "default_reco_tree_name",
                              "xsection_files",
                              "create_tlorentz_vectors_for",
                              "use_rvec",
                              "reco_to_truth_pairing_indices",
                              "custom_frame_name",
                              "automatic_systematics",
                              "nominal_only",
                              "number_of_cpus",
                              "min_event",
                              "max_event",
                              "cap_acceptance_selection",
                              "luminosity",
                              "define_custom_columns",
                              "define_custom_columns_truth",
                              "exclude_systematics",
                              "custom_options",
                              "config_define_after_custom_class",
                              "use_region_subfolders",
                              "list_of_systematics_name",
                              "ntuple_compression_level",
                              "ntuple_auto_flush",
                              "split_processing_per_unique_samples",
                              "convert_vector_to_rvec"},
                             diagnostics_);
    if (!general.is_object()) return;
    config_.files_path = general.required_text("input_filelist_path");
    config_.sums_path = general.required_text("input_sumweights_path");
    config_.histograms_folder = general.text("output_path_histograms", "");
    config_.ntuples_folder = general.text("output_path_ntuples", "");
    config_.cross_section_paths =
        general.texts("xsection_files").value_or(Texts{"data/XSection-MC16-13TeV.data"});
    config_.lorentz_vectors = general.texts("create_tlorentz_vectors_for").value_or(Texts{});
    config_.list_of_systematics = general.text("list_of_systematics_name", "listOfSystematics");
    config_.has_region_folders = general.flag("use_region_subfolders", false);
    config_.compression_level = general.integer("ntuple_compression_level").value_or(1);
    config_.defaults.sum_weights = general.text("default_sumweights", "NOSYS");
    config_.defaults.event_weights = general.text("default_event_weights");
    config_.defaults.tree = general.text("default_reco_tree_name", "reco");
    read_defaults(general, config_.defaults);
    read_luminosities(general.find("luminosity"));
    read_range(general);
    if (const std::string name = general.text("custom_frame_name", ""); !name.empty())
      config_.left_out.add("\"custom_frame_name\": the columns that the class " + name +
                           " defines in C++: write those that are used in \"define\"");
    if (is_filled(general.find("custom_options")))
      config_.left_out.add(
          "\"custom_options\": they are for the code of a class: write values as \"define\"");
    leave_out_truth(general, "general");
  }

  void leave_out_truth(const FrameBlock& block, const std::string& name) {
    for (const char* key : {"truth", "define_custom_columns_truth"})
      if (is_filled(block.find(key)))
        config_.left_out.add("what is of truth trees in", name,
                             "unfolding, and histograms of other trees: make a config of the truth tree");
  }

  // What the general block and those of samples may say.
  void read_defaults(const FrameBlock& block, FrameDefaults& defaults) {
    if (auto excluded = block.texts("exclude_systematics"))
      defaults.exclude_systematics = std::make_shared<const Texts>(std::move(*excluded));
    defaults.automatic_systematics = block.flag("automatic_systematics", defaults.automatic_systematics);
    defaults.nominal_only = block.flag("nominal_only", defaults.nominal_only);
    const JsonValue* columns = block.find("define_custom_columns");
    if (!columns) return;
    std::vector<FrameDefinition> definitions;
    std::set<std::string> names;
    for (const JsonValue& each : sequences_.blocks(*columns)) {
      const FrameBlock column(each, "a custom column", {"name", "definition"}, diagnostics_);
      const std::string name = column.required_text("name"), text = column.required_text("definition");
      if (name.empty()) continue;
      if (name.find("NOSYS") == std::string::npos)
        diagnostics_.add(each.find("name")->location, "the name of a custom column holds \"NOSYS\"");
      else if (!names.insert(name).second)
        diagnostics_.add(each.find("name")->location, "the column " + in_quotes(name) + " is defined twice");
      definitions.push_back({name, text});
    }
    defaults.definitions = std::make_shared<const std::vector<FrameDefinition>>(std::move(definitions));
  }

  void read_luminosities(const JsonValue* value) {
    for (const auto& [campaign, luminosity] : kLuminosities)
      config_.luminosity[campaign] = as_float(luminosity);
    if (!value) return;
    for_each_named(*value, "\"luminosity\"", diagnostics_, [&](const Text& campaign, const JsonValue& each) {
      const std::optional<double> number = read_number(each, "a luminosity", diagnostics_);
      if (number && !(*number > 0 && std::isfinite(as_float(*number))))
        diagnostics_.add(each.location, "a luminosity is greater than 0");
      if (number) config_.luminosity[campaign.value] = as_float(*number);
    });
  }

  void read_range(const FrameBlock& general) {
    const auto positive = [&](const char* key) {
      const std::optional<std::int64_t> number = general.integer(key);
      return number && *number > 0 ? number : std::nullopt;
    };
    config_.first_entry = positive("min_event");
    config_.end_entry = positive("max_event");
    const bool has_range = config_.first_entry || config_.end_entry;
    if (!general.flag("split_processing_per_unique_samples", false) || !has_range) return;
    config_.first_entry = config_.end_entry = std::nullopt;
    config_.left_out.add(
        "\"min_event\" and \"max_event\": they count the entries of each data set; \"entry_\" those of a "
        "sample");
  }

  void read_regions(const JsonValue& value) {
    const std::vector<JsonValue> blocks = sequences_.blocks(value);
    if (blocks.empty()) diagnostics_.add(value.location, "\"regions\" must not be empty");
    for (const JsonValue& each : blocks) {
      const FrameBlock block(each, "a region",
                             {"name", "selection", "variables", "histograms_2d", "histograms_3d"},
                             diagnostics_);
      if (!block.is_object()) continue;
      FrameRegion region;
      region.name = block.required_text("name");
      region.selection = block.required_text("selection");
      check_new(region_names_, region.name, each, "regions");
      if (const JsonValue* variables = block.find("variables")) read_variables(*variables, region);
      for (const auto& [key, axes] :
           {std::pair{"histograms_2d", Texts{"x", "y"}}, std::pair{"histograms_3d", Texts{"x", "y", "z"}}})
        if (const JsonValue* combinations = block.find(key)) read_combinations(*combinations, axes, region);
      config_.regions.push_back(std::move(region));
    }
  }

  void check_new(std::set<std::string>& names, const std::string& name, const JsonValue& block,
                 const std::string& things) {
    if (!name.empty() && !names.insert(name).second)
      diagnostics_.add(block.location, "two " + things + " are called " + in_quotes(name));
  }

  void read_variables(const JsonValue& value, FrameRegion& region) {
    std::set<std::string> names;
    for (const JsonValue& each : sequences_.blocks(value)) {
      const FrameBlock block(each, "a variable",
                             {"name", "title", "definition", "is_nominal_only", "type", "binning"},
                             diagnostics_);
      if (!block.is_object()) continue;
      FrameVariable variable;
      variable.name = block.required_text("name");
      variable.title = block.text("title", "");
      variable.definition = block.required_text("definition");
      variable.is_nominal_only = block.flag("is_nominal_only", false);
      check_new(names, variable.name, each, "variables of the region " + in_quotes(region.name));
      if (const JsonValue* binning = block.require("binning")) variable.axis = read_axis(*binning);
      region.variables.push_back(std::move(variable));
    }
  }

  FrameAxis read_axis(const JsonValue& value) {
    const FrameBlock block(value, "a binning", {"min", "max", "number_of_bins", "bin_edges"}, diagnostics_);
    FrameAxis axis;
    if (!block.is_object()) return axis;
    if (const JsonValue* edges = block.find("bin_edges"))
      axis.edges = read_numbers(*edges, "\"bin_edges\"", diagnostics_).value_or(std::vector<double>{});
    const auto number = [&](const char* key) {
      const JsonValue* found = block.find(key);
      return found ? read_number(*found, in_quotes(key), diagnostics_).value_or(0) : 0.;
    };
    axis.low = number("min");
    axis.high = number("max");
    axis.bins = block.integer("number_of_bins").value_or(0);
    const bool is_regular = axis.low < axis.high && axis.bins > 0;
    if (is_regular == !axis.edges.empty() || axis.edges.size() == 1)
      diagnostics_.add(value.location,
                       "a binning has either \"bin_edges\", or \"number_of_bins\" from \"min\" to \"max\"");
    return axis;
  }

  void read_combinations(const JsonValue& value, const Texts& axes, FrameRegion& region) {
    std::set<std::string> names;
    for (const FrameVariable& variable : region.variables) names.insert(variable.name);
    std::vector<const char*> keys;
    for (const std::string& axis : axes) keys.push_back(axis.c_str());
    for (const JsonValue& each : sequences_.blocks(value)) {
      const FrameBlock block(each, "a histogram of several variables", keys, diagnostics_);
      if (!block.is_object()) continue;
      Texts& combination = region.combinations.emplace_back();
      for (const char* key : keys) {
        combination.push_back(block.required_text(key));
        if (!combination.back().empty())
          check_known(names, combination.back(), each.find(key)->location,
                      "variable of the region " + in_quotes(region.name));
      }
    }
  }

  void check_known(const std::set<std::string>& names, const std::string& name, Location place,
                   const std::string& thing) {
    if (names.contains(name)) return;
    diagnostics_.add(place, "there is no " + thing + " called " + in_quotes(name) +
                                did_you_mean(name, Texts(names.begin(), names.end())));
    if (diagnostics_.size() >= kMostMistakes) diagnostics_.throw_if_any();
  }

  void read_samples(const JsonValue& value) {
    std::vector<std::pair<std::size_t, Texts>> included;
    std::vector<JsonValue> blocks = sequences_.blocks(value);
    for (const JsonValue& each : blocks) {
      const FrameBlock block(each, "a sample",
                             {"name",
                              "dsids",
                              "campaigns",
                              "simulation_type",
                              "sum_weights",
                              "event_weights",
                              "weight_suffix",
                              "selection_suffix",
                              "selection",
                              "regions",
                              "exclude_regions",
                              "truth",
                              "variables",
                              "exclude_variables",
                              "exclude_systematics",
                              "automatic_systematics",
                              "nominal_only",
                              "define_custom_columns",
                              "define_custom_columns_truth",
                              "included_samples",
                              "reco_tree_name",
                              "reco_to_truth_pairing_indices"},
                             diagnostics_);
      if (!block.is_object()) continue;
      FrameSample& sample = config_.samples.emplace_back(read_sample(block));
      check_new(sample_names_, sample.name, each, "samples");
      if (sample.automatic_systematics && sample.nominal_only)
        diagnostics_.add(each.location, "\"automatic_systematics\" and \"nominal_only\" exclude each other");
      if (auto others = block.texts("included_samples"))
        included.emplace_back(config_.samples.size() - 1, std::move(*others));
      else
        read_data_sets(block, sample);
      leave_out_of_sample(block, sample.name);
    }
    if (blocks.empty()) diagnostics_.add(value.location, "\"samples\" must not be empty");
    for (const auto& [index, others] : included) include(config_.samples[index], others, value.location);
    check_campaigns(value.location);
  }

  FrameSample read_sample(const FrameBlock& block) {
    FrameSample sample;
    static_cast<FrameDefaults&>(sample) = config_.defaults;
    sample.name = block.required_text("name");
    sample.sum_weights = block.text("sum_weights", sample.sum_weights);
    sample.tree = block.text("reco_tree_name", sample.tree);
    sample.weight_suffix = block.text("weight_suffix");
    sample.selection_suffix = block.text("selection_suffix", "");
    const std::optional<std::string> kind = block.text("simulation_type");
    sample.is_data = kind && DataSet{0, "", *kind}.is_data();
    if (sample.is_data) sample.event_weights = std::nullopt;
    if (auto weights = block.text("event_weights")) sample.event_weights = weights;
    read_defaults(block, sample);
    return sample;
  }

  std::vector<std::int64_t> read_dsids(const FrameBlock& block, const JsonValue* dsids) {
    std::vector<std::int64_t> numbers;
    if (!dsids) return numbers;
    if (dsids->kind != JsonKind::kList)
      diagnostics_.add(dsids->location, "\"dsids\" must be a list, got " + name_of(dsids->kind));
    for (const JsonValue& each : dsids->items)
      if (const auto dsid = block.integer(each, "each item of \"dsids\"")) numbers.push_back(*dsid);
    if (std::set(numbers.begin(), numbers.end()).size() != numbers.size())
      diagnostics_.add(dsids->location, "a number appears twice");
    return numbers;
  }

  void read_data_sets(const FrameBlock& block, FrameSample& sample) {
    const std::string kind = block.required_text("simulation_type");
    const JsonValue* campaigns = block.require("campaigns");
    const std::vector<std::int64_t> numbers =
        sample.is_data ? std::vector<std::int64_t>{0} : read_dsids(block, block.require("dsids"));
    if (!campaigns) return;
    if (campaigns->kind != JsonKind::kList)
      return diagnostics_.add(campaigns->location,
                              "\"campaigns\" must be a list, got " + name_of(campaigns->kind));
    check_number(sample, numbers.size() * campaigns->items.size(), campaigns->location);
    // A year may stand without quotes.
    for (const JsonValue& campaign : campaigns->items)
      for (const std::int64_t dsid : numbers) sample.data_sets.push_back({dsid, campaign.text, kind});
  }

  // Before that many data sets more are added.
  void check_number(const FrameSample& sample, std::size_t more, Location place) {
    num_data_sets_ += more;
    if (num_data_sets_ <= kMostDataSets) return;
    diagnostics_.add(place, "more than " + std::to_string(kMostDataSets) +
                                " data sets in all samples up to " + in_quotes(sample.name));
    diagnostics_.throw_if_any();
  }

  void include(FrameSample& sample, const Texts& others, Location place) {
    std::size_t num_data = 0;
    for (const std::string& name : others) {
      check_known(sample_names_, name, place, "sample");
      const auto found = std::find_if(config_.samples.begin(), config_.samples.end(), [&](const auto& each) {
        return each.name == name && &each != &sample;
      });
      if (found == config_.samples.end()) continue;
      num_data += found->is_data ? 1 : 0;
      check_number(sample, found->data_sets.size() + 1, place);
      sample.data_sets.insert(sample.data_sets.end(), found->data_sets.begin(), found->data_sets.end());
    }
    if (num_data != 0 && num_data != others.size())
      diagnostics_.add(place, "the sample " + in_quotes(sample.name) + " includes data and simulation");
    sample.is_data = num_data != 0;
    if (sample.is_data && sample.event_weights == config_.defaults.event_weights)
      sample.event_weights = std::nullopt;
    if (std::set(sample.data_sets.begin(), sample.data_sets.end()).size() != sample.data_sets.size())
      diagnostics_.add(place, "the sample " + in_quotes(sample.name) + " includes a data set twice");
  }

  void check_campaigns(Location place) {
    Texts known;
    for (const auto& [campaign, luminosity] : config_.luminosity) known.push_back(campaign);
    std::set<std::string> told;
    for (const FrameSample& sample : config_.samples)
      for (const DataSet& set : sample.data_sets)
        if (!sample.is_data && !config_.luminosity.contains(set.campaign) && told.insert(set.campaign).second)
          diagnostics_.add(place, "no \"luminosity\" of the campaign " + in_quotes(set.campaign) + " of " +
                                      in_quotes(sample.name) + " in \"general\"" +
                                      did_you_mean(set.campaign, known));
  }

  void leave_out_of_sample(const FrameBlock& block, const std::string& name) {
    for (const char* key : {"regions", "exclude_regions"})
      if (block.texts(key))
        config_.left_out.add("which regions there are of the samples", name,
                             "their histograms are filled in all regions");
    for (const char* key : {"variables", "exclude_variables"})
      if (block.texts(key))
        config_.left_out.add("which variables there are of the samples", name,
                             "all of their histograms are filled");
    if (is_filled(block.find("selection")))
      config_.left_out.add("\"selection\" of the samples", name,
                           "FastFrames does not look at it either; it takes \"selection_suffix\"");
    leave_out_truth(block, name);
  }

  void read_systematics(const JsonValue& value) {
    std::set<std::string> names;
    for (const JsonValue& each : sequences_.blocks(value)) {
      const FrameBlock block(
          each, "a systematic",
          {"variation", "samples", "exclude_samples", "campaigns", "regions", "exclude_regions"},
          diagnostics_);
      const JsonValue* variation = block.is_object() ? block.require("variation") : nullptr;
      if (!variation) continue;
      FrameSystematic common;
      common.samples = as_set(known_texts(block, "samples", sample_names_, "sample"));
      common.exclude_samples = as_set(known_texts(block, "exclude_samples", sample_names_, "sample"));
      const bool has_regions = known_texts(block, "regions", region_names_, "region") ||
                               known_texts(block, "exclude_regions", region_names_, "region");
      if (common.samples && common.exclude_samples)
        diagnostics_.add(each.location, "\"samples\" and \"exclude_samples\" exclude each other");
      for (const FrameSystematic& made : read_variation(*variation, common)) {
        check_new(names, made.name, each, "systematics");
        if (has_regions)
          config_.left_out.add("which regions there are of the systematics", made.name,
                               "their histograms are filled in all regions");
        if (block.find("campaigns"))
          config_.left_out.add("\"campaigns\" of the systematics", made.name,
                               "FastFrames does not look at them either");
        config_.systematics.push_back(made);
      }
    }
  }

  std::optional<Texts> known_texts(const FrameBlock& block, const char* key,
                                   const std::set<std::string>& names, const std::string& thing) {
    std::optional<Texts> texts = block.texts(key);
    if (texts)
      for (const std::string& name : *texts) check_known(names, name, block.find(key)->location, thing);
    return texts;
  }

  static std::optional<std::set<std::string>> as_set(const std::optional<Texts>& texts) {
    return texts ? std::optional(std::set<std::string>(texts->begin(), texts->end())) : std::nullopt;
  }

  std::vector<FrameSystematic> read_variation(const JsonValue& value, const FrameSystematic& common) {
    const FrameBlock block(
        value, "a variation",
        {"up", "down", "sum_weights_up", "sum_weights_down", "weight_suffix_up", "weight_suffix_down"},
        diagnostics_);
    std::vector<FrameSystematic> made;
    if (!block.is_object()) return made;
    for (const std::string direction : {"up", "down"}) {
      if (!block.find(direction.c_str())) continue;
      FrameSystematic systematic = common;
      systematic.name = block.required_text(direction.c_str());
      systematic.sum_weights = block.text(("sum_weights_" + direction).c_str());
      systematic.weight_suffix = block.text(("weight_suffix_" + direction).c_str(), "");
      if (systematic.name == "NOSYS") diagnostics_.add(value.location, "\"NOSYS\" is what is not varied");
      made.push_back(std::move(systematic));
    }
    if (made.empty()) diagnostics_.add(value.location, "a variation needs \"up\" or \"down\"");
    return made;
  }

  void read_ntuples(const JsonValue& value) {
    const FrameBlock block(
        value, "\"ntuples\"",
        {"samples", "exclude_samples", "branches", "exclude_branches", "selection", "regions", "copy_trees"},
        diagnostics_);
    if (!block.is_object()) return;
    FrameNtuples ntuples;
    ntuples.branches = block.texts("branches").value_or(Texts{});
    ntuples.exclude_branches = block.texts("exclude_branches").value_or(Texts{});
    ntuples.selection = block.text("selection", "");
    const std::optional<Texts> regions = known_texts(block, "regions", region_names_, "region");
    if (regions && block.find("selection"))
      diagnostics_.add(value.location, "\"regions\" and \"selection\" exclude each other");
    if (regions) ntuples.selection = any_of(*regions);
    for (const char* key : {"samples", "exclude_samples"})
      if (known_texts(block, key, sample_names_, "sample"))
        config_.left_out.add("\"ntuples\": which samples have them: skims are of all samples");
    if (is_filled(block.find("copy_trees")))
      config_.left_out.add("\"copy_trees\": other trees and objects of the inputs are not copied");
    config_.ntuples = std::move(ntuples);
  }

  std::string any_of(const Texts& names) const {
    std::string selection;
    for (const FrameRegion& region : config_.regions)
      if (std::find(names.begin(), names.end(), region.name) != names.end())
        selection += (selection.empty() ? "(" : " || (") + region.selection + ")";
    return selection;
  }

  static constexpr std::size_t kMostDataSets = 100000, kMostMistakes = 200, kMostVaried = 1000000;

  std::shared_ptr<ConfigText> source_;
  Diagnostics diagnostics_;
  FrameSequences sequences_;
  FrameConfig config_;
  std::set<std::string> region_names_, sample_names_;
  std::size_t num_data_sets_ = 0;
};

}  // namespace

bool is_called_yaml(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".yml" || ending == ".yaml";
}

FrameConfig read_frame_config(const std::string& path) { return FrameReader(path).read(); }

}  // namespace skimline::skims
