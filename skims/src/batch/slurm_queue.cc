// SPDX-License-Identifier: BSD-3-Clause
#include "batch/slurm_queue.h"

#include <array>
#include <cstdio>
#include <iterator>
#include <sstream>

namespace skimline::skims {

std::optional<std::set<std::string>> jobs_in_slurm() {
  std::FILE* answer = ::popen("squeue --noheader --array --format=%A 2>/dev/null", "r");
  if (!answer) return std::nullopt;
  std::string text;
  for (std::array<char, 4096> some; const std::size_t size = std::fread(some.data(), 1, some.size(), answer);)
    text.append(some.data(), size);
  if (::pclose(answer) != 0) return std::nullopt;
  std::istringstream words(text);
  return std::set<std::string>(std::istream_iterator<std::string>(words), {});
}

}  // namespace skimline::skims
