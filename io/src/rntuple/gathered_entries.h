// SPDX-License-Identifier: BSD-3-Clause
// The surviving entries of one slice on their way to the cluster under construction.
#pragma once

#include "rntuple/page_fetcher.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace skimline::io {

/// A page of the source, fetched but perhaps not decoded: it can become a page of the output as it is.
/// Thread-safe.
class SourcePage {
 public:
  SourcePage(PageFetcher fetcher, std::shared_ptr<ClusterPages> pages, Claim claim)
      : fetcher_(fetcher), pages_(std::move(pages)), claim_(std::move(claim)) {}

  const PageInfo& info() const { return claim_.info(); }

  /// ROOT's number, as the page list says of the column.
  std::uint32_t compression() const { return claim_.layout->range->compression; }

  /// The stored bytes with their checksum, which is verified. Throws FileError.
  std::span<const std::byte> stored() const;

  /// The elements, decoded at the first call. Throws FileError.
  const std::byte* elements() const;

 private:
  PageFetcher fetcher_;
  std::shared_ptr<ClusterPages> pages_;  // owns the layout the claim points to
  Claim claim_;
};

/// Consecutive elements of a column: copied ones, or some of a page of the source.
struct Piece {
  std::uint64_t count = 0;
  std::shared_ptr<const SourcePage> page;  ///< none for copied elements
  std::uint64_t begin = 0;                 ///< in the page
  std::uint64_t subtract = 0;              ///< of ends in a page: to count from the first entry gathered
};

/// Leaves new elements of a vector as they are in memory: all are written before they are read.
template <typename T>
struct Unfilled : std::allocator<T> {
  template <typename U, typename... Values>
  void construct(U* place, Values&&... values) {
    if constexpr (sizeof...(Values) == 0)
      ::new (static_cast<void*>(place)) U;
    else
      ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }
};

using ElementBytes = std::vector<std::byte, Unfilled<std::byte>>;
using CollectionEnds = std::vector<std::uint64_t, Unfilled<std::uint64_t>>;

/// Vectors that are used again once nobody has them any more, up to so many bytes that lie idle. Thread-safe.
template <typename Vector>
class VectorPool : public std::enable_shared_from_this<VectorPool<Vector>> {
 public:
  explicit VectorPool(std::size_t max_idle_bytes) : max_idle_bytes_(max_idle_bytes) {}

  /// Returns an empty one.
  std::shared_ptr<Vector> take() {
    std::unique_ptr<Vector> taken;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        taken = std::move(idle_.back());
        idle_.pop_back();
        idle_bytes_ -= bytes_of(*taken);
      } else {
        idle_.reserve(num_made_ + 1);  // giving back takes no memory, of which there may be none then
        ++num_made_;
      }
    }
    if (!taken) taken = std::make_unique<Vector>();
    return {taken.release(), [pool = this->shared_from_this()](Vector* done) { pool->give_back(done); }};
  }

 private:
  static std::size_t bytes_of(const Vector& vector) {
    return vector.capacity() * sizeof(typename Vector::value_type);
  }

  void give_back(Vector* done) noexcept {
    std::unique_ptr<Vector> vector(done);
    vector->clear();
    const std::lock_guard lock(mutex_);
    const std::size_t bytes = bytes_of(*vector);
    if (idle_bytes_ + bytes > max_idle_bytes_) {
      --num_made_;
      return;
    }
    idle_bytes_ += bytes;
    idle_.push_back(std::move(vector));
  }

  std::mutex mutex_;
  std::size_t max_idle_bytes_;
  std::size_t idle_bytes_ = 0;
  std::size_t num_made_ = 0;  // that are idle or taken
  std::vector<std::unique_ptr<Vector>> idle_;
};

/// Memory of gathered entries, which pages that are cut from them share; each column and level has its own,
/// as slices have about as much of it.
struct GatheredMemory {
  GatheredMemory(std::size_t num_levels, std::size_t num_columns, std::size_t max_idle_bytes);

  std::vector<std::shared_ptr<VectorPool<CollectionEnds>>> ends;    // by level
  std::vector<std::shared_ptr<VectorPool<ElementBytes>>> elements;  // by physical column
};

struct GatheredColumn {
  /// The copied elements. Those of index columns are the ends of their inner level.
  std::shared_ptr<ElementBytes> elements;
  std::vector<Piece> pieces;  ///< in order; none if all elements are copied and need no telling apart
};

/// The elements of a level: how many, and for those made by collections and variants the end of each outer
/// element's share.
struct GatheredLevel {
  std::uint64_t count = 0;
  std::size_t ends_of = 0;  ///< the level that has the ends: another one where they are the same
  std::shared_ptr<CollectionEnds> ends;
  std::uint64_t bytes = 0;  ///< that its columns take in memory
};

struct GatheredEntries {
  std::uint64_t num_entries = 0;
  std::vector<GatheredLevel> levels;
  std::vector<GatheredColumn> columns;
  bool is_whole_slice = false;       ///< every entry survived
  bool ends_source_cluster = false;  ///< the slice is the last of its cluster

  /// Without entries.
  explicit GatheredEntries(const GatheredMemory& memory);
};

}  // namespace skimline::io
