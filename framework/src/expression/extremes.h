// SPDX-License-Identifier: BSD-3-Clause
// The smallest and the largest of many values.
#pragma once

#include "skimline/framework/instruction_set.h"

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace skimline {

/// Comparisons for first_best: whether the first value is to be preferred.
struct IsSmaller {
  static constexpr bool kSmaller = true;
  template <typename T>
  static bool apply(T candidate, T best) {
    return candidate < best;
  }
};
struct IsLarger {
  static constexpr bool kSmaller = false;
  template <typename T>
  static bool apply(T candidate, T best) {
    return best < candidate;
  }
};

/// Index of the first of `count` values, at least one, that `Better` prefers to all before it, as
/// std::min_element and max_element. NaN is never preferred, and nothing to a NaN that comes first.
template <typename Better, typename T>
std::size_t first_best_one_by_one(const T* values, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < count; ++i)
    if (Better::apply(values[i], values[best])) best = i;
  return best;
}

/// The same for reals, several at a time: finds the best value, then where it is first.
template <typename Better, typename T>
struct FirstBest {
  [[gnu::always_inline]] static inline void run(const T* const& values, const std::size_t& count,
                                                std::size_t* const& result) {
    using Lanes [[gnu::vector_size(32)]] = T;
    constexpr std::size_t kLanes = 32 / sizeof(T);
    const std::size_t num_whole = count / kLanes * kLanes;
    Lanes best;
    std::memcpy(&best, values, sizeof best);
    // Never preferred, it decides only where a lane begins with it.
    const auto is_nan = best != best;
    for (std::size_t i = kLanes; i < num_whole; i += kLanes) {
      Lanes next;
      std::memcpy(&next, values + i, sizeof next);
      if constexpr (Better::kSmaller)
        best = next < best ? next : best;
      else
        best = best < next ? next : best;
    }
    T value = best[0];
    bool has_nan = false;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      has_nan |= is_nan[lane] != 0;
      value = Better::apply(T(best[lane]), value) ? T(best[lane]) : value;
    }
    for (std::size_t i = num_whole; i < count; ++i)
      value = Better::apply(values[i], value) ? values[i] : value;
    *result = has_nan ? first_best_one_by_one<Better>(values, count) : first_equal(values, value);
  }

 private:
  [[gnu::always_inline]] static inline std::size_t first_equal(const T* values, T value) {
    std::size_t i = 0;
    while (values[i] != value) ++i;
    return i;
  }
};

/// From this size on first_best is worth its call.
inline constexpr std::size_t kLongList = 16;

template <typename Better, typename T>
std::size_t first_best(const T* values, std::size_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    if (count >= kLongList) {
      std::size_t best = 0;
      run_kernel<FirstBest<Better, T>>(values, count, &best);
      return best;
    }
  }
  return first_best_one_by_one<Better>(values, count);
}

}  // namespace skimline
