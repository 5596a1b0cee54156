// SPDX-License-Identifier: BSD-3-Clause
// Which slice a thread takes next.
#pragma once

#include <cstddef>
#include <limits>
#include <list>
#include <optional>
#include <vector>

namespace skimline {

/// How far slices that are handed out may be from the first that has not got there.
struct SliceWindow {
  /// From the first that is not stitched: those behind it wait with all that they hold.
  std::size_t before_stitching = std::numeric_limits<std::size_t>::max();
  /// From the first that is not complete.
  std::size_t in_flight = std::numeric_limits<std::size_t>::max();
};

/// Hands out slices, the earliest first as far as that lets each thread stay in a cluster of its own: slices
/// of one cluster share pages, for which threads would wait for each other. Where there are fewer clusters
/// than threads, they divide what is left of one. Used by one thread at a time.
class SliceOrder {
 public:
  /// `clusters` are the numbers of the clusters of the slices, never decreasing.
  SliceOrder(const std::vector<std::size_t>& clusters, std::size_t num_threads, const SliceWindow& window);

  /// Returns the slice that a thread is to take, each slice once; nothing if there is none now.
  std::optional<std::size_t> take(std::size_t thread);
  /// Notes that a slice is stitched, as are all before it.
  void stitched(std::size_t slice) { first_unstitched_ = slice + 1; }
  /// Notes that a slice needs no memory any more.
  void complete(std::size_t slice);

  /// Whether every slice was handed out.
  bool is_exhausted() const { return parts_.empty(); }
  /// Whether take() has a slice for somebody.
  bool has_next() const { return !parts_.empty() && is_available(parts_.front()); }

 private:
  // Slices that follow each other and are taken by one thread.
  struct Part {
    std::size_t next = 0, end = 0;
    bool has_thread = false;
  };

  using Parts = std::list<Part>;

  std::size_t window_end() const;
  bool is_available(const Part& part) const { return part.next < window_end(); }
  Parts::iterator find_part();
  Parts::iterator divide(Parts::iterator part);
  std::size_t take_from(std::size_t thread, Parts::iterator part);

  Parts parts_;                                  // with slices to hand out, in their order
  std::vector<Parts::iterator> part_of_thread_;  // its end if a thread has none
  std::vector<bool> is_complete_;
  SliceWindow window_;
  std::size_t first_unstitched_ = 0;
  std::size_t first_incomplete_ = 0;
};

}  // namespace skimline
