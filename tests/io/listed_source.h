// SPDX-License-Identifier: BSD-3-Clause
// An InputSource over vectors in memory.
#pragma once

#include "memory_source.h"

#include "skimline/io/input_source.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// One file of a chain. What add() is given has to be complete before it becomes part of one.
class ListedSource : public InputSource {
 public:
  explicit ListedSource(std::string path, DataFormat format = DataFormat::kTTree,
                        std::uint64_t slice_entries = 65536)
      : columns_(slice_entries) {
    files_.push_back({std::move(path), "Events", format, 0, 0, "", 0});
  }

  template <typename Values>
  ListedSource& add(const std::string& name, const Values& values) {
    columns_.add(name, values);
    type_names_.push_back(files_.front().path + ":" + name);
    files_.front().num_entries = columns_.num_entries();
    restriction_ = {0, columns_.num_entries()};
    slices_ = columns_.slices();
    return *this;
  }

  std::vector<UnsupportedField> unsupported;
  std::vector<Collection> listed_collections;
  std::vector<std::string> notes;
  std::vector<TreeAlias> listed_aliases;

  const Schema& schema() const override { return columns_.schema(); }
  std::uint64_t num_entries() const override { return restriction_.count; }
  const std::vector<EntryRange>& slices() const override { return slices_; }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override {
    return std::make_unique<PartReader>(columns_, slices_.at(slice));
  }
  std::uint64_t stored_bytes(std::size_t) const override { return 100; }
  ReadStatistics statistics() const override {
    ReadStatistics statistics;
    statistics.bytes_read = statistics.pages_skipped = 1;
    return statistics;
  }
  const std::vector<InputFacts>& files() const override { return files_; }
  void check_unchanged() const override {}
  const std::vector<std::string>& field_type_names() const override { return type_names_; }
  const std::vector<UnsupportedField>& unsupported_fields() const override { return unsupported; }
  const std::vector<Collection>& collections() const override { return listed_collections; }
  const std::vector<std::string>& columns_nowhere() const override { return none_; }
  const std::vector<std::string>& differences() const override { return notes; }
  std::vector<TreeAlias> aliases() const override { return listed_aliases; }
  FieldSize field_size(const std::string&) const override { return {1, 2, 3}; }
  void restrict_to(EntryRange entries) override {
    restriction_ = entries;
    slices_.clear();
    for (const EntryRange& slice : columns_.slices()) {
      const std::uint64_t first = std::clamp(entries.first, slice.first, slice.end());
      const std::uint64_t end = std::clamp(entries.end(), first, slice.end());
      if (first < end) slices_.push_back({first, end - first});
    }
  }
  Carrying carry(const std::vector<std::string>& names) override { return {nullptr, names}; }
  void expect(const ExpectedReading&) override {}

 private:
  // A part of a slice of MemorySource.
  class PartReader : public SliceReader {
   public:
    PartReader(testing::MemorySource& source, EntryRange entries) {
      std::size_t slice = 0;
      while (source.slices()[slice].end() <= entries.first) ++slice;
      skipped_ = entries.first - source.slices()[slice].first;
      reader_ = source.open_slice(slice);
    }
    void load(std::span<const std::size_t> columns) override { reader_->load(columns); }
    ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) override {
      return reader_->view(column, {range.first + skipped_, range.count}, scratch);
    }
    std::string_view file() const override { return {}; }

   private:
    std::unique_ptr<SliceReader> reader_;
    std::uint64_t skipped_ = 0;
  };

  testing::MemorySource columns_;
  std::vector<InputFacts> files_;
  std::vector<std::string> type_names_, none_;
  std::vector<EntryRange> slices_;
  EntryRange restriction_;
};

}  // namespace skimline::io
