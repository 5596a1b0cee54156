// SPDX-License-Identifier: BSD-3-Clause
// Some slices of a source as a source.
#pragma once

#include "skimline/framework/source.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace skimline::skims {

/// Slices of a source as a source of their own. Entries keep their numbers.
class SliceGroup : public Source {
 public:
  /// Of the slices `read` of `whole`, which rise, those numbered [first, first + count). Slices that `read`
  /// has not are never read. Both must outlive the group.
  SliceGroup(Source& whole, const std::vector<std::size_t>& read, std::size_t first, std::size_t count)
      : whole_(whole), read_(read), first_(first) {
    for (std::size_t i = first; i < first + count; ++i) slices_.push_back(whole.slices()[read[i]]);
    for (const EntryRange& slice : slices_) num_entries_ += slice.count;
  }

  const Schema& schema() const override { return whole_.schema(); }
  std::uint64_t num_entries() const override { return num_entries_; }
  const std::vector<EntryRange>& slices() const override { return slices_; }
  std::size_t cluster_of(std::size_t slice) const override {
    return whole_.cluster_of(read_[first_ + slice]);
  }
  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) override {
    if (reads_all()) whole_.read_ahead(columns, first_ + first_slice);
  }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override {
    if (!reads_all()) pass_others(first_ + slice);
    return whole_.open_slice(read_[first_ + slice]);
  }
  std::uint64_t stored_bytes(std::size_t column) const override { return whole_.stored_bytes(column); }
  ReadStatistics statistics() const override { return whole_.statistics(); }

 private:
  bool reads_all() const { return read_.size() == whole_.slices().size(); }

  // A cluster keeps its pages until all its slices were opened and closed: those that nobody reads are, too,
  // with the one behind them, or the last one of the cluster.
  void pass_others(std::size_t number) {
    const std::size_t here = read_[number], cluster = whole_.cluster_of(here);
    const auto is_of_cluster = [&](std::size_t slice) { return whole_.cluster_of(slice) == cluster; };
    const std::size_t begin = number == 0 ? 0 : read_[number - 1] + 1;
    for (std::size_t slice = here; slice > begin && is_of_cluster(slice - 1); --slice)
      whole_.open_slice(slice - 1);
    if (number + 1 < read_.size() && is_of_cluster(read_[number + 1])) return;
    for (std::size_t slice = here + 1; slice < whole_.slices().size() && is_of_cluster(slice); ++slice)
      whole_.open_slice(slice);
  }

  Source& whole_;
  const std::vector<std::size_t>& read_;
  std::size_t first_;
  std::vector<EntryRange> slices_;
  std::uint64_t num_entries_ = 0;
};

}  // namespace skimline::skims
