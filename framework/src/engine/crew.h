// SPDX-License-Identifier: BSD-3-Clause
// The threads that perform the tasks of several passes.
#pragma once

#include "engine/pass.h"

#include "skimline/framework/planned_pass.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <oneapi/tbb/task_group.h>

namespace skimline {

/// Performs the tasks of passes, those of the earliest first. A thread for which there is nothing now leaves
/// the crew, and is called up again when there is; it never waits.
class Crew {
 public:
  /// `num_threads` is how many there are at most.
  Crew(std::vector<PlannedPass> planned, std::size_t num_threads);

  /// Works in the caller's arena until all passes are complete. Throws what completing one throws.
  void work_to_end();

 private:
  void fetch_ahead();
  Pass& pass(std::size_t number);
  bool can_complete();
  template <typename Use>
  bool use_first(Use use);
  bool has_next();
  void call_up();
  void work();
  bool work_once(std::size_t thread, std::unique_lock<std::mutex>& lock);
  void complete_first(std::unique_lock<std::mutex>& lock);

  std::vector<PlannedPass> planned_;
  std::vector<std::unique_ptr<Pass>> passes_;  // those that were begun and are not complete
  const std::size_t num_threads_;
  std::mutex mutex_;
  std::size_t first_ = 0;  // that is not complete
  bool is_completing_ = false;
  std::size_t num_working_ = 0;
  std::exception_ptr fault_;
  oneapi::tbb::task_group group_;
};

}  // namespace skimline
