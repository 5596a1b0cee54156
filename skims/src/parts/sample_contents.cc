// SPDX-License-Identifier: BSD-3-Clause
#include "parts/sample_contents.h"

#include <algorithm>

namespace skimline::skims {
namespace {

// A result of which not all is known that it depends on: it has a name for as long as its part is computed.
constexpr const char* kNeverStored = "-";

std::string key_of(const PartKeys& part, const ValueContent& content, const char* kind, std::size_t number) {
  if (const auto key = part.of(content)) return *key;
  return kNeverStored + std::string(kind) + std::to_string(number);
}

std::vector<SelectionId> without_repetitions(const std::vector<SelectionId>& selections) {
  std::vector<SelectionId> once;
  std::set<std::size_t> known;
  for (const SelectionId each : selections)
    if (known.insert(each.index).second) once.push_back(each);
  return once;
}

void append_texts(std::string& text, const std::vector<ValueContent>& contents) {
  text += std::to_string(contents.size()) + ';';
  for (const ValueContent& each : contents) text += std::to_string(each.text.size()) + ':' + each.text;
}

}  // namespace

SampleContents::SampleContents(PlannedSample& planned)
    : selections_(without_repetitions(planned.job.counted())), skims_(planned.job.contents_of_skims()) {
  for (const BookedHistogram& each : planned.job.booked()) histograms_.push_back(each.content);
  for (const SelectionId each : selections_) {
    counts_.push_back(planned.job.content_of_count(each));
    if (auto weight = planned.job.content_of_weight(each)) weights_.push_back(std::move(*weight));
  }
}

std::size_t SampleContents::place_of(SelectionId selection) const {
  const auto found = std::find_if(selections_.begin(), selections_.end(),
                                  [&](SelectionId each) { return each.index == selection.index; });
  return static_cast<std::size_t>(found - selections_.begin());
}

std::string SampleContents::text() const {
  std::string text;
  for (const auto* some : {&histograms_, &counts_, &weights_, &skims_}) append_texts(text, *some);
  return text;
}

std::optional<std::string> SampleContents::known_text() const {
  if (!are_all([](const ValueContent& each) { return each.is_known; })) return std::nullopt;
  std::string text;
  for (const auto* some : {&histograms_, &counts_, &weights_}) append_texts(text, *some);
  return text;
}

bool SampleContents::are_all(const std::function<bool(const ValueContent&)>& is_such) const {
  return std::all_of(histograms_.begin(), histograms_.end(), is_such) &&
         std::all_of(counts_.begin(), counts_.end(), is_such) &&
         std::all_of(weights_.begin(), weights_.end(), is_such);
}

bool SampleContents::use_entry_numbers() const {
  const auto uses_entry = [](const ValueContent& each) { return each.uses_entry; };
  return !are_all([&](const ValueContent& each) { return !uses_entry(each); }) ||
         std::any_of(skims_.begin(), skims_.end(), uses_entry);
}

std::set<std::string> SampleContents::keys(const PartKeys& part) const {
  std::set<std::string> all;
  for (const auto* contents : {&histograms_, &counts_, &weights_})
    for (const ValueContent& each : *contents)
      if (const auto key = part.of(each)) all.insert(*key);
  return all;
}

std::vector<std::string> SampleContents::skim_keys(const PartKeys& part) const {
  std::vector<std::string> all;
  for (const ValueContent& each : skims_) all.push_back(part.of(each).value());
  return all;
}

std::string SampleContents::histogram_key(const PartKeys& part, std::size_t id) const {
  return key_of(part, histograms_[id], "histogram", id);
}

std::string SampleContents::count_key(const PartKeys& part, std::size_t place) const {
  return key_of(part, counts_[place], "count", place);
}

std::vector<std::string> SampleContents::weight_keys(const PartKeys& part,
                                                     const std::vector<SelectionId>& selections) const {
  std::vector<std::string> keys;
  for (const SelectionId each : selections) {
    const std::size_t place = place_of(each);
    keys.push_back(key_of(part, weights_[place], "weight", place));
  }
  return keys;
}

bool is_never_stored(const std::string& key) { return key.starts_with(kNeverStored); }

PartResults storable(PartResults results) {
  std::erase_if(results.histograms, [](const auto& each) { return is_never_stored(each.first); });
  std::erase_if(results.counts, [](const auto& each) { return is_never_stored(each.first); });
  std::erase_if(results.weights, [](const histograms::Histogram& each) {
    const std::vector<std::string>& names = each.axes.front().names();
    return std::any_of(names.begin(), names.end(), is_never_stored);
  });
  return results;
}

}  // namespace skimline::skims
