// SPDX-License-Identifier: BSD-3-Clause
// Slices that wait for a stage.
#pragma once

#include "skimline/framework/sink.h"

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace skimline {

/// A slice on its way through the stages.
struct SliceInFlight {
  std::size_t slice = 0;
  std::vector<std::unique_ptr<Portion>> portions;  ///< by sink
};

/// Gives the earliest slice first: of a stage that is in order only the next one, and that only while no
/// other is in the stage. Used by one thread at a time.
class StageQueue {
 public:
  explicit StageQueue(bool is_in_order) : is_in_order_(is_in_order) {}

  void add(std::unique_ptr<SliceInFlight> slice) {
    const std::size_t number = slice->slice;
    waiting_.emplace(number, std::move(slice));
  }
  bool has_next() const {
    return !waiting_.empty() && (!is_in_order_ || (!is_busy_ && waiting_.begin()->first == next_));
  }
  /// The caller must leave() the stage.
  std::unique_ptr<SliceInFlight> take() {
    is_busy_ = true;
    return std::move(waiting_.extract(waiting_.begin()).mapped());
  }
  /// Forgets those that wait from a slice on; returns their numbers.
  std::vector<std::size_t> drop_from(std::size_t slice) {
    std::vector<std::size_t> dropped;
    for (auto each = waiting_.lower_bound(slice); each != waiting_.end(); each = waiting_.erase(each))
      dropped.push_back(each->first);
    return dropped;
  }
  void leave() {
    is_busy_ = false;
    ++next_;
  }

 private:
  bool is_in_order_;
  bool is_busy_ = false;
  std::size_t next_ = 0;
  std::map<std::size_t, std::unique_ptr<SliceInFlight>> waiting_;
};

}  // namespace skimline
