// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/histogram_catalogue.h"

#include "config/read/naming.h"
#include "config/read/recorded_config.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

// A sample that is a variation itself belongs to the nominal sample of its process, or else to the process.
std::string owner_of(const Sample& sample, const std::vector<Sample>& samples) {
  const std::string process = name_among_metadata(sample, "process");
  if (process.empty() || own_variation(sample).empty()) return sample.name.value;
  const auto nominal = std::find_if(samples.begin(), samples.end(), [&](const Sample& other) {
    return own_variation(other).empty() && name_among_metadata(other, "process") == process;
  });
  return nominal == samples.end() ? process : nominal->name.value;
}

// Names in the order in which they were added first.
void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

class CatalogueBuilder {
 public:
  CatalogueBuilder(const HistogramFile& file, const std::vector<RecordedConfig>& configs) : file_(file) {
    for (const RecordedConfig& each : configs)
      named_samples_.insert(each.named_samples.begin(), each.named_samples.end());
  }

  void add(const RecordedConfig& recorded) {
    const Config& config = recorded.config;
    if (catalogue_.plots.empty()) catalogue_.plots = recorded.plots;
    for (const SampleSum& sum : config.sums)
      for (const SampleSum::Part& part : sum.parts)
        catalogue_.summed[sum.name.value].insert(part.sample.value);
    for (const Sample& sample : config.samples) {
      const std::string& name = sample.name.value;
      if (recorded.named_samples.contains(name) || !named_samples_.contains(name)) add(config, sample);
    }
  }

  HistogramCatalogue take() { return std::move(catalogue_); }

 private:
  void add(const Config& config, const Sample& sample) {
    const HistogramNaming naming(config, sample);
    const std::string owner = owner_of(sample, config.samples);
    if (owner != sample.name.value) add_once(catalogue_.varied_samples, sample.name.value);
    for (const HistogramConfig& histogram : config.histograms) {
      const auto add_region = [&](const Region* region) {
        for_each_key(config, sample, histogram, region,
                     [&](const HistogramKey& key) { add_key(sample, owner, key, naming.name_of(key)); });
      };
      if (histogram.events.regions.empty()) add_region(nullptr);
      for (const std::size_t number : histogram.events.regions) add_region(&config.regions[number]);
    }
  }

  void add_key(const Sample& sample, const std::string& owner, const HistogramKey& key,
               const std::string& name) {
    if (!file_.contains(name) || !seen_.insert(name).second) return;
    CataloguedHistogram found;
    found.name = name;
    found.histogram = key.config->name.value;
    if (key.region) found.region = key.region->name.value;
    found.sample = key.sum ? key.sum->name.value : owner;
    set_variation(sample, owner, key, found);
    add_once(catalogue_.histograms, found.histogram);
    if (key.region) add_once(catalogue_.regions, found.region);
    add_sample({found.sample, sample.is_data && !key.sum, key.sum != nullptr});
    catalogue_.filled.push_back(std::move(found));
  }

  static void set_variation(const Sample& sample, const std::string& owner, const HistogramKey& key,
                            CataloguedHistogram& found) {
    if (key.variation) {
      found.variation = key.variation->name.value;
      found.systematic = key.variation->systematic;
      found.direction = key.variation->direction;
    } else if (key.weight_variation) {
      found.variation = found.systematic = key.weight_variation->name.value;
    } else if (!key.sum && owner != sample.name.value) {
      found.variation = own_variation(sample);
      found.systematic = name_among_metadata(sample, "systematic");
      if (found.systematic.empty()) found.systematic = found.variation;
      found.direction = name_among_metadata(sample, "direction");
    }
  }

  void add_sample(CataloguedSample added) {
    const auto is_known = [&](const CataloguedSample& each) { return each.name == added.name; };
    if (std::none_of(catalogue_.samples.begin(), catalogue_.samples.end(), is_known))
      catalogue_.samples.push_back(std::move(added));
  }

  const HistogramFile& file_;
  HistogramCatalogue catalogue_;
  std::set<std::string> named_samples_;  // by any config
  std::set<std::string> seen_;
};

}  // namespace

HistogramCatalogue catalogue_of(const HistogramFile& file) {
  const std::optional<RunRecord> record = file.record();
  return record ? catalogue_of(file, *record) : HistogramCatalogue();
}

HistogramCatalogue catalogue_of(const HistogramFile& file, const RunRecord& record) {
  std::vector<RecordedConfig> configs;
  for (const std::string& config : record.configs) configs.push_back(read_recorded_config(record, config));
  CatalogueBuilder builder(file, configs);
  for (const RecordedConfig& config : configs) builder.add(config);
  return builder.take();
}

std::string to_json(const HistogramCatalogue& catalogue) {
  using Json = nlohmann::ordered_json;
  Json samples = Json::array(), filled = Json::array();
  for (const CataloguedSample& each : catalogue.samples)
    samples.push_back({{"name", each.name}, {"is_data", each.is_data}, {"is_sum", each.is_sum}});
  for (const CataloguedHistogram& each : catalogue.filled)
    filled.push_back({{"name", each.name},
                      {"histogram", each.histogram},
                      {"region", each.region},
                      {"sample", each.sample},
                      {"variation", each.variation},
                      {"systematic", each.systematic},
                      {"direction", each.direction}});
  const Json json{{"samples", std::move(samples)},
                  {"histograms", catalogue.histograms},
                  {"regions", catalogue.regions},
                  {"filled", std::move(filled)},
                  {"plots", catalogue.plots.empty() ? Json() : Json::parse(catalogue.plots)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace skimline::skims
