// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fastframes_config.h"

#include "base/resolved_path.h"
#include "base/text_table.h"
#include "config/json/name_checks.h"
#include "config/read/config_variables.h"
#include "config/translated/data_set_values.h"
#include "config/translated/frame_histograms.h"
#include "config/translated/frame_inputs.h"
#include "config/translated/frame_names.h"
#include "config/translated/frame_objects.h"
#include "config/translated/frame_skim.h"
#include "config/translated/frame_variations.h"
#include "config/translated/sample_metadata.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

using namespace frame_names;

SampleMetadata metadata_of(const FrameConfig& frames) {
  SampleMetadata metadata(frames.files_path, frames.sums_path);
  std::set<std::int64_t> used;
  for (const FrameSample& sample : frames.samples)
    for (const DataSet& set : sample.data_sets)
      if (!sample.is_data) used.insert(set.dsid);
  if (used.empty()) return metadata;
  for (const std::string& path : frames.cross_section_paths) metadata.add_cross_sections(path, used);
  return metadata;
}

class FrameTranslation {
 public:
  FrameTranslation(FrameConfig frames, fs::path config_path)
      : frames_(std::move(frames)),
        config_path_(std::move(config_path)),
        metadata_(metadata_of(frames_)),
        variations_(used_names()),
        left_out_(std::move(frames_.left_out)),
        custom_(*frames_.defaults.definitions) {
    for (const FrameDefinition& each : custom_) common_[each.name] = each.expression;
  }

  TranslatedConfig config(const std::string& origin) {
    for (const FrameSample& sample : frames_.samples) add_sample(sample);
    for (const FrameSample& sample : frames_.samples) add_varied(sample);
    define();
    for (const std::string& name : variations_.with_varied_factors(custom_))
      left_out_.add(
          "\"weight_suffix\" of the systematics", name,
          "it has columns that they change: FastFrames takes nominal ones there, and here they are changed");
    for (const FrameRegion& region : frames_.regions) histograms_.add(region, where(region));
    const OrderedJson config = whole();
    return written(config, origin, left_out_.sentences());
  }

 private:
  // What any expression says, and so what a systematic may change.
  std::set<std::string> used_names() const {
    std::string all;
    const auto add = [&](const std::string& text) { all += text + " "; };
    const auto add_defaults = [&](const FrameDefaults& defaults) {
      add(defaults.event_weights.value_or(""));
      for (const FrameDefinition& each : *defaults.definitions) add(each.expression);
    };
    add_defaults(frames_.defaults);
    for (const FrameSample& sample : frames_.samples) {
      if (has_own_definitions(sample)) add_defaults(sample);
      add(sample.event_weights.value_or(""));
      add(sample.weight_suffix.value_or("") + " " + sample.selection_suffix);
    }
    for (const FrameRegion& region : frames_.regions) {
      add(region.selection);
      for (const FrameVariable& variable : region.variables) add(variable.definition);
    }
    if (frames_.ntuples) add(frames_.ntuples->selection);
    std::set<std::string> names = names_in(all);
    for (const std::string& object : frames_.lorentz_vectors)
      if (names.contains(object + kVectors))
        names.insert({object + "_pt_NOSYS", object + "_eta", object + "_phi", object + "_e_NOSYS"});
    return names;
  }

  bool has_own_definitions(const FrameSample& sample) const {
    return sample.definitions != frames_.defaults.definitions;
  }

  bool has_simulation() const {
    return std::any_of(frames_.samples.begin(), frames_.samples.end(),
                       [](const FrameSample& sample) { return !sample.is_data; });
  }

  // Of several data sets, so that the name of the file says which one an event is of, wherever it runs.
  std::string path_of(const std::string& path, bool is_absolute) const {
    if (!is_absolute || io::is_url(path)) return path_from(path, config_path_);
    return plain_path(fs::absolute(path)).string();
  }

