// SPDX-License-Identifier: BSD-3-Clause
// A Source over vectors in memory, and sinks and accumulators that collect what they are given.
#pragma once

#include "skimline/framework/accumulator.h"
#include "skimline/framework/sink.h"
#include "skimline/framework/source.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace skimline::testing {

/// One column as bytes, with offsets over all entries if it is jagged. Texts live as long as it does.
struct MemoryColumn {
  ColumnInfo info;
  std::vector<std::byte> values;
  std::vector<std::vector<std::uint32_t>> offsets;  ///< from the outermost on
  std::shared_ptr<const void> texts;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(std::uint64_t slice_entries = 65536) : slice_entries_(slice_entries) {}

  template <typename T>
  MemorySource& add(const std::string& name, const std::vector<T>& values) {
    return add(name, values, {}, values.size());
  }

  template <typename T>
  MemorySource& add(const std::string& name, const std::vector<std::vector<T>>& lists) {
    return add(name, lists, {}, lists.size());
  }

  template <typename T>
  MemorySource& add(const std::string& name, const std::vector<std::vector<std::vector<T>>>& lists) {
    return add(name, lists, {}, lists.size());
  }

  template <typename T>
  MemorySource& add(const std::string& name,
                    const std::vector<std::vector<std::vector<std::vector<T>>>>& lists) {
    return add(name, lists, {}, lists.size());
  }

  /// Adds a column of strings, or of lists of them.
  template <typename Texts>
  MemorySource& add_strings(const std::string& name, const Texts& texts) {
    const auto kept = std::make_shared<const Texts>(texts);
    if constexpr (std::is_same_v<Texts, std::vector<std::string>>) {
      add(name, std::vector<std::string_view>(kept->begin(), kept->end()));
    } else {
      std::vector<std::vector<std::string_view>> lists;
      for (const auto& list : *kept) lists.emplace_back(list.begin(), list.end());
      add(name, lists);
    }
    columns_.back().texts = kept;
    return *this;
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
      std::size_t first_value = first;
      for (int level = 0; level < column.info.type.depth; ++level) {
        view.offsets_at(level) =
            part_of(column.offsets[level], first_value, view.num_elements(level), scratch.offsets_at(level));
        first_value = column.offsets[level][first_value];
      }
      view.values = column.values.data() + first_value * size;
      return view;
    }

    std::string_view file() const override { return {}; }

   private:
    // Offsets first .. first + count, counted from the first of them.
    static const std::uint32_t* part_of(const std::vector<std::uint32_t>& offsets, std::size_t first,
                                        std::size_t count, Buffer& scratch) {
      std::uint32_t* part = scratch.reserve<std::uint32_t>(count + 1);
      for (std::size_t i = 0; i <= count; ++i) part[i] = offsets[first + i] - offsets[first];
      return part;
    }

    MemorySource& source_;
    EntryRange slice_;
  };

  template <typename T>
  MemorySource& add(const std::string& name, const std::vector<T>& values,
                    std::vector<std::vector<std::uint32_t>> offsets, std::uint64_t num_entries) {
    const Type type{scalar_type_of<T>, static_cast<int>(offsets.size())};
    columns_.push_back({{name, type, ""}, bytes_of(values), std::move(offsets), {}});
    return added(num_entries);
  }

  template <typename T>
  MemorySource& add(const std::string& name, const std::vector<std::vector<T>>& lists,
                    std::vector<std::vector<std::uint32_t>> offsets, std::uint64_t num_entries) {
    offsets.emplace_back();
    const std::vector<T> values = joined(lists, offsets.back());
    return add(name, values, std::move(offsets), num_entries);
  }

  template <typename T>
  static std::vector<T> joined(const std::vector<std::vector<T>>& lists,
                               std::vector<std::uint32_t>& offsets) {
    std::vector<T> values;
    offsets.assign(1, 0);
    for (const auto& list : lists) {
      values.insert(values.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::uint32_t>(values.size()));
    }
    return values;
  }

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
  // The numbers of an entry, those of lists of lists in sequence.
  static std::vector<double> row(const ColumnView& column, std::size_t entry) {
    std::size_t first = entry, last = entry + 1;
    for (int level = 0; level < column.type.depth; ++level) {
      first = column.offsets_at(level)[first];
      last = column.offsets_at(level)[last];
    }
    return visit_scalar(column.type.scalar, [&](auto tag) {
      const auto* values = column.data<typename decltype(tag)::type>();
      return std::vector<double>(values + first, values + last);
    });
  }
};

