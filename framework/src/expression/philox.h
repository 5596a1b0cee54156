// SPDX-License-Identifier: BSD-3-Clause
// The counter-based generator Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC11 (2011), section 4.3.
#pragma once

#include <array>
#include <cstdint>

namespace skimline {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// 128 random bits that depend on the counter and the key only.
inline PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t kMultipliers[] = {0xD2511F53u, 0xCD9E8D57u};
  constexpr std::uint32_t kKeySteps[] = {0x9E3779B9u, 0xBB67AE85u};
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = kMultipliers[0] * counter[0];
    const std::uint64_t second = kMultipliers[1] * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += kKeySteps[0];
    key[1] += kKeySteps[1];
  }
  return counter;
}

}  // namespace skimline
