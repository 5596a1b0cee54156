// SPDX-License-Identifier: BSD-3-Clause
#include "parts/sample_parts.h"

#include "parts/skim_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/text_digest.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

// A result of which not all is known that it depends on: it has a name for as long as its part is computed.
constexpr const char* kNeverStored = "-";

std::string key_of(const PartKeys& keys, const ValueContent& content, const char* kind, std::size_t number) {
  if (const auto key = keys.of(content)) return *key;
  return kNeverStored + std::string(kind) + std::to_string(number);
}

// Parts that are computed at once on slow storage, and their bytes with those of their histograms.
constexpr std::size_t kMostTogether = 64;
constexpr double kMostBytesTogether = 64e6;

bool is_never_stored(const std::string& key) { return key.starts_with(kNeverStored); }

PartResults storable(PartResults part) {
  std::erase_if(part.histograms, [](const auto& each) { return is_never_stored(each.first); });
  std::erase_if(part.counts, [](const auto& each) { return is_never_stored(each.first); });
  std::erase_if(part.weights, [](const histograms::Histogram& each) {
    const std::vector<std::string>& names = each.axes.front().names();
    return std::any_of(names.begin(), names.end(), is_never_stored);
  });
  return part;
}

bool is_empty(const PartResults& results) {
  return results.histograms.empty() && results.counts.empty() && results.weights.empty();
}

std::vector<SelectionId> without_repetitions(const std::vector<SelectionId>& selections) {
  std::vector<SelectionId> once;
  std::set<std::size_t> known;
  for (const SelectionId each : selections)
    if (known.insert(each.index).second) once.push_back(each);
  return once;
}

IsKnown lookup_in(const PartKeys& keys, std::set<std::string> known) {
  return [keys, known = std::move(known)](const ValueContent& content) {
    const auto key = keys.of(content);
    return key && known.contains(*key);
  };
}

}  // namespace

SampleParts::SampleParts(PlannedSample& whole, SampleInputs& inputs, const ResultStore& store,
                         std::set<std::size_t> uncounted, int threads)
    : whole_(whole),
      store_(store),
      uncounted_(std::move(uncounted)),
      threads_(threads),
      part_inputs_(inputs, *whole.source),
      parts_(parts_of(*whole.source)),
      contents_(contents_of(whole)),
      text_(text_of(contents_)) {}

SampleParts::Contents SampleParts::contents_of(PlannedSample& planned) {
  Contents contents;
  for (const BookedHistogram& each : planned.job.booked()) contents.histograms.push_back(each.content);
  contents.selections = without_repetitions(planned.job.counted());
  for (const SelectionId each : contents.selections) {
    contents.counts.push_back(planned.job.content_of_count(each));
    if (auto weight = planned.job.content_of_weight(each)) contents.weights.push_back(std::move(*weight));
  }
  contents.skims = planned.job.contents_of_skims();
  return contents;
}

std::string SampleParts::text_of(const Contents& contents) {
  std::string text;
  for (const auto* some : {&contents.histograms, &contents.counts, &contents.weights, &contents.skims}) {
    text += std::to_string(some->size()) + ';';
    for (const ValueContent& each : *some) text += std::to_string(each.text.size()) + ':' + each.text;
  }
  return text;
}

std::string SampleParts::computed() const { return io::text_digest(text_); }

std::vector<std::string> SampleParts::skim_paths(std::size_t number) const {
  return skim_paths(keys_of(number));
}

std::vector<std::string> SampleParts::skim_paths(const PartKeys& keys) const {
  std::vector<std::string> paths;
  for (const std::string& key : skim_keys(keys)) paths.push_back(store_.skim_path(keys.part(), key));
  return paths;
}

std::vector<std::string> SampleParts::skim_keys(const PartKeys& keys) const {
  std::vector<std::string> all;
  for (const ValueContent& each : contents_.skims) all.push_back(keys.of(each).value());
  return all;
}

void SampleParts::fetch_skims(const PartKeys& keys) const {
  for (const std::string& key : skim_keys(keys)) store_.fetch_skim(keys.part(), key);
}

