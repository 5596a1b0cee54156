// SPDX-License-Identifier: BSD-3-Clause
// Sums of parts of a sample that were made elsewhere.
#include "parts/ordered_results.h"
#include "parts/sample_parts.h"
#include "parts/skim_files.h"
#include "parts/sum_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/text_digest.h"

#include <algorithm>
#include <string>
#include <utility>

namespace skimline::skims {
namespace {

using histograms::Histogram;

std::set<std::size_t> numbers_in(const PartRanges& ranges, std::size_t num_parts) {
  std::set<std::size_t> numbers;
  for (const auto& [first, last] : ranges)
    for (std::uint64_t number = first; number < last && number < num_parts; ++number) numbers.insert(number);
  return numbers;
}

}  // namespace

std::vector<Histogram> SampleParts::in_order(const PlannedPart& part, PartResults results) const {
  results.add(part.known);
  return results_in_order(contents_, part.keys, std::move(results));
}

std::vector<Histogram> SampleParts::empty_in_order() const {
  return skims::empty_in_order(contents_, whole_.histograms);
}

void SampleParts::add_contents(std::vector<std::pair<std::size_t, Histogram>>&& results,
                               SumContents& contents) const {
  const std::size_t num_histograms = contents_.histograms().size();
  for (auto& [number, histogram] : results) {
    if (number < num_histograms) {
      contents.histograms.push_back(std::move(histogram));
      continue;
    }
    if (number > num_histograms) continue;
    for (const CountedStep& step : whole_.job.cutflow()) {
      const std::size_t cell = kFirstResult + contents_.place_of(step.events);
      contents.cutflow.emplace_back(step.name, static_cast<std::uint64_t>(histogram.contents()[cell]));
    }
  }
}

std::optional<std::string> SampleParts::digest() const {
  std::optional<std::string> text = contents_.known_text();
  if (!text) return std::nullopt;
  for (std::size_t number = 0; number < parts_.size(); ++number) *text += keys_of(number).whole();
  return io::text_digest(*text);
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
  for (std::size_t id = 0; id < contents_.histograms().size(); ++id)
    histograms::add(totals.histograms[id], sum[id]);
  const Histogram& counts = sum[contents_.histograms().size()];
  for (std::size_t i = 0; i < contents_.counts().size(); ++i)
    totals.entries_kept[contents_.selections()[i].index] +=
        static_cast<std::uint64_t>(counts.contents()[kFirstResult + i]);
  if (contents_.weights().empty()) return;
  std::vector<std::string> names = sum.back().axes.front().names();
  whole_.job.add_weights(sum.back(), names);
}

}  // namespace skimline::skims
