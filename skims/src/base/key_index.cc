// SPDX-License-Identifier: BSD-3-Clause
#include "base/key_index.h"

#include <algorithm>
#include <functional>

namespace skimline::skims {
namespace {

// Fewer keys are compared one by one.
constexpr std::size_t kFewKeys = 16;

thread_local std::uint64_t num_compared = 0;

bool is_key(const Text& candidate, std::string_view key) {
  ++num_compared;
  return candidate.value == key;
}

}  // namespace

std::size_t KeyIndex::find(const std::vector<Text>& keys, std::string_view key) {
  if (keys.size() <= kFewKeys) {
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const Text& candidate) { return is_key(candidate, key); });
    return static_cast<std::size_t>(found - keys.begin());
  }
  const std::hash<std::string_view> hash;
  if (!numbers_) numbers_ = std::make_unique<Numbers>();
  for (std::size_t number = numbers_->size(); number < keys.size(); ++number)
    numbers_->emplace(hash(keys[number].value), number);
  std::size_t first = keys.size();
  const auto [begin, end] = numbers_->equal_range(hash(key));
  for (auto at = begin; at != end; ++at)
    if (at->second < first && is_key(keys[at->second], key)) first = at->second;
  return first;
}

std::uint64_t KeyIndex::num_comparisons() { return num_compared; }

}  // namespace skimline::skims