std::set<std::string> SampleParts::keys_of(const PartKeys& keys) const {
  std::set<std::string> all;
  for (const auto* contents : {&contents_.histograms, &contents_.counts, &contents_.weights})
    for (const ValueContent& each : *contents)
      if (const auto key = keys.of(each)) all.insert(*key);
  return all;
}

PartKeys SampleParts::keys_of(std::size_t number) const {
  return {whole_.config, whole_.sample, *whole_.source, parts_.at(number)};
}

bool SampleParts::are_all(const std::function<bool(const ValueContent&)>& is_such) const {
  return std::all_of(contents_.histograms.begin(), contents_.histograms.end(), is_such) &&
         std::all_of(contents_.counts.begin(), contents_.counts.end(), is_such) &&
         std::all_of(contents_.weights.begin(), contents_.weights.end(), is_such);
}

bool SampleParts::has_all_skims(const PartKeys& keys) const {
  const std::vector<std::string> all = skim_keys(keys);
  return std::all_of(all.begin(), all.end(),
                     [&](const std::string& key) { return store_.has_skim(keys.part(), key); });
}

bool SampleParts::is_any(const std::function<bool(const ValueContent&)>& is_such) const {
  return !are_all([&](const ValueContent& each) { return !is_such(each); });
}

bool SampleParts::use_entry_numbers() const {
  const auto uses_entry = [](const ValueContent& each) { return each.uses_entry; };
  return is_any(uses_entry) || std::any_of(contents_.skims.begin(), contents_.skims.end(), uses_entry);
}

std::size_t SampleParts::part_at(EntryRange entries_of_file) {
  for (std::size_t number = 0; number < parts_.size(); ++number)
    if (parts_[number].entries.first == entries_of_file.first &&
        parts_[number].entries.count == entries_of_file.count)
      return number;
  parts_.push_back({0, 0, entries_of_file, 0});
  return parts_.size() - 1;
}

bool SampleParts::is_known(std::size_t number) const {
  const PartKeys keys = keys_of(number);
  return has_all_skims(keys) && are_all(lookup_in(keys, store_.keys(keys.part())));
}

bool SampleParts::need_all_files() const {
  return !whole_.source->friend_files().empty() || use_entry_numbers();
}

PlannedPart SampleParts::look_up(std::size_t number) const {
  const PartKeys keys = keys_of(number);
  fetch_skims(keys);
  PlannedPart part{number, keys, store_.find(keys.part(), keys_of(keys)), skim_paths(keys)};
  bool has_skims = true;
  for (std::string& path : part.missing_skims) {
    if (is_sound_skim(path, threads_)) path.clear();
    has_skims = has_skims && path.empty();
  }
  part.is_known = has_skims && are_all(lookup_in(keys, part.known.keys()));
  return part;
}

void SampleParts::plan(std::span<PlannedPart> parts) {
  std::vector<Part> missing;
  for (const PlannedPart& part : parts)
    if (!part.is_known) missing.push_back(parts_[part.number]);
  if (missing.size() > 1 && !need_all_files()) part_inputs_.expect(missing);
  for (PlannedPart& part : parts)
    if (!part.is_known) part.missing = plan_missing(part);
}

PlannedPart SampleParts::planned(std::size_t number) {
  PlannedPart part = look_up(number);
  plan({&part, 1});
  return part;
}

bool SampleParts::may_wait_together(std::span<const PlannedPart> parts) const {
  if (!part_inputs_.are_slow() || parts.size() >= kMostTogether) return false;
  const auto cells = static_cast<double>(histograms::bytes_of(whole_.histograms.placements(), threads_));
  double bytes = 0;
  for (const PlannedPart& part : parts) bytes += parts_[part.number].bytes + cells;
  return bytes <= kMostBytesTogether;
}

// Few files may show what all of them together do not, such as fields that can be carried as they are stored:
// what comes of them would lie in the store as a result of something else.
std::unique_ptr<PlannedSample> SampleParts::plan_missing(const PlannedPart& planned_part) {
  const Part& part = parts_[planned_part.number];
  const IsKnown is_known = lookup_in(planned_part.keys, planned_part.known.keys());
  if (!need_all_files()) {
    auto planned = plan_from(part_inputs_.open(part), is_known);
    if (text_of(contents_of(*planned)) == text_) return planned;
  }
  return plan_from(part_inputs_.open_all(part), is_known);
}

