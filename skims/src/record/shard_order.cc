// SPDX-License-Identifier: BSD-3-Clause
// Parts of runs: what they lack, and in which order they follow each other.
#include "record/record_inputs.h"
#include "record/record_text.h"
#include "record/shards_of_run.h"

#include "skimline/skims/merged_record.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

constexpr std::size_t kShownShards = 10;

// Sample, number of the part, input, entry, number of the file of a skim that is split.
using PlaceOfPart = std::tuple<std::string, std::uint64_t, std::string, std::uint64_t, std::uint64_t>;

PlaceOfPart place_of(const SampleRecord& sample) {
  PlaceOfPart place{sample.name, 0, "", 0, 0};
  if (!sample.shards.empty()) std::get<1>(place) = *sample.shards.begin()->second.second.begin();
  for (const InputRecord& input : sample.inputs) {
    if (input.processed.empty()) continue;
    std::get<2>(place) = input.file;
    std::get<3>(place) = input.processed.front().first;
    break;
  }
  return place;
}

using NumberedFile = std::pair<std::string, std::uint64_t>;  // of which skim that is split, and its number

NumberedFile first_file(const SampleRecord& sample) {
  if (sample.files.empty()) return {};
  const auto& [whole, files] = *sample.files.begin();
  return {whole, *files.second.begin()};
}

// Where skims that are split begin: only their first files say it.
using BeginsOfSkims = std::map<std::string, PlaceOfPart>;

void note_begins(const RunRecord& record, BeginsOfSkims& begins) {
  for (const SampleRecord& sample : record.samples)
    if (const auto [whole, number] = first_file(sample); number == 1) begins.emplace(whole, place_of(sample));
}

PlaceOfPart place_of(const SampleRecord& sample, const BeginsOfSkims& begins) {
  const auto [whole, number] = first_file(sample);
  const auto begin = begins.find(whole);
  PlaceOfPart place = begin == begins.end() ? place_of(sample) : begin->second;
  std::get<4>(place) = number;
  return place;
}

std::optional<PlaceOfPart> place_of(const RunRecord& record, const BeginsOfSkims& begins) {
  std::optional<PlaceOfPart> first;
  for (const SampleRecord& sample : record.samples) {
    const PlaceOfPart place = place_of(sample, begins);
    if (!first || place < *first) first = place;
  }
  return first;
}

// Of `count` parts those that are not there: "1/3, 2/3".
std::string missing_numbers(std::uint64_t count, const std::set<std::uint64_t>& numbers) {
  std::string list;
  std::size_t shown = 0;
  for (std::uint64_t number = 1; number <= count && shown < kShownShards; ++number)
    if (!numbers.contains(number) && ++shown > 0)
      list += (list.empty() ? "" : ", ") + std::to_string(number) + "/" + std::to_string(count);
  const std::uint64_t more = count - numbers.size() - shown;
  return more > 0 ? list + " and " + std::to_string(more) + " more" : list;
}

// Shards of several runs are told apart by it.
std::string entries_of(const ShardsOfRun& shards, std::size_t num_runs) {
  if (num_runs == 1 || is_of_unknown_whole(shards)) return {};
  return " of " + std::to_string(shards.first.first) + " entries";
}

}  // namespace

std::vector<std::string> missing_shards(const decltype(SampleRecord::shards)& of_runs) {
  std::vector<std::string> missing;
  for (const ShardsOfRun& shards : of_runs)
    if (const auto& [count, numbers] = shards.second; numbers.size() < count)
      missing.push_back("shard " + missing_numbers(count, numbers) + entries_of(shards, of_runs.size()));
  return missing;
}

std::vector<std::string> missing_parts(const RunRecord& record) {
  std::vector<std::string> missing;
  for (const SampleRecord& sample : record.samples) {
    const std::string of = " of the sample \"" + sample.name + "\" is missing";
    for (const std::string& shards : missing_shards(sample.shards)) missing.push_back(shards + of);
    for (const auto& [whole, files] : sample.files)
      if (const auto& [count, numbers] = files; numbers.size() < count)
        missing.push_back("file " + missing_numbers(count, numbers) + " of a skim" + of);
  }
  return missing;
}

std::vector<std::string> inputs_left_out(const RunRecord& record) {
  std::vector<std::string> left_out;
  for (const SampleRecord& sample : record.samples)
    for (const SkippedInput& skipped : sample.skipped)
      left_out.push_back("of the sample \"" + sample.name + "\", by its run: " + text_of(skipped));
  return left_out;
}

std::optional<std::vector<std::size_t>> input_order(const std::vector<std::string>& files,
                                                    const io::TextsOfInputs& records) {
  std::vector<RunRecord> parsed;
  BeginsOfSkims begins;
  for (const io::TextsOfInputs::Text& text : records.texts)
    note_begins(parsed.emplace_back(parse_record(text.text)), begins);
  std::map<std::string, PlaceOfPart> places;
  for (std::size_t i = 0; i < parsed.size(); ++i)
    if (const auto place = place_of(parsed[i], begins)) {
      const io::TextsOfInputs::Text& text = records.texts[i];
      const auto [known, is_new] = places.try_emplace(text.file, *place);
      if (!is_new) known->second = std::min(known->second, *place);
    }
  if (!std::all_of(files.begin(), files.end(),
                   [&](const std::string& file) { return places.contains(file); }))
    return std::nullopt;
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places.at(files[a]) < places.at(files[b]); });
  return order;
}

}  // namespace skimline::skims
