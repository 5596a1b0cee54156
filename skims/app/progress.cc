// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include <iostream>

#include <unistd.h>

namespace skimline::skims {

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (is_shown_) std::cerr << "\r      \r" << std::flush;
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || total == 0 || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  is_shown_ = true;
  std::cerr << "\r" << 100 * done / total << " %" << std::flush;
}

}  // namespace skimline::skims
