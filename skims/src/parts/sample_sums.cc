// SPDX-License-Identifier: BSD-3-Clause
// Sums of parts of a sample that were made elsewhere.
#include "parts/sample_parts.h"
#include "parts/skim_files.h"
#include "parts/sum_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/text_digest.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::ExactCells;
using histograms::Histogram;
using histograms::Storage;

constexpr std::size_t kFirstResult = 1;  // behind the underflow

Histogram without_fills(std::vector<std::string> names, Storage storage) {
  return histograms::empty_histogram("", "", {Axis::categories(std::move(names))}, storage);
}

std::vector<std::string> numbers_to(std::size_t end) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < end; ++i) names.push_back(std::to_string(i));
  return names;
}

// Adds the sums that have one of the names, in place of which there is none left, to the cells of these
// names.
void add_named(const Histogram& from, std::vector<std::string>& names, Histogram& to) {
  std::unordered_map<std::string, std::size_t> cells;
  for (const std::string& name : from.axes.front().names()) cells.emplace(name, kFirstResult + cells.size());
  for (std::size_t which = 0; which < to.exact_cells.size(); ++which) {
    ExactCells chosen(to.num_cells());
    chosen.set_window(from.exact_cells[which].window());
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const auto cell = cells.find(names[i]); cell != cells.end())
        chosen.set_parts(kFirstResult + i, from.exact_cells[which].parts(cell->second));
    to.exact_cells[which].add(chosen);
  }
  for (std::string& name : names)
    if (cells.contains(name)) name.clear();
}

std::set<std::size_t> numbers_in(const PartRanges& ranges, std::size_t num_parts) {
  std::set<std::size_t> numbers;
  for (const auto& [first, last] : ranges)
    for (std::uint64_t number = first; number < last && number < num_parts; ++number) numbers.insert(number);
  return numbers;
}

}  // namespace

std::vector<Histogram> SampleParts::in_order(const PlannedPart& part, PartResults results) const {
  results.histograms.insert(part.known.histograms.begin(), part.known.histograms.end());
  results.counts.insert(part.known.counts.begin(), part.known.counts.end());
  results.weights.insert(results.weights.end(), part.known.weights.begin(), part.known.weights.end());
  std::map<std::string, std::size_t> last_use;  // equal histograms have one result
  for (std::size_t id = 0; id < contents_.histograms.size(); ++id) last_use[histogram_key(part, id)] = id;
  std::vector<Histogram> ordered;
  for (std::size_t id = 0; id < contents_.histograms.size(); ++id) {
    const std::string key = histogram_key(part, id);
    Histogram& result = results.histograms.at(key);
    ordered.push_back(last_use[key] == id ? std::move(result) : result);
  }
  Histogram counts = without_fills(numbers_to(contents_.counts.size()), Storage::kCount);
  for (std::size_t i = 0; i < contents_.counts.size(); ++i)
    counts.sums[histograms::kWeight][kFirstResult + i] =
        static_cast<double>(results.counts.at(count_key(part, i)));
  ordered.push_back(std::move(counts));
  if (!contents_.weights.empty()) ordered.push_back(weights_in_order(part, results));
  return ordered;
}

Histogram SampleParts::weights_in_order(const PlannedPart& part, const PartResults& results) const {
  Histogram weights = without_fills(numbers_to(contents_.weights.size()), Storage::kWeighted);
  std::vector<std::string> names = weight_keys(part, contents_.selections);
  for (const Histogram& sums : results.weights) add_named(sums, names, weights);
  for (const std::string& name : names)
    if (!name.empty()) throw InternalError("a sum of weights of a part is missing");
  return weights;
}

std::vector<Histogram> SampleParts::empty_in_order() const {
  std::vector<Histogram> ordered;
  for (std::size_t id = 0; id < contents_.histograms.size(); ++id)
    ordered.push_back(whole_.histograms.reduce(id));
  ordered.push_back(without_fills(numbers_to(contents_.counts.size()), Storage::kCount));
  if (!contents_.weights.empty())
    ordered.push_back(without_fills(numbers_to(contents_.weights.size()), Storage::kWeighted));
  return ordered;
}

std::size_t SampleParts::num_results() const {
  return contents_.histograms.size() + contents_.counts.size() + contents_.weights.size();
}

void SampleParts::add_contents(std::vector<std::pair<std::size_t, Histogram>>&& results,
                               SumContents& contents) const {
  const std::size_t num_histograms = contents_.histograms.size();
  for (auto& [number, histogram] : results) {
    if (number < num_histograms) {
      contents.histograms.push_back(std::move(histogram));
      continue;
    }
    if (number > num_histograms) continue;
    for (const CountedStep& step : whole_.job.cutflow()) {
      const auto found = std::find_if(contents_.selections.begin(), contents_.selections.end(),
                                      [&](SelectionId each) { return each.index == step.events.index; });
      const auto cell = kFirstResult + static_cast<std::size_t>(found - contents_.selections.begin());
      contents.cutflow.emplace_back(step.name, static_cast<std::uint64_t>(histogram.contents()[cell]));
    }
  }
}

std::optional<std::string> SampleParts::digest() const {
  std::string text;
  for (const auto* contents : {&contents_.histograms, &contents_.counts, &contents_.weights}) {
    text += std::to_string(contents->size()) + ';';
    for (const ValueContent& each : *contents) {
      if (!each.is_known) return std::nullopt;
      text += std::to_string(each.text.size()) + ':' + each.text;
    }
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) text += keys_of(number).whole();
  return io::text_digest(text);
}

std::set<std::size_t> SampleParts::add_sum(SampleTotals& totals) const {
  const std::optional<std::string> name = digest();
  std::vector<Histogram> sum;
  PartRanges ranges;
  if (!name || !read_sum(*name, sum, ranges)) return {};
  std::set<std::size_t> numbers = numbers_in(ranges, parts_.size());
  if (!std::all_of(numbers.begin(), numbers.end(), [&](std::size_t each) { return has_sound_skims(each); }))
    return {};
  add_in_order(sum, totals);
  return numbers;
}

bool SampleParts::has_sound_skims(std::size_t number) const {
  fetch_skims(keys_of(number));
  const std::vector<std::string> paths = skim_paths(number);
  return std::all_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return is_sound_skim(path, threads_); });
}

// Whether there is one that has all results.
bool SampleParts::read_sum(const std::string& name, std::vector<Histogram>& sum, PartRanges& ranges) const {
  const SumBlocks found = find_sum(store_.folder(), name);
  if (found.blocks.empty()) return false;
  ranges = found.parts;
  sum = empty_in_order();
  try {
    const std::vector<std::string_view> views(found.blocks.begin(), found.blocks.end());
    return read_blocks(views, sum).size() == sum.size();
  } catch (const Error&) {
    return false;  // the parts are computed once more
  }
}

void SampleParts::add_in_order(const std::vector<Histogram>& sum, SampleTotals& totals) const {
  for (std::size_t id = 0; id < contents_.histograms.size(); ++id)
    histograms::add(totals.histograms[id], sum[id]);
  const Histogram& counts = sum[contents_.histograms.size()];
  for (std::size_t i = 0; i < contents_.counts.size(); ++i)
    totals.entries_kept[contents_.selections[i].index] +=
        static_cast<std::uint64_t>(counts.contents()[kFirstResult + i]);
  if (contents_.weights.empty()) return;
  std::vector<std::string> names = sum.back().axes.front().names();
  whole_.job.add_weights(sum.back(), names);
}

}  // namespace skimline::skims
