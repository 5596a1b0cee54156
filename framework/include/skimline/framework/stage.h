// SPDX-License-Identifier: BSD-3-Clause
// What threads do with slices, and when.
#pragma once

#include <chrono>
#include <cstddef>

namespace skimline {

/// What a thread does with a slice, in this order.
enum class Stage { kEvaluate, kStitch, kSeal, kCommit, kWrite };
inline constexpr std::size_t kNumStages = 5;

/// One stage of one slice on one thread. Evaluating includes reading and decoding.
struct StageSpan {
  Stage stage = Stage::kEvaluate;
  std::size_t slice = 0;
  int thread = 0;  ///< of the run, from 0
  std::chrono::steady_clock::time_point begin, end;
};

}  // namespace skimline