  void add_sample(const FrameSample& sample) {
    OrderedJson& json = samples_[objects_.name(sample.name, "sample")];
    json["files"] = OrderedJson::array();
    const bool is_mixed = !sample.is_data && sample.data_sets.size() > 1;
    std::vector<std::pair<std::string, std::size_t>> files;
    for (std::size_t number = 0; number < sample.data_sets.size(); ++number) {
      const DataSet& set = sample.data_sets[number];
      if (metadata_.files(set).empty())
        throw ConfigError(frames_.files_path + ": no files of " + set.text() + ", which the sample " +
                          in_quotes(sample.name) + " needs" + metadata_.others_of(set));
      num_files_ += metadata_.files(set).size();
      if (num_files_ > kMostFiles)
        throw ConfigError("more than " + std::to_string(kMostFiles) + " files of all samples");
      for (const std::string& path : metadata_.files(set)) {
        if (is_mixed) inputs_.check_is_no_pattern(path, sample);
        files.emplace_back(path_of(path, is_mixed), number);
        json["files"].push_back(plain_text(files.back().first) + ":" + plain_text(sample.tree));
      }
    }
    if (files.empty()) throw ConfigError("the sample " + in_quotes(sample.name) + " has no data sets");
    inputs_.note_known_weights(sample, left_out_);
    if (is_mixed && sample.has_truth && (frames_.first_entry || frames_.end_entry))
      left_out_.add(
          "\"min_event\" and \"max_event\" of the samples", sample.name,
          "with \"truth\" FastFrames counts the entries of each data set, and here they are those of "
          "the sample");
    if (sample.is_data) json["is_data"] = true;
    if (is_mixed) json["define"][kDataSet] = plain_text(number_of_data_set(std::move(files)));
    if (!sample.is_data) add_normalisation(sample, json);
    add_own(sample, json);
  }

  std::string by_data_set(const FrameSample& sample,
                          double (*value)(const FrameTranslation&, const DataSet&)) const {
    std::vector<double> values;
    for (const DataSet& set : sample.data_sets) values.push_back(value(*this, set));
    return value_by_number(kDataSet, values);
  }

  std::string sum_of(const FrameSample& sample, const std::string& name) const {
    std::vector<double> sums;
    for (const DataSet& set : sample.data_sets) sums.push_back(metadata_.sum(set, name));
    return value_by_number(kDataSet, sums);
  }

  void add_normalisation(const FrameSample& sample, OrderedJson& json) const {
    json["define"][kLuminosity] = by_data_set(sample, [](const FrameTranslation& self, const DataSet& set) {
      return self.frames_.luminosity.at(set.campaign);
    });
    json["define"][kCrossSection] = by_data_set(sample, [](const FrameTranslation& self, const DataSet& set) {
      return self.metadata_.cross_section(set);
    });
    json["define"][kSum] = sum_of(sample, sample.sum_weights);
  }

  // What the sample says otherwise than the general block.
  void add_own(const FrameSample& sample, OrderedJson& json) {
    if (has_own_definitions(sample)) add_definitions(*sample.definitions, json);
    if (!sample.selection_suffix.empty()) {
      json["define"][kSuffix] = plain_text(sample.selection_suffix);
      has_suffix_ = true;
    }
    if (!sample.event_weights && !sample.is_data)
      throw ConfigError("the sample " + in_quotes(sample.name) +
                        " has no \"event_weights\", and \"general\" no \"default_event_weights\"");
    std::string weight = sample.event_weights.value_or("1.");
    if (sample.weight_suffix) weight = "(" + weight + ")*(" + *sample.weight_suffix + ")";
    if (weight != (sample.is_data ? "1." : frames_.defaults.event_weights.value_or("1.")))
      json["weights"][kEventWeight] = plain_text(weight);
  }