/// Keeps everything written to it as text: `{{1, 2}, {}}`, strings in quotes, Lorentz vectors as their
/// components.
class WritingSink : public Sink {
 public:
  struct WrittenPortion : Portion {
    std::vector<std::vector<std::string>> columns;
  };

  std::unique_ptr<Portion> begin() const override { return std::make_unique<WrittenPortion>(); }
  void append(Portion& portion, const Survivors&, std::span<const ColumnView> batch) const override {
    auto& texts = static_cast<WrittenPortion&>(portion).columns;
    texts.resize(batch.size());
    for (std::size_t c = 0; c < batch.size(); ++c)
      for (std::size_t entry = 0; entry < batch[c].length; ++entry)
        texts[c].push_back(text_of(batch[c], batch[c].type.depth, entry));
  }
  void gather(Portion&, SliceReader&) const override {}
  void stitch(Portion& portion) override {
    auto& texts = static_cast<WrittenPortion&>(portion).columns;
    columns.resize(std::max(columns.size(), texts.size()));
    for (std::size_t c = 0; c < texts.size(); ++c)
      columns[c].insert(columns[c].end(), texts[c].begin(), texts[c].end());
  }
  void seal(Portion&) const override {}
  void commit(Portion&) override {}
  void write(Portion&) override {}
  void finish() override {}

  std::vector<std::vector<std::string>> columns;

 private:
  static std::string text_of(const ColumnView& column, int depth, std::size_t index) {
    if (depth == 0) return text_of_value(column, index);
    const std::uint32_t* offsets = column.offsets_at(column.type.depth - depth);
    std::string text;
    for (std::size_t i = offsets[index]; i < offsets[index + 1]; ++i)
      text += (text.empty() ? "" : ", ") + text_of(column, depth - 1, i);
    return "{" + text + "}";
  }

  static std::string text_of_value(const ColumnView& column, std::size_t index) {
    if (column.type.scalar == ScalarType::kString)
      return '"' + std::string(column.data<std::string_view>()[index]) + '"';
    if (column.type.scalar == ScalarType::kLorentzVector) {
      const LorentzVector& v = column.data<LorentzVector>()[index];
      return "(" + number(v.x) + ", " + number(v.y) + ", " + number(v.z) + "; " + number(v.energy) + ")";
    }
    return visit_scalar(column.type.scalar, [&](auto tag) {
      return number(static_cast<double>(column.data<typename decltype(tag)::type>()[index]));
    });
  }

  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
  }
};

/// Sums its first column and remembers how many values it saw; refuses negative values.
class SummingAccumulator : public Accumulator {
 public:
  std::optional<Refusal> fill(std::size_t, std::span<const ColumnView> columns) override {
    const std::lock_guard lock(mutex_);
    const ColumnView& column = columns[0];
    for (std::size_t i = 0; i < column.length; ++i) {
      const double value = visit_scalar(column.type.scalar, [&](auto tag) {
        return static_cast<double>(column.data<typename decltype(tag)::type>()[column.is_constant ? 0 : i]);
      });
      if (value < 0) return Refusal{i, 0, "a negative value"};
      sum += value;
      ++count;
    }
    return std::nullopt;
  }

  double sum = 0;
  std::uint64_t count = 0;

 private:
  std::mutex mutex_;
};

}  // namespace skimline::testing
