// SPDX-License-Identifier: BSD-3-Clause
#include "base/expansion.h"

#include "base/text_table.h"

#include <algorithm>

namespace skimline::skims {
namespace {

// Values that a file stands for are worth a word from here on: in bytes, and for each byte of the file.
constexpr double kLargeData = 256.0 * 1024 * 1024;
constexpr double kLargeExpansion = 500;
constexpr double kMostBytesShown = 1e18;

}  // namespace

std::optional<std::string> expansion_of(const io::InputFacts& facts) {
  const bool is_large = facts.bytes_in_memory > kLargeData &&
                        facts.bytes_in_memory > kLargeExpansion * static_cast<double>(facts.file_bytes);
  if (!is_large && facts.num_repeated_pages == 0) return std::nullopt;
  std::string text =
      format_bytes(facts.file_bytes) + " for " +
      format_bytes(static_cast<std::uint64_t>(std::min(facts.bytes_in_memory, kMostBytesShown)));
  if (facts.num_repeated_pages > 0)
    text += " with " + format_count(facts.num_repeated_pages) +
            (facts.num_repeated_pages == 1 ? " page" : " pages") + " that several clusters claim";
  return text;
}

}  // namespace skimline::skims