  // A column that only some samples define is defined for all.
  void add_definitions(const std::vector<FrameDefinition>& definitions, OrderedJson& json) {
    for (const FrameDefinition& each : definitions) {
      const auto [common, is_new] = common_.try_emplace(each.name, each.expression);
      if (is_new)
        custom_.push_back(each);
      else if (common->second != each.expression)
        json["define"][each.name] = plain_text(each.expression);
    }
  }

  void add_varied(const FrameSample& sample) {
    const std::string name = objects_.name(sample.name, "sample");
    const std::vector<SampleSystematic> systematics = systematics_of(frames_, sample, metadata_, left_out_);
    std::optional<std::set<std::string>> columns =
        systematics.empty() ? std::nullopt : inputs_.columns_of(sample);
    if (!systematics.empty() && !columns)
      left_out_.add("what systematics change in the samples", sample.name, "the first input cannot be read");
    const auto sums =
        variations_.add(name, systematics, sample.is_data ? std::nullopt : std::optional(sample.sum_weights),
                        std::move(columns));
    for (const auto& [defined, sum] : sums) samples_[name]["define"][defined] = sum_of(sample, sum);
    if (!sample.is_data || systematics.empty()) return;
    samples_[name]["variations"] = true;
    if (!samples_[name]["weights"].contains(kEventWeight)) samples_[name]["weights"][kEventWeight] = "1.";
    samples_[name]["weights"][kFactor] = "1.";
  }

  // Definitions of all samples.
  void define() {
    if (has_simulation()) {
      const bool is_mixed = std::any_of(samples_.begin(), samples_.end(), [](const OrderedJson& sample) {
        return sample.contains("define") && sample["define"].contains(kDataSet);
      });
      if (is_mixed) own(kDataSet, "0");
      for (const char* name : {kLuminosity, kCrossSection, kSum}) own(name, "1.");
      for (const std::string& name : variations_.sums()) own(name, kSum);
    }
    define_vectors();
    for (const FrameDefinition& each : custom_) {
      if (!is_identifier(each.name))
        throw ConfigError("the custom column " + in_quotes(each.name) + ": no expression can have its name");
      define_[each.name] = plain_text(each.expression);
    }
    if (has_suffix_) own(kSuffix, "true");
    for (auto& [name, sample] : samples_.items())
      for (const auto& [varied, nominal] : variations_.aliases_of(name)) sample["aliases"][varied] = nominal;
  }

  void own(const std::string& name, const std::string& expression) {
    define_[name] = expression;
    own_.push_back(name);
  }

  void define_vectors() {
    const std::set<std::string> used = used_names();
    for (const std::string& object : frames_.lorentz_vectors)
      if (used.contains(object + kVectors))
        own(object + kVectors, "P4PtEtaPhiE(" + object + "_pt_NOSYS, " + object + "_eta, " + object +
                                   "_phi, " + object + "_e_NOSYS)");
  }

  std::string where(const FrameRegion& region) const {
    return has_suffix_ ? "(" + region.selection + ") && (" + kSuffix + ")" : region.selection;
  }

  OrderedJson output() const {
    const std::string file = config_path_.stem().string() + "_histograms.root";
    const std::string end = std::string(frames_.has_region_folders ? "{region}/" : "") +
                            (histograms_.are_alike() ? "{histogram}_{region}" : "{histogram}");
    return {
        {"file", plain_text(path_from((fs::path(frames_.histograms_folder) / file).string(), config_path_))},
        {"name", {{"nominal", "{sample}/NOSYS/" + end}, {"varied", "{sample}/{variation}/" + end}}}};
  }

