// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_samples.h"

#include "config/json/object_reader.h"
#include "config/translated/frame_block.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

class FrameSampleReader {
 public:
  explicit FrameSampleReader(FrameReading& reading) : reading_(reading) {}

  void read(const JsonValue& value) {
    std::vector<JsonValue> blocks = reading_.sequences.blocks(value);
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
                             reading_.diagnostics);
      if (!block.is_object()) continue;
      FrameSample& sample = reading_.config.samples.emplace_back(read_sample(block));
      reading_.check_new(reading_.sample_names, sample.name, each, "samples");
      if (sample.automatic_systematics && sample.nominal_only)
        reading_.diagnostics.add(each.location,
                                 "\"automatic_systematics\" and \"nominal_only\" exclude each other");
      if (auto others = block.texts("included_samples"))
        included_[sample.name] = std::move(*others);
      else
        read_data_sets(block, sample);
      leave_out_of_sample(block, sample.name);
    }
    if (blocks.empty()) reading_.diagnostics.add(value.location, "\"samples\" must not be empty");
    for (FrameSample& sample : reading_.config.samples) include(sample, value.location, 1);
    check_campaigns(value.location);
  }

 private:
  FrameSample read_sample(const FrameBlock& block) {
    FrameSample sample;
    static_cast<FrameDefaults&>(sample) = reading_.config.defaults;
    sample.name = block.required_text("name");
    sample.sum_weights = block.text("sum_weights", sample.sum_weights);
    sample.tree = block.text("reco_tree_name", sample.tree);
    sample.weight_suffix = block.text("weight_suffix");
    sample.selection_suffix = block.text("selection_suffix", "");
    sample.has_truth = is_filled(block.find("truth"));
    const std::optional<std::string> kind = block.text("simulation_type");
    sample.is_data = kind && DataSet{0, "", *kind}.is_data();
    if (sample.is_data) sample.event_weights = std::nullopt;
    if (auto weights = block.text("event_weights")) sample.event_weights = weights;
    reading_.read_defaults(block, sample);
    return sample;
  }

  std::vector<std::int64_t> read_dsids(const FrameBlock& block, const JsonValue* dsids) {
    std::vector<std::int64_t> numbers;
    if (!dsids) return numbers;
    if (dsids->kind != JsonKind::kList)
      reading_.diagnostics.add(dsids->location, "\"dsids\" must be a list, got " + name_of(dsids->kind));
    for (const JsonValue& each : dsids->items)
      if (const auto dsid = block.integer(each, "each item of \"dsids\"")) numbers.push_back(*dsid);
    if (std::set(numbers.begin(), numbers.end()).size() != numbers.size())
      reading_.diagnostics.add(dsids->location, "a number appears twice");
    return numbers;
  }

  void read_data_sets(const FrameBlock& block, FrameSample& sample) {
    const std::string kind = block.required_text("simulation_type");
    const JsonValue* campaigns = block.require("campaigns");
    const std::vector<std::int64_t> numbers =
        sample.is_data ? std::vector<std::int64_t>{0} : read_dsids(block, block.require("dsids"));
    if (!campaigns) return;
    if (campaigns->kind != JsonKind::kList)
      return reading_.diagnostics.add(campaigns->location,
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
    reading_.diagnostics.add(place, "more than " + std::to_string(kMostDataSets) +
                                        " data sets in all samples up to " + in_quotes(sample.name));
    reading_.diagnostics.throw_if_any();
  }

  // What a sample includes may include others itself, wherever it stands.
  void include(FrameSample& sample, Location place, std::size_t depth) {
    const auto pending = included_.find(sample.name);
    if (pending == included_.end()) return;
    const Texts others = std::move(pending->second);
    included_.erase(pending);
    if (depth > kMostDepth)
      return reading_.diagnostics.add(place, "samples include each other more than " +
                                                 std::to_string(kMostDepth) + " deep at " +
                                                 in_quotes(sample.name));
    including_.insert(sample.name);
    std::size_t num_data = 0;
    for (const std::string& name : others) {
      reading_.check_known(reading_.sample_names, name, place, "sample");
      if (including_.contains(name)) {
        reading_.diagnostics.add(place, "the sample " + in_quotes(name) + " includes itself");
        continue;
      }
      const auto found = std::find_if(reading_.config.samples.begin(), reading_.config.samples.end(),
                                      [&](const auto& each) { return each.name == name; });
      if (found == reading_.config.samples.end()) continue;
      include(*found, place, depth + 1);
      num_data += found->is_data ? 1 : 0;
      check_number(sample, found->data_sets.size() + 1, place);
      sample.data_sets.insert(sample.data_sets.end(), found->data_sets.begin(), found->data_sets.end());
    }
    including_.erase(sample.name);
    if (num_data != 0 && num_data != others.size())
      reading_.diagnostics.add(place,
                               "the sample " + in_quotes(sample.name) + " includes data and simulation");
    sample.is_data = num_data != 0;
    if (sample.is_data && sample.event_weights == reading_.config.defaults.event_weights)
      sample.event_weights = std::nullopt;
    if (std::set(sample.data_sets.begin(), sample.data_sets.end()).size() != sample.data_sets.size())
      reading_.diagnostics.add(place, "the sample " + in_quotes(sample.name) + " includes a data set twice");
  }

  void check_campaigns(Location place) {
    Texts known;
    for (const auto& [campaign, luminosity] : reading_.config.luminosity) known.push_back(campaign);
    std::set<std::string> told;
    for (const FrameSample& sample : reading_.config.samples)
      for (const DataSet& set : sample.data_sets)
        if (!sample.is_data && !reading_.config.luminosity.contains(set.campaign) &&
            told.insert(set.campaign).second)
          reading_.diagnostics.add(place, "no \"luminosity\" of the campaign " + in_quotes(set.campaign) +
                                              " of " + in_quotes(sample.name) + " in \"general\"" +
                                              did_you_mean(set.campaign, known));
  }

  void leave_out_of_sample(const FrameBlock& block, const std::string& name) {
    for (const char* key : {"regions", "exclude_regions"})
      if (block.texts(key))
        reading_.config.left_out.add("which regions there are of the samples", name,
                                     "their histograms are filled in all regions");
    for (const char* key : {"variables", "exclude_variables"})
      if (block.texts(key))
        reading_.config.left_out.add("which variables there are of the samples", name,
                                     "all of their histograms are filled");
    if (is_filled(block.find("selection")))
      reading_.config.left_out.add("\"selection\" of the samples", name,
                                   "FastFrames does not look at it either; it takes \"selection_suffix\"");
    reading_.leave_out_truth(block, name);
  }

  static constexpr std::size_t kMostDataSets = 100000;
  static constexpr std::size_t kMostDepth = 100;

  FrameReading& reading_;
  std::map<std::string, Texts> included_;  // by the sample that includes them
  std::set<std::string> including_;        // those that are being completed
  std::size_t num_data_sets_ = 0;
};

}  // namespace

void read_samples(const JsonValue& value, FrameReading& reading) { FrameSampleReader(reading).read(value); }

}  // namespace skimline::skims
