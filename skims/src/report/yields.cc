// SPDX-License-Identifier: BSD-3-Clause
#include "report/yields.h"

#include "record/counting_histograms.h"
#include "record/cutflow_tables.h"
#include "record/record_steps.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace skimline::skims {
namespace {

constexpr const char* kAllSimulated = "all simulated";

double total_of(const std::vector<double>& cells) { return std::accumulate(cells.begin(), cells.end(), 0.0); }

Yield scaled(const RecordedStep& step, double factor) {
  return {.value = step.sum_weights * factor, .error = step.error * std::abs(factor), .variations = {}};
}

const VariedYield* find(const Yield& yield, const std::string& variation) {
  const auto found = std::find_if(yield.variations.begin(), yield.variations.end(),
                                  [&](const VariedYield& each) { return each.variation == variation; });
  return found == yield.variations.end() ? nullptr : &*found;
}

// What does not have a variation stays nominal in it.
void add(Yield& total, const Yield& part) {
  for (const VariedYield& each : part.variations)
    if (!find(total, each.variation))
      total.variations.push_back({each.variation, each.systematic, total.value});
  for (VariedYield& each : total.variations) {
    const VariedYield* varied = find(part, each.variation);
    each.value += varied ? varied->value : part.value;
  }
  total.value += part.value;
  total.error = maths::hypot(total.error, part.error);
}

class YieldsBuilder {
 public:
  YieldsBuilder(const RunRecord& record, const HistogramFile* file) : record_(record), file_(file) {
    if (file) catalogue_ = catalogue_of(*file, record);
    varied_samples_.insert(catalogue_.varied_samples.begin(), catalogue_.varied_samples.end());
    for (const CataloguedSample& each : catalogue_.samples) catalogued_.emplace(each.name, &each);
    for (const SampleRecord& sample : record.samples) {
      recorded_.insert(sample.name);
      note_counting(sample.name, sample.counted_by);
    }
    for (const auto& [sample, region, histogram] : counting_) counting_of_any_.emplace(region, histogram);
    for (const auto& [sum, samples] : catalogue_.summed) note_counting_of_sum(sum, samples);
  }

  Yields build() {
    add_rows();
    for (const SampleRecord& sample : record_.samples)
      if (!is_variation(sample.name)) add_sample(sample);
    for (const CataloguedSample& sample : catalogue_.samples)
      if (!find_column(sample.name)) add_column(sample);
    for (const CataloguedHistogram& each : catalogue_.filled) add_region(each);
    add_region_rows();
    drop_without_nominal();
    add_all_simulated();
    return std::move(yields_);
  }

 private:
  void add_rows() {
    std::vector<std::vector<std::string>> steps;
    for (const SampleSteps& sample : cutflows_of(record_)) {
      steps.emplace_back();
      for (const RecordedStep& step : sample.steps) steps.back().push_back(step.name);
    }
    yields_.steps = united_rows(steps);
  }

  // Of several that count a region, the first histogram does.
  void note_counting(const std::string& name, const HistogramsOfRegions& counted_by) {
    for (const auto& [region, histograms] : counted_by)
      if (!histograms.empty()) counting_.emplace(name, region, *histograms.begin());
  }

  // A sum of samples is counted by what counts all of them: what counts only some may lack events of the
  // others.
  void note_counting_of_sum(const std::string& name, const std::set<std::string>& samples) {
    std::optional<HistogramsOfRegions> common;
    for (const SampleRecord& sample : record_.samples) {
      if (!samples.contains(sample.name)) continue;
      if (!common) common = sample.counted_by;
      keep_common(*common, sample.counted_by);
    }
    if (common) note_counting(name, *common);
  }

  // Samples that are variations of another one belong to that.
  bool is_variation(const std::string& sample) const { return varied_samples_.contains(sample); }

  const CataloguedSample* find_catalogued(const std::string& name) const {
    const auto found = catalogued_.find(name);
    return found == catalogued_.end() ? nullptr : found->second;
  }

  YieldsOfSample* find_column(const std::string& name) {
    const auto found = columns_.find(name);
    return found == columns_.end() ? nullptr : &yields_.samples[found->second];
  }

  void add_column(const CataloguedSample& sample) {
    YieldsOfSample column;
    column.name = sample.name;
    column.is_data = sample.is_data;
    column.is_sum = sample.is_sum;
    columns_.emplace(sample.name, yields_.samples.size());
    yields_.samples.push_back(std::move(column));
  }

