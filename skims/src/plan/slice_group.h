// SPDX-License-Identifier: BSD-3-Clause
// Some slices of a source as a source.
#pragma once

#include "skimline/framework/source.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace skimline::skims {

/// Consecutive slices of a source as a source of their own. Entries keep their numbers.
class SliceGroup : public Source {
 public:
  /// The slices [first, first + count) of `whole`, which must outlive the group.
  SliceGroup(Source& whole, std::size_t first, std::size_t count)
      : whole_(whole),
        first_(first),
        slices_(whole.slices().begin() + static_cast<std::ptrdiff_t>(first),
                whole.slices().begin() + static_cast<std::ptrdiff_t>(first + count)) {
    for (const EntryRange& slice : slices_) num_entries_ += slice.count;
  }

  const Schema& schema() const override { return whole_.schema(); }
  std::uint64_t num_entries() const override { return num_entries_; }
  const std::vector<EntryRange>& slices() const override { return slices_; }
  std::size_t cluster_of(std::size_t slice) const override { return whole_.cluster_of(first_ + slice); }
  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) override {
    whole_.read_ahead(columns, first_ + first_slice);
  }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override {
    return whole_.open_slice(first_ + slice);
  }
  std::uint64_t stored_bytes(std::size_t column) const override { return whole_.stored_bytes(column); }
  ReadStatistics statistics() const override { return whole_.statistics(); }

 private:
  Source& whole_;
  std::size_t first_;
  std::vector<EntryRange> slices_;
  std::uint64_t num_entries_ = 0;
};

}  // namespace skimline::skims
