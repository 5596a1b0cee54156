// SPDX-License-Identifier: BSD-3-Clause
// How long a fuzzing test goes on: a second, or SKIMLINE_FUZZ_SECONDS.
#pragma once

#include <chrono>
#include <cstdlib>

namespace skimline::testing {

class FuzzTime {
 public:
  FuzzTime() {
    const char* text = std::getenv("SKIMLINE_FUZZ_SECONDS");
    const double seconds = text ? std::atof(text) : 1;
    end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                  std::chrono::duration<double>(seconds));
  }
  bool is_left() const { return std::chrono::steady_clock::now() < end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace skimline::testing
