// SPDX-License-Identifier: BSD-3-Clause
#include "compression/compression_choice.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace skimline::io {
namespace {

struct Candidate {
  CompressionSetting setting;
  std::uint64_t picoseconds;  // to compress a byte
};

// Cheaper ones first, which are taken of equals. The times are about those of split floats; what they are on
// a machine must not matter.
constexpr Candidate kCandidates[] = {
    {{CompressionAlgorithm::kNone, 0}, 0},
    {{CompressionAlgorithm::kZstd, 1}, 800},
    {{CompressionAlgorithm::kZstd, 5}, 3000},
};

// What it may take to save a byte: 2.5 MB are worth a second.
constexpr std::uint64_t kPicosecondsPerByte = 400'000;

}  // namespace

CompressionSetting choose_compression(std::span<const std::byte> sample) {
  CompressionSetting best{};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::byte> stored;
  for (const Candidate& candidate : kCandidates) {
    stored.clear();
    const std::uint64_t size = compress_block(sample, candidate.setting, stored, BlockChecksum::kElsewhere);
    const std::uint64_t cost = size * kPicosecondsPerByte + sample.size() * candidate.picoseconds;
    if (cost >= least) continue;
    least = cost;
    best = candidate.setting;
  }
  return best;
}

bool may_be_chosen(const CompressionSetting& setting) {
  return std::any_of(std::begin(kCandidates), std::end(kCandidates),
                     [&](const Candidate& candidate) { return candidate.setting == setting; });
}

std::optional<CompressionSetting> choice_numbered(std::uint32_t root_number) {
  for (const Candidate& candidate : kCandidates)
    if (root_number != 0 && static_cast<std::uint32_t>(candidate.setting.root_number()) == root_number)
      return candidate.setting;
  return std::nullopt;
}

}  // namespace skimline::io