std::unique_ptr<PlannedSample> SampleParts::plan_from(std::unique_ptr<io::InputSource> source,
                                                      const IsKnown& is_known) {
  PlanParts parts{.source = std::move(source),
                  .before = whole_.before,
                  .normalisation = whole_.normalisation,
                  .threads = threads_,
                  .uncounted = uncounted_,
                  .is_known = is_known};
  return std::make_unique<PlannedSample>(whole_.config, whole_.sample, std::move(parts));
}

std::string SampleParts::histogram_key(const PlannedPart& part, std::size_t id) const {
  return key_of(part.keys, contents_.histograms[id], "histogram", id);
}

std::string SampleParts::count_key(const PlannedPart& part, std::size_t selection) const {
  return key_of(part.keys, contents_.counts[selection], "count", selection);
}

std::string SampleParts::weight_key(const PlannedPart& part, std::size_t selection) const {
  return key_of(part.keys, contents_.weights[selection], "weight", selection);
}

PartResults SampleParts::results_of(const PlannedPart& part, const RunReport& run) const {
  PartResults results;
  const std::vector<BookedHistogram>& booked = part.missing->job.booked();
  for (std::size_t id = 0; id < booked.size(); ++id)
    if (!booked[id].is_known)
      results.histograms.emplace(histogram_key(part, id), part.missing->histograms.reduce(id));
  for (std::size_t i = 0; i < contents_.selections.size(); ++i) {
    const std::string key = count_key(part, i);
    if (!part.known.counts.contains(key))
      results.counts.emplace(key, run.entries_kept.at(contents_.selections[i].index));
  }
  if (const SelectionWeights& weights = part.missing->job.weights(); weights.is_booked())
    results.weights.push_back(weights.named_sums(weight_keys(part, weights.selections())));
  for (const std::string& path : part.missing_skims)
    if (!path.empty()) store_.put_skim(part.keys.part(), path);
  if (store_.folder().empty()) return results;
  PartResults kept = storable(results);
  if (!is_empty(kept)) store_.put(part.keys.part(), std::move(kept));
  return results;
}

std::vector<std::string> SampleParts::weight_keys(const PlannedPart& part,
                                                  const std::vector<SelectionId>& selections) const {
  std::vector<std::string> keys;
  for (const SelectionId each : selections) {
    const auto found = std::find_if(contents_.selections.begin(), contents_.selections.end(),
                                    [&](SelectionId known) { return known.index == each.index; });
    keys.push_back(weight_key(part, static_cast<std::size_t>(found - contents_.selections.begin())));
  }
  return keys;
}

SampleTotals SampleParts::empty_totals() const {
  SampleTotals totals;
  for (std::size_t id = 0; id < contents_.histograms.size(); ++id)
    totals.histograms.push_back(whole_.histograms.reduce(id));
  std::size_t last = 0;
  for (const SelectionId each : contents_.selections) last = std::max(last, each.index);
  totals.entries_kept.resize(last + 1);
  if (!contents_.weights.empty()) whole_.job.expect_weights(contents_.selections);
  return totals;
}

void SampleParts::add(const PlannedPart& part, PartResults results, SampleTotals& totals) const {
  results.histograms.insert(part.known.histograms.begin(), part.known.histograms.end());
  results.counts.insert(part.known.counts.begin(), part.known.counts.end());
  results.weights.insert(results.weights.end(), part.known.weights.begin(), part.known.weights.end());
  for (std::size_t id = 0; id < contents_.histograms.size(); ++id)
    histograms::add(totals.histograms[id], results.histograms.at(histogram_key(part, id)));
  for (std::size_t i = 0; i < contents_.selections.size(); ++i)
    totals.entries_kept[contents_.selections[i].index] += results.counts.at(count_key(part, i));
  if (contents_.weights.empty()) return;
  std::vector<std::string> keys = weight_keys(part, contents_.selections);
  for (const histograms::Histogram& sums : results.weights) whole_.job.add_weights(sums, keys);
  if (std::any_of(keys.begin(), keys.end(), [](const std::string& left) { return !left.empty(); }))
    throw InternalError("a sum of weights of a part is missing");
}

}  // namespace skimline::skims
