// SPDX-License-Identifier: BSD-3-Clause
#include "plan/chosen_entries.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace skimline::skims {
namespace {

using Entries = std::vector<std::uint64_t>;

constexpr const char* kFunction = "is_chosen_entry_";

// As many as are evaluated together: pages are decoded for these at the least.
constexpr std::uint64_t kSmallSlice = 4096;

// Most calls are for entries that follow each other, of which few were chosen.
ExternalFunction is_chosen(std::shared_ptr<const Entries> chosen) {
  ElementFunction function;
  function.parameters = {ScalarType::kUInt64};
  function.result = ScalarType::kBool;
  function.call = [chosen = std::move(chosen)](std::size_t count, const void* const* arguments,
                                               void* results) {
    const std::span entries(static_cast<const std::uint64_t*>(arguments[0]), count);
    const std::span is_in(static_cast<bool*>(results), count);
    auto next = chosen->begin();
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0 || entries[i] < entries[i - 1])
        next = std::lower_bound(chosen->begin(), chosen->end(), entries[i]);
      while (next != chosen->end() && *next < entries[i]) ++next;
      is_in[i] = next != chosen->end() && *next == entries[i];
    }
  };
  return {kFunction, std::move(function)};
}

std::uint64_t num_blocks(std::span<const std::uint64_t> chosen, std::uint64_t size) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) count += i == 0 || chosen[i] / size != chosen[i - 1] / size;
  return count;
}

std::string outside_text(const Sample& sample, std::uint64_t entry, const std::vector<EntryRange>& slices) {
  const std::string has = slices.empty() ? "has none"
                                         : "has the entries from " + std::to_string(slices.front().first) +
                                               " to " + std::to_string(slices.back().end() - 1);
  return "entry " + std::to_string(entry) + " is asked for, but the sample \"" + sample.name.value + "\" " +
         has;
}

}  // namespace

Config with_chosen_entries(Config config) {
  if (!config.chosen_entries) return config;
  config.on_bad_file = BadFilePolicy::kFail;
  config.external_functions.push_back(is_chosen(config.chosen_entries));
  const Location nowhere{};
  config.select.insert(config.select.begin(),
                       Cut{{"chosen entries", nowhere}, {std::string(kFunction) + "(entry_)", nowhere}});
  return config;
}

std::uint64_t slice_entries_for(std::span<const std::uint64_t> chosen, std::uint64_t usual) {
  if (usual <= kSmallSlice) return usual;
  const std::uint64_t in_small = num_blocks(chosen, kSmallSlice) * kSmallSlice;
  return 2 * in_small <= num_blocks(chosen, usual) * usual ? kSmallSlice : usual;
}

std::vector<std::size_t> slices_to_read(const Config& config, const Sample& sample,
                                        const std::vector<EntryRange>& slices) {
  std::vector<std::size_t> numbers(slices.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (!config.chosen_entries) return numbers;
  const Entries& chosen = *config.chosen_entries;
  const auto is_inside = [&](std::uint64_t entry) {
    return !slices.empty() && entry >= slices.front().first && entry < slices.back().end();
  };
  const auto outside = std::find_if_not(chosen.begin(), chosen.end(), is_inside);
  if (outside != chosen.end()) throw ConfigError(outside_text(sample, *outside, slices));
  std::erase_if(numbers, [&](std::size_t number) {
    const auto next = std::lower_bound(chosen.begin(), chosen.end(), slices[number].first);
    return next == chosen.end() || *next >= slices[number].end();
  });
  return numbers;
}

}  // namespace skimline::skims
