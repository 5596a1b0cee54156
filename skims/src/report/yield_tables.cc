// SPDX-License-Identifier: BSD-3-Clause
#include "report/yield_tables.h"

#include "base/text_table.h"

#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;
using NamedYields = std::map<std::string, Yield>;

constexpr const char* kSelected = "selected";

std::string row_name(const std::string& region) { return region.empty() ? kSelected : "region " + region; }

std::optional<Measured> cell_of(const NamedYields& yields, const std::string& name) {
  const auto found = yields.find(name);
  if (found == yields.end()) return std::nullopt;
  const Yield& yield = found->second;
  Measured cell{.value = yield.value, .error = yield.error, .up = {}, .down = {}, .share = {}};
  if (yield.variations.empty()) return cell;
  const Reach reach = reach_of(yield);
  cell.up = reach.up;
  cell.down = reach.down;
  return cell;
}

bool is_weighted(const NamedYields& yields) {
  return std::any_of(yields.begin(), yields.end(), [](const auto& named) {
    const Yield& yield = named.second;
    return !yield.variations.empty() ||
           std::abs(yield.error * yield.error - yield.value) > 1e-9 * yield.value;
  });
}

Json json_of(const Yield& yield) {
  Json variations = Json::object();
  for (const VariedYield& each : yield.variations)
    variations[each.variation] = {{"systematic", each.systematic}, {"value", each.value}};
  const Reach reach = reach_of(yield);
  return {{"value", yield.value},
          {"statistical_error", yield.error},
          {"systematic_up", reach.up},
          {"systematic_down", reach.down},
          {"variations", std::move(variations)}};
}

Json json_of(const std::vector<std::string>& order, const NamedYields& yields) {
  Json json = Json::object();
  for (const std::string& name : order)
    if (const auto found = yields.find(name); found != yields.end()) json[name] = json_of(found->second);
  return json;
}

// The histograms that count, each with its regions.
std::string counted_by(const Yields& yields) {
  std::vector<std::string> texts;
  for (const std::string& region : yields.regions)
    for (const YieldsOfSample& sample : yields.samples) {
      const auto found = sample.counted_by.find(region);
      if (found == sample.counted_by.end()) continue;
      const std::string text =
          in_quotes(shown(found->second)) + (region.empty() ? "" : " in " + shown(region));
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
  return first_few(texts);
}

}  // namespace

bool is_worth_showing(const Yields& yields) {
  return std::any_of(yields.samples.begin(), yields.samples.end(), [](const YieldsOfSample& sample) {
    return sample.is_normalised || is_weighted(sample.regions);
  });
}

MeasuredTable yield_table(const Yields& yields) {
  MeasuredTable table{"yields", "step or region", yields.steps, {}};
  for (const std::string& region : yields.regions) table.rows.push_back(row_name(region));
  for (const YieldsOfSample& sample : yields.samples) {
    MeasuredColumn column{sample.name, {}, false};
    for (const std::string& step : yields.steps) column.cells.push_back(cell_of(sample.steps, step));
    for (const std::string& region : yields.regions) column.cells.push_back(cell_of(sample.regions, region));
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::string notes_of(const Yields& yields) {
  std::string text =
      "  steps: sums of the weights of \"sum_weights\", normalised; +- is the statistical error\n";
  if (!yields.regions.empty())
    text += "  selected and regions: with the weights of " + counted_by(yields) +
            "; + and - are systematic errors\n";
  return text;
}

nlohmann::ordered_json json_of(const Yields& yields) {
  Json json = Json::object();
  for (const YieldsOfSample& sample : yields.samples) {
    Json counting = Json::object();
    for (const auto& [region, histogram] : sample.counted_by) counting[region] = histogram;
    json[sample.name] = {{"normalised", sample.is_normalised},
                         {"steps", json_of(yields.steps, sample.steps)},
                         {"regions", json_of(yields.regions, sample.regions)},
                         {"counted_by", std::move(counting)}};
  }
  return json;
}

}  // namespace skimline::skims
