// SPDX-License-Identifier: BSD-3-Clause
#include "terminal_width.h"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace skimline::skims {

std::size_t terminal_width(std::size_t most) {
  constexpr std::size_t kUsualColumns = 100;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return std::min<std::size_t>(size.ws_col - std::size_t{1}, most);
}

}  // namespace skimline::skims
