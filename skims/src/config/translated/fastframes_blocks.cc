// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fastframes_blocks.h"

#include "base/text_file.h"
#include "config/json/object_reader.h"
#include "config/translated/frame_reading.h"
#include "config/translated/frame_regions.h"
#include "config/translated/frame_samples.h"
#include "config/translated/frame_systematics.h"
#include "config/yaml/located_yaml.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
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

class FrameReader {
 public:
  explicit FrameReader(const std::string& path)
      : source_(std::make_shared<ConfigText>(text_of_one_part(path, read_text_file(path, kLargestFile)))),
        diagnostics_(source_),
        reading_(diagnostics_) {}

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
    if (const JsonValue* regions = blocks.require("regions")) read_regions(*regions, reading_);
    read_samples(*root.find("samples"), reading_);
    if (const JsonValue* systematics = blocks.find("systematics")) read_systematics(*systematics, reading_);
    if (reading_.config.systematics.size() * reading_.config.samples.size() > kMostVaried)
      throw ConfigError(source_->path + ": more than " + std::to_string(kMostVaried) +
                        " systematics of all samples");
    if (const JsonValue* ntuples = blocks.find("ntuples")) read_ntuples(*ntuples);
    leave_out_blocks(blocks);
    diagnostics_.throw_if_any();
    return std::move(reading_.config);
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
      reading_.config.left_out.add(
          "\"cutflows\": a config has one, its \"select\": write the selections as its steps, or as "
          "\"regions\"");
    if (is_filled(blocks.find("simple_onnx_inference")))
      reading_.config.left_out.add(
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
    reading_.config.files_path = general.required_text("input_filelist_path");
    reading_.config.sums_path = general.required_text("input_sumweights_path");
    reading_.config.histograms_folder = general.text("output_path_histograms", "");
    reading_.config.ntuples_folder = general.text("output_path_ntuples", "");
    reading_.config.cross_section_paths =
        general.texts("xsection_files").value_or(Texts{"data/XSection-MC16-13TeV.data"});
    reading_.config.lorentz_vectors = general.texts("create_tlorentz_vectors_for").value_or(Texts{});
    reading_.config.list_of_systematics = general.text("list_of_systematics_name", "listOfSystematics");
    reading_.config.has_region_folders = general.flag("use_region_subfolders", false);
    reading_.config.compression_level = general.integer("ntuple_compression_level").value_or(1);
    reading_.config.defaults.sum_weights = general.text("default_sumweights", "NOSYS");
    reading_.config.defaults.event_weights = general.text("default_event_weights");
    reading_.config.defaults.tree = general.text("default_reco_tree_name", "reco");
    reading_.read_defaults(general, reading_.config.defaults);
    read_luminosities(general.find("luminosity"));
    read_range(general);
    if (const std::string name = general.text("custom_frame_name", ""); !name.empty())
      reading_.config.left_out.add("\"custom_frame_name\": the columns that the class " + name +
                                   " defines in C++: write those that are used in \"define\"");
    if (is_filled(general.find("custom_options")))
      reading_.config.left_out.add(
          "\"custom_options\": they are for the code of a class: write values as \"define\"");
    reading_.leave_out_truth(general, "general");
  }

  void read_luminosities(const JsonValue* value) {
    for (const auto& [campaign, luminosity] : kLuminosities)
      reading_.config.luminosity[campaign] = as_float(luminosity);
    if (!value) return;
    for_each_named(*value, "\"luminosity\"", diagnostics_, [&](const Text& campaign, const JsonValue& each) {
      const std::optional<double> number = read_number(each, "a luminosity", diagnostics_);
      if (number && !(*number > 0 && std::isfinite(as_float(*number))))
        diagnostics_.add(each.location, "a luminosity is greater than 0");
      if (number) reading_.config.luminosity[campaign.value] = as_float(*number);
    });
  }

  void read_range(const FrameBlock& general) {
    const auto positive = [&](const char* key) {
      const std::optional<std::int64_t> number = general.integer(key);
      return number && *number > 0 ? number : std::nullopt;
    };
    reading_.config.first_entry = positive("min_event");
    reading_.config.end_entry = positive("max_event");
    const bool has_range = reading_.config.first_entry || reading_.config.end_entry;
    if (!general.flag("split_processing_per_unique_samples", false) || !has_range) return;
    reading_.config.first_entry = reading_.config.end_entry = std::nullopt;
    reading_.config.left_out.add(
        "\"min_event\" and \"max_event\": they count the entries of each data set; \"entry_\" those of a "
        "sample");
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
    const std::optional<Texts> regions =
        reading_.known_texts(block, "regions", reading_.region_names, "region");
    if (regions && block.find("selection"))
      diagnostics_.add(value.location, "\"regions\" and \"selection\" exclude each other");
    if (regions) ntuples.selection = any_of(*regions);
    for (const char* key : {"samples", "exclude_samples"})
      if (reading_.known_texts(block, key, reading_.sample_names, "sample"))
        reading_.config.left_out.add("\"ntuples\": which samples have them: skims are of all samples");
    if (is_filled(block.find("copy_trees")))
      reading_.config.left_out.add("\"copy_trees\": other trees and objects of the inputs are not copied");
    reading_.config.ntuples = std::move(ntuples);
  }

  std::string any_of(const Texts& names) const {
    std::string selection;
    for (const FrameRegion& region : reading_.config.regions)
      if (std::find(names.begin(), names.end(), region.name) != names.end())
        selection += (selection.empty() ? "(" : " || (") + region.selection + ")";
    return selection;
  }

  static constexpr std::size_t kMostVaried = 1000000;

  std::shared_ptr<ConfigText> source_;
  Diagnostics diagnostics_;
  FrameReading reading_;
};

}  // namespace

bool is_called_yaml(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".yml" || ending == ".yaml";
}

FrameConfig read_frame_config(const std::string& path) { return FrameReader(path).read(); }

}  // namespace skimline::skims
