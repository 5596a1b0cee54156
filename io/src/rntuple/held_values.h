// SPDX-License-Identifier: BSD-3-Clause
// What many files have alike, found again for as long as somebody holds it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace skimline::io {

/// Values that are held by nobody are forgotten. Thread-safe.
template <typename T>
class HeldValues {
 public:
  /// Returns one for which `is_wanted(value)` holds, or null.
  template <typename IsWanted>
  std::shared_ptr<const T> find(IsWanted is_wanted) const {
    const std::lock_guard lock(mutex_);
    return found(is_wanted);
  }

  /// Returns one for which `is_wanted(value)` holds: `value`, unless somebody was quicker.
  template <typename IsWanted>
  std::shared_ptr<const T> add(std::shared_ptr<const T> value, IsWanted is_wanted) {
    const std::lock_guard lock(mutex_);
    if (auto known = found(is_wanted)) return known;
    std::erase_if(held_, [](const std::weak_ptr<const T>& each) { return each.expired(); });
    // Files that all differ would be compared with each other.
    if (held_.size() < kMost) held_.push_back(value);
    return value;
  }

 private:
  static constexpr std::size_t kMost = 16;

  template <typename IsWanted>
  std::shared_ptr<const T> found(IsWanted is_wanted) const {
    for (const std::weak_ptr<const T>& each : held_)
      if (auto known = each.lock(); known && is_wanted(*known)) return known;
    return nullptr;
  }

  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<const T>> held_;
};

}  // namespace skimline::io
