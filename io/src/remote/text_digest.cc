// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/text_digest.h"

#include <cinttypes>
#include <cstdio>

#include <xxhash.h>

namespace skimline::io {

std::string text_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64, static_cast<std::uint64_t>(hash.high64),
                static_cast<std::uint64_t>(hash.low64));
  return digits;
}

}  // namespace skimline::io
