// SPDX-License-Identifier: BSD-3-Clause
// Finding keys among many without looking at all.
#pragma once

#include "skimline/skims/diagnostics.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::skims {

/// Finds keys of an object without looking at all of them. It belongs to one list of keys, which may only
/// grow unless the index is told to forget it; a copy begins empty. Not thread-safe.
class KeyIndex {
 public:
  KeyIndex() = default;
  KeyIndex(const KeyIndex&) {}
  KeyIndex(KeyIndex&&) noexcept = default;
  KeyIndex& operator=(const KeyIndex&) {
    forget();
    return *this;
  }
  KeyIndex& operator=(KeyIndex&&) noexcept = default;
  ~KeyIndex() = default;

  /// Returns the number of the first key that is `key`, or the number of keys.
  std::size_t find(const std::vector<Text>& keys, std::string_view key);

  void forget() { numbers_.reset(); }

  /// How many keys the calling thread has compared so far: what tests count.
  static std::uint64_t num_comparisons();

 private:
  using Numbers = std::unordered_multimap<std::size_t, std::size_t>;
  std::unique_ptr<Numbers> numbers_;  // of keys, by their hashes
};

}  // namespace skimline::skims
