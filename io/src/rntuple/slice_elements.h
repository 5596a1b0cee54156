// SPDX-License-Identifier: BSD-3-Clause
// One slice of an RNTuple as it is stored: elements of its columns, and the pages that hold them.
#pragma once

#include "rntuple/cluster_pages.h"
#include "rntuple/element_range.h"
#include "rntuple/gathered_entries.h"
#include "rntuple/page_fetcher.h"

#include "skimline/framework/source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// Elements of a stream.
struct ElementsWanted {
  std::size_t stream = 0;
  ElementRange elements;
};

/// What is loaded of a slice. Used by one thread at a time.
class SliceElements {
 public:
  /// `file` is the number of the file in the source.
  SliceElements(PageFetcher fetcher, std::size_t file, std::shared_ptr<ClusterPages> pages,
                std::size_t slice);

  const PageFetcher& fetcher() const { return fetcher_; }
  std::size_t file_number() const { return file_; }
  /// The slice, counted from the start of the cluster.
  EntryRange entries() const { return pages_->slice(slice_); }
  std::uint64_t entries_in_cluster() const;

  std::size_t stored_as(std::size_t stream) const { return pages_->stored_as(stream); }
  std::uint64_t num_elements(std::size_t stream) const { return pages_->layout(stream).num_elements(); }

  /// An error about the content of a column in the cluster.
  FileError error(std::size_t stream, const std::string& problem) const;

  /// Fetches the pages of elements in as few reads as possible and, if asked, decodes them. Throws FileError
  /// if there are no such elements.
  void load(std::span<const ElementsWanted> wanted, bool decodes);
  /// The same for what lists hold, each stream once: ends are decoded, and what was loaded of the streams is
  /// forgotten.
  void load_lists(std::span<const ElementsWanted> wanted);

  bool is_loaded(std::size_t stream) const { return loaded_[stream].has_value(); }
  /// Which streams are loaded.
  std::vector<bool> loaded_streams() const;
  /// What was loaded of a stream.
  const ElementPages& elements_of(std::size_t stream) const { return loaded_[stream].value().pages; }

  /// Decodes the pages of loaded elements together with other threads that need the same.
  void decode(std::span<const ElementsWanted> wanted) const;

  /// Returns loaded elements that lie together in memory, decoded; nullptr if they do not.
  const std::byte* in_one_page(std::size_t stream, ElementRange run) const;
  /// Decodes and copies loaded elements.
  void copy(std::size_t stream, ElementRange run, std::byte* to) const;
  /// Returns loaded elements, decoded, in their page or copied into `scratch`.
  const void* together(std::size_t stream, ElementRange run, Buffer& scratch) const;

  /// Copies elements that are decoded.
  static void copy_decoded(std::size_t size, const ElementPages& from, ElementRange run, std::byte* to);
  /// The end of the list before the element number `element` of a decoded index column.
  static std::uint64_t end_before(const ElementPages& index, std::uint64_t element);

  /// Decodes one page, by its number in the column, and returns its elements.
  const std::byte* decoded_page(std::size_t stream, const ElementPages& from, std::size_t page) const;
  std::shared_ptr<const SourcePage> source_page(std::size_t stream, const ElementPages& from,
                                                std::size_t page) const;

  /// Forgets all that was loaded.
  void release() { loaded_.clear(); }

 private:
  struct Loaded {
    ElementPages pages;
    bool is_decoded = false;  // all of it; pages of values are decoded when they are viewed
  };
  using Acquired = std::vector<std::pair<std::size_t, ElementPages>>;  // by stream
  enum class Decodes { kNothing, kIndexes, kEverything };

  std::vector<ElementsWanted> with_loaded(std::span<const ElementsWanted> wanted) const;
  bool has(const ElementsWanted& wanted) const;
  void check_available(const ElementsWanted& wanted) const;
  ElementRange with_end_before(const ElementsWanted& lists) const;
  void fetch(Acquired&& acquired, std::vector<Claim> claims, Decodes decodes);
  static void add_pages(std::size_t stream, const ElementPages& from, ElementRange run,
                        std::vector<Claim>& pages);
  void decode_pages(std::span<const Claim> pages) const;

  PageFetcher fetcher_;
  std::size_t file_;
  std::shared_ptr<ClusterPages> pages_;
  std::size_t slice_;
  std::vector<std::optional<Loaded>> loaded_;  // by stream
};

}  // namespace skimline::io

namespace skimline {

/// What SliceReader::stored() gives of an RNTuple.
class StoredSlice : public io::SliceElements {
 public:
  using SliceElements::SliceElements;
};

}  // namespace skimline
