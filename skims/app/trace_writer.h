// SPDX-License-Identifier: BSD-3-Clause
// The timeline of a run, for trace viewers.
#pragma once

#include "skimline/framework/runner.h"

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Collects what the threads of a run did when, for chrome://tracing and ui.perfetto.dev.
class TraceWriter {
 public:
  explicit TraceWriter(std::chrono::steady_clock::time_point start) : start_(start) {}

  /// Thread-safe. `sample` must outlive this.
  void add(std::string_view sample, const StageSpan& span);

  /// Returns the trace as JSON: for each span a complete event ("ph": "X") with times in microseconds since
  /// the start, the stage as its name, the thread of the run as "tid", and "slice" and "sample" as arguments;
  /// ordered by time.
  std::string to_json() const;

 private:
  struct Event {
    std::string_view sample;
    StageSpan span;
  };

  std::chrono::steady_clock::time_point start_;
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

}  // namespace skimline::skims