  OrderedJson skim() {
    FrameSkimColumns columns;
    const FrameSample& first = frames_.samples.front();
    columns.inputs = inputs_.columns_of(first).value_or(std::set<std::string>{});
    columns.custom = custom_;
    columns.own = own_;
    for (const auto& [name, weight] : weights_.items()) columns.own.push_back(name);
    columns.own.emplace_back("weight_");
    for (const FrameSample& sample : frames_.samples) {
      if (sample.data_sets.size() > 1)
        left_out_.add("an n-tuple for each data set of the samples", sample.name, "there is one of all");
      if (sample.data_sets.size() > 1 && (frames_.first_entry || frames_.end_entry))
        left_out_.add("\"min_event\" and \"max_event\" of n-tuples of the samples", sample.name,
                      "FastFrames counts the entries of each data set, and here it is those of the sample");
      if (sample.tree != frames_.defaults.tree)
        left_out_.add("\"reco_tree_name\" of n-tuples of the samples", sample.name,
                      "the tree of a skim has one name, " + in_quotes(frames_.defaults.tree));
      if (const auto& others = inputs_.columns_of(sample))
        columns.others.insert(others->begin(), others->end());
      if (sample.nominal_only && !sample.is_data)
        left_out_.add("\"nominal_only\" of n-tuples: columns of systematics are kept; name them in \"drop\"");
    }
    OrderedJson skim{
        {"file",
         plain_text(path_from((fs::path(frames_.ntuples_folder) / "{sample}.root").string(), config_path_))}};
    skim.update(frame_skim(frames_, columns, variations_, left_out_));
    return skim;
  }

  void weigh() {
    weights_[kEventWeight] = plain_text(frames_.defaults.event_weights.value_or("1."));
    if (has_simulation())
      weights_[kNormalisation] = std::string(kLuminosity) + " * " + kCrossSection + " / " + kSum;
    if (variations_.have_factors()) weights_[kFactor] = "1.";
    for (auto& sample : samples_)
      if (sample.contains("weights") && !weights_.contains(kFactor)) sample["weights"].erase(kFactor);
  }

  OrderedJson range() const {
    std::string where;
    if (frames_.first_entry) where = "entry_ >= " + std::to_string(*frames_.first_entry);
    if (frames_.end_entry)
      where += (where.empty() ? "" : " && ") + std::string("entry_ < ") + std::to_string(*frames_.end_entry);
    OrderedJson steps = OrderedJson::array();
    if (!where.empty()) steps.push_back(OrderedJson{{"name", "range"}, {"where", where}});
    return steps;
  }

  OrderedJson whole() {
    weigh();
    OrderedJson config = begun_config();
    config["samples"] = samples_;
    if (!define_.empty()) config["define"] = define_;
    config["weights"] = weights_;
    if (!variations_.empty()) config["variations"] = variations_.variations();
    if (const OrderedJson select = range(); !select.empty()) config["select"] = select;
    if (!histograms_.regions().empty()) config["regions"] = histograms_.regions();
    const OrderedJson histograms = histograms_.histograms();
    if (!histograms.empty()) config["histograms"] = histograms;
    if (frames_.ntuples) config["skims"]["ntuple"] = skim();
    if (!histograms.empty()) config["output"]["histograms"] = output();
    return config;
  }

  FrameConfig frames_;
  fs::path config_path_;
  SampleMetadata metadata_;
  FrameInputs inputs_{metadata_};
  FrameVariations variations_;
  FrameLeftovers left_out_;
  FrameObjects objects_{left_out_};
  FrameHistograms histograms_{objects_, left_out_};
  std::vector<FrameDefinition> custom_;
  std::map<std::string, std::string> common_;  // what they are for samples that say nothing else, by name
  static constexpr std::size_t kMostFiles = 1000000;
  std::size_t num_files_ = 0;
  bool has_suffix_ = false;
  OrderedJson samples_ = OrderedJson::object(), define_ = OrderedJson::object(),
              weights_ = OrderedJson::object();
  Texts own_;  // definitions that FastFrames has not, or as vectors
};

}  // namespace

TranslatedConfig config_of_frames(FrameConfig frames, const std::string& origin,
                                  const fs::path& config_path) {
  return FrameTranslation(std::move(frames), config_path).config(origin);
}

}  // namespace skimline::skims
