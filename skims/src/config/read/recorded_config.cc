// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/recorded_config.h"

#include "config/json/object_reader.h"
#include "config/read/config_composer.h"
#include "config/read/event_choice_reader.h"
#include "config/read/histogram_config_reader.h"
#include "config/read/naming.h"
#include "config/read/output_reader.h"
#include "config/read/variation_reader.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace skimline::skims {
namespace {

bool is_true(const JsonValue* value) { return value && value->kind == JsonKind::kBool && value->boolean; }

// Of a list made for other programs, nothing says which samples are data: those without a cross section among
// others that have one. The config says it of its own.
bool is_data(const SampleRecord& sample, const JsonValue* config, const RunRecord& record) {
  if (config) return is_true(config->find("is_data"));
  return !sample.cross_section_pb &&
         std::any_of(record.samples.begin(), record.samples.end(),
                     [](const SampleRecord& other) { return other.cross_section_pb.has_value(); });
}

class RecordedConfigReader {
 public:
  explicit RecordedConfigReader(const RunRecord& record) : record_(record), diagnostics_(source_) {
    read_.config.source = source_;
  }

  RecordedConfig read(const std::string& resolved) {
    try {
      const JsonValue root = compose_config(*source_, resolved, {}, diagnostics_).root;
      read_root(root);
      if (const JsonValue* plots = root.find("plots")) read_.plots = compact_json(*plots);
    } catch (const ConfigError&) {
      read_.config.histograms.clear();
    }
    return std::move(read_);
  }

 private:
  void read_root(const JsonValue& root) {
    Config& config = read_.config;
    read_samples(root.find("samples"));
    if (const JsonValue* variations = root.find("variations"))
      read_variations(*variations, config, diagnostics_);
    if (const JsonValue* sums = root.find("sums")) read_sums(*sums, config, diagnostics_);
    if (const JsonValue* select = root.find("select")) events_.read_cuts(*select);
    if (const JsonValue* regions = root.find("regions")) events_.read_regions(*regions);
    // Its files are not in the record.
    read_output(root.find("output"), config, {}, diagnostics_);
    HistogramConfigReader reader(events_, diagnostics_);
    if (const JsonValue* weights = root.find("weights")) reader.set_weight({kEventWeight, weights->location});
    if (const JsonValue* defaults = root.find("histogram_defaults")) reader.read_defaults(*defaults);
    if (const JsonValue* histograms = root.find("histograms"))
      for_each_named(*histograms, "\"histograms\"", diagnostics_,
                     [&](const Text& name, const JsonValue& histogram) {
                       config.histograms.push_back(reader.read(name, histogram));
                     });
  }

  void read_samples(const JsonValue* configs) {
    Config& config = read_.config;
    for (const SampleRecord& recorded : record_.samples) {
      const JsonValue* own = configs ? configs->find(recorded.name) : nullptr;
      Sample sample;
      sample.name.value = recorded.name;
      if (own) read_.named_samples.insert(recorded.name);
      for (const auto& [name, value] : recorded.metadata) {
        NamedValue constant;
        constant.name.value = name;
        constant.value = value;
        sample.metadata.push_back(std::move(constant));
      }
      sample.cross_section_pb = recorded.cross_section_pb;
      sample.is_data = is_data(recorded, own, record_);
      if (const JsonValue* varies = own ? own->find("variations") : nullptr)
        sample.has_variations = is_true(varies);
      else if (!own)  // which the run did not take for data
        sample.has_variations = own_variation(sample).empty();
      config.sample_names.push_back(recorded.name);
      config.samples.push_back(std::move(sample));
    }
    if (!configs) return;
    // The record has them in alphabetical order.
    std::unordered_map<std::string_view, std::size_t> places;
    for (const Text& name : configs->keys) places.emplace(name.value, places.size());
    const auto place_of = [&](const Sample& sample) {
      const auto found = places.find(sample.name.value);
      return found == places.end() ? places.size() : found->second;
    };
    std::stable_sort(config.samples.begin(), config.samples.end(),
                     [&](const Sample& a, const Sample& b) { return place_of(a) < place_of(b); });
    const std::unordered_set<std::string> recorded(config.sample_names.begin(), config.sample_names.end());
    for (const Text& name : configs->keys)
      if (!recorded.contains(name.value)) config.sample_names.push_back(name.value);
  }

  const RunRecord& record_;
  std::shared_ptr<ConfigText> source_ = std::make_shared<ConfigText>(ConfigText{"record", {}, {}});
  Diagnostics diagnostics_;
  RecordedConfig read_;
  EventChoiceReader events_{read_.config, diagnostics_};
};

}  // namespace

RecordedConfig read_recorded_config(const RunRecord& record, const std::string& resolved) {
  return RecordedConfigReader(record).read(resolved);
}

}  // namespace skimline::skims
