// SPDX-License-Identifier: BSD-3-Clause
// Reads the columns of one slice of an RNTuple.
#pragma once

#include "columns/column_default.h"
#include "rntuple/cluster_pages.h"
#include "rntuple/gathered_entries.h"
#include "rntuple/page_fetcher.h"

#include "skimline/framework/source.h"

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::io {

/// The place of a column that a file lacks.
inline constexpr std::size_t kDefault = std::numeric_limits<std::size_t>::max();

/// What a reader needs of its file; columns are given by their numbers in the source.
struct SliceContext {
  PageFetcher fetcher;
  std::size_t file = 0;
  const std::vector<FieldColumn>& columns;
  /// Position in `columns` by column number of the source, or kDefault.
  const std::vector<std::size_t>& column_of;
  const std::map<std::size_t, ColumnDefault>& defaults;  ///< by column number of the source
  std::atomic<bool>* is_loaded = nullptr;  ///< by column number of the source: set once it is loaded
};

/// Elements of a stream.
struct ElementsWanted {
  std::size_t stream = 0;
  ElementRange elements;
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

  std::string_view file() const override { return context_.fetcher.file.path(); }

  const PageFetcher& fetcher() const { return context_.fetcher; }
  /// Number of the file in the source.
  std::size_t file_number() const { return context_.file; }
  std::size_t cluster() const { return pages_->cluster(); }
  /// The slice, counted from the start of the cluster.
  EntryRange entries() const { return entries_; }
  std::uint64_t entries_in_cluster() const;

  std::size_t stored_as(std::size_t stream) const { return pages_->stored_as(stream); }
  std::uint64_t num_elements(std::size_t stream) const { return pages_->layout(stream).num_elements(); }

  /// Fetches the pages of elements in as few reads as possible and, if asked, decodes them. Throws FileError
  /// if there are no such elements.
  void load_elements(std::span<const ElementsWanted> wanted, bool decodes);
  /// What was loaded of a stream.
  const ElementPages& elements_of(std::size_t stream) const;

  /// Copies decoded elements.
  void copy_elements(std::size_t size, const ElementPages& from, ElementRange elements, std::byte* to) const;
  /// The end of the list before the element number `element` of a decoded index column.
  std::uint64_t end_before(const ElementPages& index, std::uint64_t element) const;

  /// Decodes one page of a range, by its number in the column, and returns its elements.
  const std::byte* decoded_page(std::size_t stream, const ElementPages& range, std::size_t page) const;
  std::shared_ptr<const SourcePage> source_page(std::size_t stream, const ElementPages& range,
                                                std::size_t page) const;

 private:
  // Lists of a run of elements of an index stream: their ends, counted from the first value.
  struct Lists {
    ElementRange run;
    Buffer memory;
    const std::uint32_t* offsets = nullptr;
    std::uint64_t first_value = 0;

    ElementRange values() const { return {first_value, first_value + offsets[run.size()]}; }
  };
  struct Loaded {
    ElementPages pages;
    bool is_decoded = false;  // all of it; pages of values are decoded when they are viewed
    std::optional<ElementRange>
        values{};   // of index streams: what the lists of the slice hold, once that is known
    Lists lists{};  // of the run viewed last
  };
  // How far loading a column has come: the elements of the slice at one of its levels.
  struct Descent {
    const FieldColumn& column;
    ElementRange run;
    std::size_t next_level = 0;
    bool is_below_ends = false;
  };

  bool is_default(std::size_t column) const { return context_.column_of.at(column) == kDefault; }
  const FieldColumn& field_column(std::size_t column) const;
  std::optional<std::size_t> descend(Descent& descent) const;
  bool enter_lists(Descent& descent, std::size_t index) const;
  ElementRange elements_of_arrays(const FieldColumn& column, ElementRange arrays, std::uint64_t size) const;
  void find_values(std::size_t index, ElementRange run);
  bool load_next(std::vector<Descent>& descents);
  ElementPages acquire(std::size_t stream, ElementRange run, std::vector<Claim>& claims);
  enum class Decodes { kNothing, kIndexes, kEverything };
  void fetch(std::vector<std::pair<std::size_t, ElementPages>> acquired, std::vector<Claim> claims,
             Decodes decodes);
  std::vector<ElementsWanted> with_loaded(std::span<const ElementsWanted> wanted) const;
  static void add_pages(std::size_t stream, const ElementPages& range, ElementRange run,
                        std::vector<Claim>& pages);
  void decode(std::span<const Claim> pages) const;

  Loaded& loaded(std::size_t stream, const FieldColumn& column);
  ElementRange values_of(const FieldColumn& column, EntryRange range);
  const std::byte* in_one_page(std::size_t stream, const ElementPages& from, ElementRange run) const;
  void copy_run(std::size_t stream, const ElementPages& from, ElementRange run, std::byte* to) const;
  const void* elements(std::size_t stream, const ElementPages& from, ElementRange run, Buffer& scratch) const;
  const Lists& lists(std::size_t index, const FieldColumn& column, ElementRange run);
  void make_lists(std::size_t stream, Loaded& index, ElementRange run);
  const std::uint32_t* arrays(const FieldColumn& column, std::uint64_t size, ElementRange run,
                              Buffer& scratch) const;
  static const void* counts(const FieldColumn& column, const Lists& lists, Buffer& scratch);
  const void* strings(const FieldColumn& column, const Lists& lists, Buffer& scratch);

  SliceContext context_;
  std::shared_ptr<ClusterPages> pages_;
  std::size_t slice_;
  EntryRange entries_;  // in the cluster
  std::function<void()> on_close_;
  std::vector<std::optional<Loaded>> loaded_;
  Buffer ends_;
};

}  // namespace skimline::io
