// SPDX-License-Identifier: BSD-3-Clause
#include "parts/sample_parts.h"

#include "parts/skim_files.h"
#include "plan/result_sizes.h"

#include "skimline/framework/error.h"
#include "skimline/io/text_digest.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

// Parts that are computed at once on slow storage, and their bytes with those of their histograms.
constexpr std::size_t kMostTogether = 64;
constexpr double kMostBytesTogether = 64e6;

bool is_empty(const PartResults& results) {
  return results.histograms.empty() && results.counts.empty() && results.weights.empty();
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
      contents_(whole),
      text_(contents_.text()) {}

std::string SampleParts::computed() const { return io::text_digest(text_); }

std::vector<std::string> SampleParts::skim_paths(std::size_t number) const {
  return skim_paths(keys_of(number));
}

std::vector<std::string> SampleParts::skim_paths(const PartKeys& keys) const {
  std::vector<std::string> paths;
  for (const std::string& key : contents_.skim_keys(keys))
    paths.push_back(store_.skim_path(keys.part(), key));
  return paths;
}

void SampleParts::fetch_skims(const PartKeys& keys) const {
  for (const std::string& key : contents_.skim_keys(keys)) store_.fetch_skim(keys.part(), key);
}

PartKeys SampleParts::keys_of(std::size_t number) const {
  return {whole_.config, whole_.sample, *whole_.source, parts_.at(number)};
}

bool SampleParts::has_all_skims(const PartKeys& keys) const {
  const std::vector<std::string> all = contents_.skim_keys(keys);
  return std::all_of(all.begin(), all.end(),
                     [&](const std::string& key) { return store_.has_skim(keys.part(), key); });
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
  return has_all_skims(keys) && contents_.are_all(lookup_in(keys, store_.keys(keys.part())));
}

bool SampleParts::need_all_files() const {
  return !whole_.source->friend_files().empty() || contents_.use_entry_numbers();
}

PlannedPart SampleParts::look_up(std::size_t number) const {
  const PartKeys keys = keys_of(number);
  fetch_skims(keys);
  PlannedPart part{number, keys, store_.find(keys.part(), contents_.keys(keys)), skim_paths(keys)};
  bool has_skims = true;
  for (std::string& path : part.missing_skims) {
    if (is_sound_skim(path, threads_)) path.clear();
    has_skims = has_skims && path.empty();
  }
  part.is_known = has_skims && contents_.are_all(lookup_in(keys, part.known.keys()));
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
    if (SampleContents(*planned).text() == text_) return planned;
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

PartResults SampleParts::results_of(const PlannedPart& part, const RunReport& run, bool are_kept) const {
  PartResults results;
  for (std::size_t i = 0; i < contents_.selections().size(); ++i) {
    const std::string key = contents_.count_key(part.keys, i);
    if (!part.known.counts.contains(key))
      results.counts.emplace(key, run.entries_kept.at(contents_.selections()[i].index));
  }
  if (const SelectionWeights& weights = part.missing->job.weights(); weights.is_booked())
    results.weights.push_back(weights.named_sums(contents_.weight_keys(part.keys, weights.selections())));
  for (const std::string& path : part.missing_skims)
    if (!path.empty()) store_.put_skim(part.keys.part(), path);
  PartResults* const kept = are_kept ? &results : nullptr;
  const auto [stored, others] = missing_histograms(part);
  const PartResults numbers = storable(results);
  if (!store_.folder().empty() && (!stored.empty() || !is_empty(numbers))) {
    std::set<std::string> keys = numbers.keys();
    for (const auto& [key, id] : stored) keys.insert(key);
    ResultFile file = store_.begin(part.keys.part(), keys);
    make_results(part, stored, &file, kept);
    file.complete(numbers.counts, numbers.weights);
  }
  make_results(part, others, nullptr, kept);
  return results;
}

SampleParts::HistogramsToMake SampleParts::missing_histograms(const PlannedPart& part) const {
  HistogramsToMake ids;
  const std::vector<BookedHistogram>& booked = part.missing->job.booked();
  for (std::size_t id = 0; id < booked.size(); ++id) {
    if (booked[id].is_known) continue;
    const std::string key = contents_.histogram_key(part.keys, id);
    (store_.folder().empty() || is_never_stored(key) ? ids.others : ids.stored).emplace(key, id);
  }
  return ids;
}

// Few at once.
void SampleParts::make_results(const PlannedPart& part, const std::map<std::string, std::size_t>& ids,
                               ResultFile* file, PartResults* kept) const {
  if (!file && !kept) return;
  const histograms::HistogramSet& filled = part.missing->histograms;
  const std::uint64_t most = most_result_bytes(whole_.config);
  for (auto next = ids.begin(); next != ids.end();) {
    std::vector<std::string> keys;
    std::vector<histograms::Histogram> some;
    for (std::uint64_t bytes = 0; next != ids.end() && (some.empty() || bytes <= most); ++next) {
      keys.push_back(next->first);
      some.push_back(filled.reduce(next->second));
      bytes += result_bytes(some.back());
    }
    if (file) file->add(some, keys);
    for (std::size_t i = 0; kept && i < some.size(); ++i)
      kept->histograms.emplace(keys[i], std::move(some[i]));
  }
}

SampleTotals SampleParts::empty_totals() const {
  SampleTotals totals;
  for (std::size_t id = 0; id < contents_.histograms().size(); ++id)
    totals.histograms.push_back(whole_.histograms.reduce(id));
  std::size_t last = 0;
  for (const SelectionId each : contents_.selections()) last = std::max(last, each.index);
  totals.entries_kept.resize(last + 1);
  if (!contents_.weights().empty()) whole_.job.expect_weights(contents_.selections());
  return totals;
}

void SampleParts::add(const PlannedPart& part, PartResults results, SampleTotals& totals) const {
  results.add(part.known);
  for (std::size_t id = 0; id < contents_.histograms().size(); ++id)
    histograms::add(totals.histograms[id], results.histograms.at(contents_.histogram_key(part.keys, id)));
  for (std::size_t i = 0; i < contents_.selections().size(); ++i)
    totals.entries_kept[contents_.selections()[i].index] +=
        results.counts.at(contents_.count_key(part.keys, i));
  if (contents_.weights().empty()) return;
  std::vector<std::string> keys = contents_.weight_keys(part.keys, contents_.selections());
  for (const histograms::Histogram& sums : results.weights) whole_.job.add_weights(sums, keys);
  if (std::any_of(keys.begin(), keys.end(), [](const std::string& left) { return !left.empty(); }))
    throw InternalError("a sum of weights of a part is missing");
}

}  // namespace skimline::skims
