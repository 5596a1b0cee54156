// SPDX-License-Identifier: BSD-3-Clause
// The decoded pages of one cluster, shared by the slices cut from it.
#pragma once

#include "rntuple/element_range.h"
#include "rntuple/field_columns.h"
#include "rntuple/stored_page.h"
#include "storage/buffer_pool.h"

#include "skimline/framework/source.h"
#include "skimline/io/page_encoding.h"
#include "skimline/io/rntuple_descriptor.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skimline::io {

/// What became of a page, however often it was read.
struct PageUse {
  std::atomic<bool> is_used{false};      ///< decoded or passed
  std::atomic<bool> is_verified{false};  ///< its bytes were compared with a checksum
};

/// One page on its way from storage to memory. Whoever claimed it fetches its stored bytes; any thread that
/// needs it may then decode it, the first to start; the others wait or decode another page meanwhile.
class Page {
 public:
  /// `use` must outlive the page.
  explicit Page(PageUse& use) : use_(use) {}

  /// Hands over the stored bytes, which lie in `memory`; for the one who claimed the page.
  void provide(std::shared_ptr<const BufferPool::Buffer> memory, std::span<const std::byte> stored);
  void fail(std::exception_ptr error);

  /// Returns true to exactly one caller once the bytes are there: it must call set() or fail().
  bool try_start_decoding();
  /// The stored bytes: of a page being decoded, or of one that keeps them.
  std::span<const std::byte> stored() const { return stored_; }
  void set(BufferPool::Buffer elements, bool keeps_stored);
  /// Forgets the stored bytes of a page that was decoded: it will not be copied as it is stored.
  void drop_stored();
  /// The same where the stored bytes are the elements.
  void set_as_stored() { become(kReady); }
  /// Notes that the page is needed, decoded or not.
  void use() { use_.is_used.store(true, std::memory_order_relaxed); }
  void note_verified() { use_.is_verified.store(true, std::memory_order_relaxed); }
  /// Notes that the page is copied as it is stored; returns whether it is the first time.
  bool pass() { return !is_passed_.exchange(true, std::memory_order_relaxed); }

  bool is_pending() const { return state_.load(std::memory_order_acquire) == kPending; }
  bool is_decoded() const { return state_.load(std::memory_order_acquire) == kReady; }
  /// Waits until the stored bytes are there, or fetching them has failed.
  void settle() const { state_.wait(kPending, std::memory_order_acquire); }
  /// Waits until the stored bytes are there. Throws what fetching threw.
  void wait_until_fetched() const;
  /// Waits until the page is decoded. Throws what fetching or decoding threw.
  void wait_until_decoded() const;
  /// The elements of a page that was waited for.
  const std::byte* elements() const { return elements_ ? elements_.get() : stored_.data(); }

 private:
  enum State : int { kPending, kFetched, kDecoding, kReady, kFailed, kDamaged };
  void become(State state);

  PageUse& use_;
  std::atomic<bool> is_passed_{false};
  std::atomic<bool> is_dropped_{false};
  std::atomic<int> state_{kPending};
  std::shared_ptr<const BufferPool::Buffer> memory_;
  std::span<const std::byte> stored_;
  BufferPool::Buffer elements_;
  std::exception_ptr error_;
};

/// Where the elements of one stream are in one cluster. Elements are counted from the start of the cluster.
struct StreamLayout {
  const ColumnRange* range =
      nullptr;  ///< of the representation that is not suppressed; none if nothing is stored
  PageEncoding encoding;
  /// First element of each page, then the end. Elements before the first are zero: the field was added later.
  std::vector<std::uint64_t> begins;

  std::uint64_t first_stored() const { return begins.front(); }
  std::uint64_t num_elements() const { return begins.back(); }
};

/// What a cluster stores of a stream, of the representation that is not suppressed; nullptr for nothing.
/// Throws FormatError if a stream with a fixed number of elements per entry has not as many in the cluster.
const ColumnRange* find_stored(const RNTupleDescriptor& descriptor, const Stream& stream,
                               std::size_t cluster);
/// The same with where each page begins.
StreamLayout find_layout(const RNTupleDescriptor& descriptor, const Stream& stream, std::size_t cluster);

