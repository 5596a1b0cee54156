// SPDX-License-Identifier: BSD-3-Clause
// Wall and processor time since it was made.
#pragma once

#include <chrono>

#include <sys/resource.h>

namespace skimline::bench {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Of all threads, user and system.
  double processor_seconds() const { return used() - used_before_; }

 private:
  static double used() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double used_before_ = used();
};

}  // namespace skimline::bench