  void add_sample(const SampleRecord& sample) {
    const CataloguedSample* known = find_catalogued(sample.name);
    add_column(known ? *known : CataloguedSample{sample.name});
    YieldsOfSample& column = yields_.samples.back();
    column.is_normalised = sample.normalisation.has_value() && sample.cross_section_pb.has_value();
    for (const RecordedStep& step : steps_of(sample))
      column.steps[step.name] = scaled(step, sample.normalisation.value_or(1));
  }

  // Variations are filled with what counts the nominal sample. Where that was not run, any sample's will do.
  bool counts(const CataloguedHistogram& each) const {
    if (recorded_.contains(each.sample) || catalogue_.summed.contains(each.sample))
      return counting_.contains({each.sample, each.region, each.histogram});
    return counting_of_any_.contains({each.region, each.histogram});
  }

  void add_region(const CataloguedHistogram& each) {
    YieldsOfSample* column = find_column(each.sample);
    if (!column || !counts(each)) return;
    const histograms::Histogram histogram = file_->read(each.name);
    Yield& yield = column->regions[each.region];
    if (!each.variation.empty()) {
      yield.variations.push_back({each.variation, each.systematic, total_of(histogram.contents())});
      return;
    }
    counted_.insert(each.region);
    column->counted_by[each.region] = each.histogram;
    yield.value = total_of(histogram.contents());
    yield.error = std::sqrt(total_of(histogram.variances()));
  }

  // Without the nominal sample, as of a run over some samples, there is nothing that is varied.
  void drop_without_nominal() {
    for (YieldsOfSample& column : yields_.samples)
      std::erase_if(column.regions,
                    [&](const auto& region) { return !column.counted_by.contains(region.first); });
    std::erase_if(yields_.samples, [](const YieldsOfSample& column) {
      return !column.is_sum && column.steps.empty() && column.regions.empty();
    });
  }

  // As in the config, behind all that is selected.
  void add_region_rows() {
    if (counted_.contains("")) yields_.regions.emplace_back();
    for (const std::string& each : catalogue_.regions)
      if (counted_.contains(each)) yields_.regions.push_back(each);
  }

  using ByName = std::map<std::string, Yield>;

  // What one of them lacks would be missing in the sum.
  static void add_common(ByName YieldsOfSample::*yields, const std::vector<const YieldsOfSample*>& parts,
                         YieldsOfSample& total) {
    for (const auto& named : parts.front()->*yields) {
      const std::string& name = named.first;
      if (!std::all_of(parts.begin(), parts.end(),
                       [&](const YieldsOfSample* part) { return (part->*yields).contains(name); }))
        continue;
      for (const YieldsOfSample* part : parts) add((total.*yields)[name], (part->*yields).at(name));
    }
  }

  void add_all_simulated() {
    std::vector<const YieldsOfSample*> parts;
    bool is_known = false;
    for (const YieldsOfSample& each : yields_.samples) {
      is_known |= each.name == kAllSimulated;
      if (each.is_normalised && !each.is_data && !each.is_sum) parts.push_back(&each);
    }
    if (parts.size() < 2 || is_known) return;
    YieldsOfSample total;
    total.name = kAllSimulated;
    total.is_sum = total.is_normalised = true;
    add_common(&YieldsOfSample::steps, parts, total);
    add_common(&YieldsOfSample::regions, parts, total);
    yields_.samples.push_back(std::move(total));
  }

  const RunRecord& record_;
  const HistogramFile* file_;
  HistogramCatalogue catalogue_;
  std::unordered_set<std::string> recorded_, varied_samples_;
  std::unordered_map<std::string, const CataloguedSample*> catalogued_;
  std::set<std::tuple<std::string, std::string, std::string>> counting_;
  std::set<std::pair<std::string, std::string>> counting_of_any_;  // region and histogram
  std::unordered_set<std::string> counted_;                        // regions
  Yields yields_;
  std::unordered_map<std::string, std::size_t> columns_;  // of these, by sample
};

}  // namespace

Reach reach_of(const Yield& yield) {
  std::map<std::string, Reach> shifts;
  for (const VariedYield& each : yield.variations) {
    Reach& reach = shifts[each.systematic];
    reach.up = std::max(reach.up, each.value - yield.value);
    reach.down = std::max(reach.down, yield.value - each.value);
  }
  Reach total;
  for (const auto& [systematic, reach] : shifts) {
    total.up = maths::hypot(total.up, reach.up);
    total.down = maths::hypot(total.down, reach.down);
  }
  return total;
}

Yields yields_of(const RunRecord& record, const HistogramFile* file) {
  return YieldsBuilder(record, file).build();
}

}  // namespace skimline::skims