/// How many pages there are, and what they take in the file.
struct PageTotal {
  std::uint64_t count = 0, bytes = 0;
};

/// Pages of one cluster, each counted once although several columns may share it.
class StoredPages {
 public:
  void add(const PageInfo& page) { places_.push_back({page.locator.offset, stored_size(page)}); }
  PageTotal total() &&;

 private:
  std::vector<Locator> places_;
};

/// A page that the holder has to fetch.
struct Claim {
  std::size_t stream = 0;
  const StreamLayout* layout = nullptr;
  std::size_t page = 0;
  std::shared_ptr<Page> target;

  const PageInfo& info() const { return layout->range->pages[page]; }
};

/// Elements of a stream, and the pages that hold those which are stored.
struct ElementPages {
  const StreamLayout* layout = nullptr;
  ElementRange elements;
  std::size_t first_page = 0;
  std::vector<std::shared_ptr<Page>> pages;
};

/// Hands out the pages of one cluster so that each is decoded once, and forgets those that no slice will
/// need. Thread-safe.
class ClusterPages {
 public:
  /// `slices` are the entry ranges of the slices, counted from the start of the cluster.
  ClusterPages(const RNTupleDescriptor& descriptor, const std::vector<Stream>& streams, std::size_t cluster,
               std::vector<EntryRange> slices);

  std::size_t cluster() const { return cluster_; }
  const EntryRange& slice(std::size_t number) const { return slices_[number]; }

  const StreamLayout& layout(std::size_t stream);

  /// Returns the first stream of collection ends whose pages in this cluster are the same bytes of the file
  /// as those of `stream`: writers store equal pages once. Its elements can be used instead, so that they are
  /// decoded once. Where collections decide which elements a slice has, that is `stream` itself.
  std::size_t stored_as(std::size_t stream);

  /// Returns the pages of elements on behalf of a slice; those nobody has claimed yet are added to `claims`
  /// and must be set or failed by the caller.
  ElementPages acquire(std::size_t slice, std::size_t stream, ElementRange elements,
                       std::vector<Claim>& claims);

  /// Adds to `claims` the pages that nobody has claimed yet of those that probably hold the elements of a
  /// slice: of lists it is not known which these are.
  void claim_ahead(std::size_t slice, std::size_t stream, std::vector<Claim>& claims);

  /// Notes that a slice will load nothing more. Returns whether it was the last.
  bool close(std::size_t slice);

  /// Adds the pages that were decoded or passed, and those of them whose bytes were verified.
  void add_used(StoredPages& used, StoredPages& verified);

 private:
  struct Slot {
    std::shared_ptr<Page> page;
    std::uint64_t to_take = 0;  // elements that slices will still ask for
  };
  struct StreamState {
    StreamLayout layout;
    std::vector<Slot> slots;
    std::unique_ptr<PageUse[]> uses;  // by page
    // Slices, and the first elements they asked for; those of closed slices only as the largest.
    std::vector<std::pair<std::size_t, std::uint64_t>> asked;
    std::uint64_t left_behind = 0;
  };
  struct Held {
    StreamState* state;
    std::size_t page;
  };

  StreamState& state(std::size_t stream);
  std::unique_ptr<StreamState> make_state(const Stream& stream) const;
  void claim(std::size_t stream, StreamState& from, std::size_t page, std::vector<Claim>& claims);
  std::uint64_t entries_in_cluster() const { return descriptor_.clusters[cluster_].num_entries; }
  void forget_left_behind();

  const RNTupleDescriptor& descriptor_;
  const std::vector<Stream>& streams_;
  std::size_t cluster_;
  std::vector<EntryRange> slices_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<StreamState>> states_;
  // Streams of collection ends, each stored apart, by the place of their first page.
  std::unordered_multimap<std::uint64_t, std::size_t> distinct_indexes_;
  std::vector<std::size_t> stored_as_;
  std::vector<Held> held_;
  std::vector<bool> is_closed_;
  std::size_t num_closed_ = 0;
  std::size_t closed_prefix_ = 0;
};

}  // namespace skimline::io
