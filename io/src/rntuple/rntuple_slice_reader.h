// SPDX-License-Identifier: BSD-3-Clause
// Reads the columns of one slice of an RNTuple.
#pragma once

#include "columns/column_default.h"
#include "columns/read_ahead.h"
#include "rntuple/open_ntuple.h"
#include "rntuple/slice_elements.h"

#include "skimline/framework/source.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace skimline::io {

/// What a reader needs of its source.
struct SliceContext {
  PageFetcher fetcher;
  const OpenNTuple& file;
  std::string_view file_name;
  const std::map<std::size_t, ColumnDefault>& defaults;  ///< by column number of the source
  std::atomic<bool>* is_loaded = nullptr;   ///< by column number of the source: set once it is loaded
  LoadedStreams* loaded_streams = nullptr;  ///< told when the slice is closed
};

class RNTupleSliceReader : public SliceReader {
 public:
  /// `on_close` is called when the reader is gone.
  RNTupleSliceReader(SliceContext context, std::shared_ptr<ClusterPages> pages, std::size_t slice,
                     std::function<void()> on_close);
  ~RNTupleSliceReader() override;

  void load(std::span<const std::size_t> columns) override;
  void prepare(std::span<const std::size_t> columns, EntryRange range) override;
  ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) override;

  std::string_view file() const override { return context_.file_name; }
  StoredSlice* stored() override { return &stored_; }

 private:
  // Lists of a run of elements of an index stream: their ends, counted from the first value.
  struct Lists {
    ElementRange run;
    Buffer memory;
    const std::uint32_t* offsets = nullptr;
    std::uint64_t first_value = 0;

    ElementRange values() const { return {first_value, first_value + offsets[run.size()]}; }
  };
  // What is known of an index stream.
  struct ListsOfStream {
    std::optional<ElementRange> values;  // what the lists of the slice hold
    Lists viewed;                        // the last ones
  };
  // How far loading a column has come: the elements of the slice at one of its levels.
  struct Descent {
    const FieldColumn& column;
    ElementRange run;
    std::size_t next_level = 0;
    bool is_below_ends = false;
  };

  bool is_index(std::size_t stream) const { return context_.fetcher.streams[stream].is_index; }
  ElementRange elements_of(EntryRange range) const;
  std::optional<std::size_t> descend(Descent& descent) const;
  bool enter_lists(Descent& descent, std::size_t index) const;
  ElementRange elements_of_arrays(const FieldColumn& column, ElementRange arrays, std::uint64_t size) const;
  void find_values(std::size_t index, ElementRange run);
  bool load_next(std::vector<Descent>& descents);

  static void check_loaded(bool is_loaded, const FieldColumn& column);
  ElementRange values_of(const FieldColumn& column, EntryRange range);
  const Lists& lists(std::size_t index, const FieldColumn& column, ElementRange run);
  void make_lists(std::size_t stream, ElementRange run);
  const std::uint32_t* arrays(const FieldColumn& column, std::uint64_t size, ElementRange run,
                              Buffer& scratch) const;
  static const void* counts(const FieldColumn& column, const Lists& lists, Buffer& scratch);
  const void* strings(const FieldColumn& column, const Lists& lists, Buffer& scratch) const;

  SliceContext context_;
  StoredSlice stored_;
  std::function<void()> on_close_;
  std::vector<ListsOfStream> lists_;  // by stream
  Buffer ends_;
};

}  // namespace skimline::io
