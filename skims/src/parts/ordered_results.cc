// SPDX-License-Identifier: BSD-3-Clause
#include "parts/ordered_results.h"

#include "skimline/framework/error.h"

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

void append_histograms(const SampleContents& contents, const PartKeys& part, PartResults& results,
                       std::vector<Histogram>& ordered) {
  std::map<std::string, std::size_t> last_use;  // equal histograms have one result
  const std::size_t count = contents.histograms().size();
  for (std::size_t id = 0; id < count; ++id) last_use[contents.histogram_key(part, id)] = id;
  for (std::size_t id = 0; id < count; ++id) {
    const std::string key = contents.histogram_key(part, id);
    Histogram& result = results.histograms.at(key);
    ordered.push_back(last_use[key] == id ? std::move(result) : result);
  }
}

Histogram counts_in_order(const SampleContents& contents, const PartKeys& part, const PartResults& results) {
  Histogram counts = without_fills(numbers_to(contents.counts().size()), Storage::kCount);
  for (std::size_t i = 0; i < contents.counts().size(); ++i)
    counts.sums[histograms::kWeight][kFirstResult + i] =
        static_cast<double>(results.counts.at(contents.count_key(part, i)));
  return counts;
}

Histogram weights_in_order(const SampleContents& contents, const PartKeys& part, const PartResults& results) {
  Histogram weights = without_fills(numbers_to(contents.weights().size()), Storage::kWeighted);
  std::vector<std::string> names = contents.weight_keys(part, contents.selections());
  for (const Histogram& sums : results.weights) add_named(sums, names, weights);
  if (std::any_of(names.begin(), names.end(), [](const std::string& left) { return !left.empty(); }))
    throw InternalError("a sum of weights of a part is missing");
  return weights;
}

}  // namespace

std::vector<Histogram> results_in_order(const SampleContents& contents, const PartKeys& part,
                                        PartResults results) {
  std::vector<Histogram> ordered;
  append_histograms(contents, part, results, ordered);
  ordered.push_back(counts_in_order(contents, part, results));
  if (!contents.weights().empty()) ordered.push_back(weights_in_order(contents, part, results));
  return ordered;
}

std::vector<Histogram> empty_in_order(const SampleContents& contents,
                                      const histograms::HistogramSet& histograms) {
  std::vector<Histogram> ordered;
  for (std::size_t id = 0; id < contents.histograms().size(); ++id) ordered.push_back(histograms.reduce(id));
  ordered.push_back(without_fills(numbers_to(contents.counts().size()), Storage::kCount));
  if (!contents.weights().empty())
    ordered.push_back(without_fills(numbers_to(contents.weights().size()), Storage::kWeighted));
  return ordered;
}

}  // namespace skimline::skims
