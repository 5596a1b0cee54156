// SPDX-License-Identifier: BSD-3-Clause
// A Source over vectors in memory, and sinks and accumulators that collect what they are given.
#pragma once

#include "skimline/framework/accumulator.h"
#include "skimline/framework/sink.h"
#include "skimline/framework/source.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace skimline::testing {

/// One column as bytes, with offsets over all entries if it is jagged.
struct MemoryColumn {
  ColumnInfo info;
  std::vector<std::byte> values;
  std::vector<std::uint32_t> offsets;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(std::uint64_t slice_entries = 65536) : slice_entries_(slice_entries) {}

  template <typename T>
  MemorySource& add(const std::string& name, const std::vector<T>& values) {
    columns_.push_back({{name, flat(scalar_type_of<T>), ""}, bytes_of(values), {}});
    return added(values.size());
  }

  template <typename T>
  MemorySource& add(const std::string& name, const std::vector<std::vector<T>>& lists) {
    std::vector<T> values;
    std::vector<std::uint32_t> offsets{0};
    for (const auto& list : lists) {
      values.insert(values.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::uint32_t>(values.size()));
    }
    columns_.push_back({{name, jagged(scalar_type_of<T>), ""}, bytes_of(values), offsets});
    return added(lists.size());
  }

  const Schema& schema() const override { return schema_; }
  std::uint64_t num_entries() const override { return num_entries_; }
  const std::vector<EntryRange>& slices() const override { return slices_; }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override {
    return std::make_unique<Reader>(*this, slices_[slice]);
  }
  std::uint64_t stored_bytes(std::size_t) const override { return 0; }
  ReadStatistics statistics() const override { return {}; }

  /// Names of the columns loaded for a slice, by slice.
  std::set<std::string> loaded(std::size_t slice) {
    const std::lock_guard lock(mutex_);
    return loaded_[slices_[slice].first];
  }

 private:
  class Reader : public SliceReader {
   public:
    Reader(MemorySource& source, EntryRange slice) : source_(source), slice_(slice) {}

    void load(std::span<const std::size_t> columns) override {
      const std::lock_guard lock(source_.mutex_);
      for (const std::size_t column : columns)
        source_.loaded_[slice_.first].insert(source_.columns_[column].info.name);
    }

    ColumnView view(std::size_t index, EntryRange range, ColumnBuffer& scratch) override {
      const MemoryColumn& column = source_.columns_[index];
      const std::size_t first = slice_.first + range.first;
      const std::size_t size = size_of(column.info.type.scalar);
      ColumnView view{column.info.type, range.count, column.values.data() + first * size, nullptr, false};
      if (!column.info.type.is_jagged()) return view;
      std::uint32_t* offsets = scratch.offsets.reserve<std::uint32_t>(range.count + 1);
      for (std::size_t i = 0; i <= range.count; ++i)
        offsets[i] = column.offsets[first + i] - column.offsets[first];
      view.values = column.values.data() + column.offsets[first] * size;
      view.offsets = offsets;
      return view;
    }

    std::string_view file() const override { return {}; }

   private:
    MemorySource& source_;
    EntryRange slice_;
  };

  template <typename T>
  static std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = values[i];
      std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof(T), bytes.data() + i * sizeof(T));
    }
    return bytes;
  }

  MemorySource& added(std::uint64_t num_entries) {
    schema_.add(columns_.back().info);
    num_entries_ = num_entries;
    slices_.clear();
    for (std::uint64_t first = 0; first < num_entries; first += slice_entries_)
      slices_.push_back({first, std::min(slice_entries_, num_entries - first)});
    return *this;
  }

  std::uint64_t slice_entries_;
  std::uint64_t num_entries_ = 0;
  Schema schema_;
  std::vector<MemoryColumn> columns_;
  std::vector<EntryRange> slices_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::set<std::string>> loaded_;
};

/// Keeps everything written to it, as doubles, one list per entry (flat columns: one value).
class CollectingSink : public Sink {
 public:
  using Rows = std::vector<std::vector<double>>;
  struct CollectedPortion : Portion {
    std::vector<Rows> columns;
  };

  std::unique_ptr<Portion> begin() const override { return std::make_unique<CollectedPortion>(); }
  void append(Portion& portion, const Survivors&, std::span<const ColumnView> batch) const override {
    auto& rows = static_cast<CollectedPortion&>(portion).columns;
    rows.resize(batch.size());
    for (std::size_t c = 0; c < batch.size(); ++c)
      for (std::size_t entry = 0; entry < batch[c].length; ++entry) rows[c].push_back(row(batch[c], entry));
  }
  void gather(Portion&, SliceReader&) const override {}
  void stitch(Portion& portion) override {
    auto& rows = static_cast<CollectedPortion&>(portion).columns;
    if (columns.size() < rows.size()) columns.resize(rows.size());
    for (std::size_t c = 0; c < rows.size(); ++c)
      columns[c].insert(columns[c].end(), rows[c].begin(), rows[c].end());
  }
  void seal(Portion&) const override {}
  void commit(Portion&) override {}
  void write(Portion&) override {}
  void finish() override {}

  std::vector<Rows> columns;

 private:
  static std::vector<double> row(const ColumnView& column, std::size_t entry) {
    const bool is_list = column.type.is_jagged();
    const std::size_t first = is_list ? column.offsets[entry] : entry;
    const std::size_t last = is_list ? column.offsets[entry + 1] : entry + 1;
    return visit_scalar(column.type.scalar, [&](auto tag) {
      const auto* values = column.data<typename decltype(tag)::type>();
      return std::vector<double>(values + first, values + last);
    });
  }
};

/// Sums its first column and remembers how many values it saw; refuses negative values.
class SummingAccumulator : public Accumulator {
 public:
  std::ptrdiff_t fill(std::size_t, std::span<const ColumnView> columns) override {
    const std::lock_guard lock(mutex_);
    const ColumnView& column = columns[0];
    for (std::size_t i = 0; i < column.length; ++i) {
      const double value = visit_scalar(column.type.scalar, [&](auto tag) {
        return static_cast<double>(column.data<typename decltype(tag)::type>()[column.is_constant ? 0 : i]);
      });
      if (value < 0) return static_cast<std::ptrdiff_t>(i);
      sum += value;
      ++count;
    }
    return -1;
  }

  double sum = 0;
  std::uint64_t count = 0;

 private:
  std::mutex mutex_;
};

}  // namespace skimline::testing
