// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cells.h"

#include "skimline/histograms/histogram_set.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace skimline::histograms {

/// Where each histogram's cells lie in an arena; fixed before the first fill.
struct ArenaLayout {
  std::vector<std::size_t> offsets;  ///< in bytes, multiples of a cache line
  std::size_t size = 0;

  void add(const HistogramSpec& spec);
};

/// The cells and moments of all histograms for one slot, all zero at first.
class Arena {
 public:
  explicit Arena(const ArenaLayout& layout);

  std::uint64_t* counts(std::size_t id) {
    return reinterpret_cast<std::uint64_t*>(cells_.get() + layout_.offsets[id]);
  }
  WeightedCell* weighted(std::size_t id) {
    return reinterpret_cast<WeightedCell*>(cells_.get() + layout_.offsets[id]);
  }
  Moments& moments(std::size_t id) { return moments_[id]; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  const ArenaLayout& layout_;
  std::unique_ptr<std::byte[], Free> cells_;
  std::vector<Moments> moments_;
};

}  // namespace skimline::histograms
