// SPDX-License-Identifier: BSD-3-Clause
// Parts of runs: which are missing, and in which order they follow each other.
#include "record/record_text.h"

#include "skimline/skims/merged_record.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace skimline::skims {
namespace {

constexpr std::size_t kShownShards = 10;

// Sample, number of the part, file, entry.
using PlaceOfPart = std::tuple<std::string, std::uint64_t, std::string, std::uint64_t>;

PlaceOfPart place_of(const SampleRecord& sample) {
  PlaceOfPart place{sample.name, 0, "", 0};
  if (!sample.shards.empty() && !sample.shards.begin()->second.empty())
    std::get<1>(place) = *sample.shards.begin()->second.begin();
  for (const InputRecord& input : sample.inputs) {
    if (input.processed.empty()) continue;
    std::get<2>(place) = input.file;
    std::get<3>(place) = input.processed.front().first;
    break;
  }
  return place;
}

std::optional<PlaceOfPart> place_of(const RunRecord& record) {
  std::optional<PlaceOfPart> first;
  for (const SampleRecord& sample : record.samples) {
    const PlaceOfPart place = place_of(sample);
    if (!first || place < *first) first = place;
  }
  return first;
}

}  // namespace

std::vector<std::string> missing_shards(const RunRecord& record) {
  std::vector<std::string> missing;
  for (const SampleRecord& sample : record.samples)
    for (const auto& [count, numbers] : sample.shards) {
      std::string list;
      std::size_t shown = 0;
      for (std::uint64_t number = 1; number <= count && shown < kShownShards; ++number)
        if (!numbers.contains(number) && ++shown > 0)
          list += (list.empty() ? "" : ", ") + std::to_string(number) + "/" + std::to_string(count);
      const std::uint64_t more = count - numbers.size() - shown;
      if (more > 0) list += " and " + std::to_string(more) + " more";
      missing.push_back("shard " + list + " of the sample \"" + sample.name + "\" is missing");
    }
  return missing;
}

std::optional<std::vector<std::size_t>> input_order(const std::vector<std::string>& files,
                                                    const io::TextsOfInputs& records) {
  std::map<std::string, PlaceOfPart> places;
  for (const io::TextsOfInputs::Text& text : records.texts)
    if (const auto place = place_of(parse_record(text.text))) {
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
