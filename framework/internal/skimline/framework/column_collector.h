// SPDX-License-Identifier: BSD-3-Clause
// A sink that keeps the surviving entries in memory, in order.
#pragma once

#include "skimline/framework/owned_column.h"
#include "skimline/framework/sink.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

namespace skimline {

/// Collects columns over one run or several of them, and gives them away in parts. Runs must not overlap, nor
/// any other call a run; the columns do not depend on the number of threads. Of a run that failed part may
/// have been taken.
class ColumnCollector : public Sink {
 public:
  /// `types` are those of the columns; strings become offsets and bytes. There is at least one column.
  /// `lists` has for each the number of the first column with lists of the same sizes, which may be its own.
  /// Others, which are lists of no strings, are given without offsets: as a flat column of all their values.
  explicit ColumnCollector(const std::vector<Type>& types, std::vector<std::size_t> lists = {});
  ~ColumnCollector() override;

  /// Entries that are held.
  std::uint64_t num_entries() const;
  /// Bytes in memory of the first `count` entries that are held.
  std::uint64_t bytes_of(std::uint64_t count) const;
  /// Gives away the first `count` of the entries, which must be held.
  std::vector<OwnedColumn> take(std::uint64_t count);
  /// Prepares for a run in which at most `more` entries survive. Memory that they do not need is not used.
  void expect(std::uint64_t more);

  std::unique_ptr<Portion> begin() const override;
  void append(Portion& portion, const Survivors& survivors,
              std::span<const ColumnView> columns) const override;
  void gather(Portion&, SliceReader&) const override {}
  void stitch(Portion& portion) override;
  void seal(Portion&) const override {}
  void commit(Portion&) override {}
  void write(Portion& portion) override;
  void finish() override {}

 private:
  class Part;

  bool has_lists_of_another(std::size_t column) const { return !lists_.empty() && lists_[column] != column; }
  std::uint64_t position(std::size_t column, std::uint64_t entry) const;
  std::vector<OwnedColumn> copies(std::uint64_t first, std::uint64_t count) const;

  std::vector<std::size_t> lists_;
  std::vector<Type> types_;  // as they are kept
  std::vector<OwnedColumn> columns_;
  std::uint64_t num_taken_ = 0;  // entries at the start of the columns that are given away already
  // Held together by those who copy into the columns, alone by who moves their memory.
  mutable std::shared_mutex memory_;
  // Memory of portions, used again for later slices.
  mutable std::mutex idle_mutex_;
  mutable std::vector<std::vector<OwnedColumn>> idle_;
};

}  // namespace skimline
