// SPDX-License-Identifier: BSD-3-Clause
#include "engine/slice_order.h"

#include <algorithm>

namespace skimline {

SliceOrder::SliceOrder(const std::vector<std::size_t>& clusters, std::size_t num_threads,
                       const SliceWindow& window)
    : is_complete_(clusters.size()), window_(window) {
  for (std::size_t slice = 0; slice < clusters.size(); ++slice) {
    if (slice == 0 || clusters[slice] != clusters[slice - 1]) parts_.push_back({slice, slice});
    parts_.back().end = slice + 1;
  }
  part_of_thread_.assign(num_threads, parts_.end());
}

// A slice that ends early is complete without being stitched.
std::size_t SliceOrder::window_end() const {
  const std::size_t all = is_complete_.size();
  const std::size_t first_waiting = std::max(first_unstitched_, first_incomplete_);
  return std::min(first_waiting + std::min(window_.before_stitching, all),
                  first_incomplete_ + std::min(window_.in_flight, all));
}

std::optional<std::size_t> SliceOrder::take(std::size_t thread) {
  if (!has_next()) return std::nullopt;
  const auto own = part_of_thread_[thread];
  if (own != parts_.end() && is_available(*own)) return take_from(thread, own);
  return take_from(thread, find_part());
}

// The first part without a thread, else what is left of the first one.
SliceOrder::Parts::iterator SliceOrder::find_part() {
  for (auto part = parts_.begin(); part != parts_.end() && is_available(*part); ++part)
    if (!part->has_thread) return part;
  return divide(parts_.begin());
}

// Returns the second half of what can be taken of a part now, and what follows.
SliceOrder::Parts::iterator SliceOrder::divide(Parts::iterator part) {
  const std::size_t available = std::min(part->end, window_end()) - part->next;
  const std::size_t middle = part->next + available / 2;
  if (middle == part->next) return part;
  const Part second{middle, part->end};
  part->end = middle;
  return parts_.insert(std::next(part), second);
}

std::size_t SliceOrder::take_from(std::size_t thread, Parts::iterator part) {
  auto& own = part_of_thread_[thread];
  if (own != part && own != parts_.end()) own->has_thread = false;
  own = part;
  part->has_thread = true;
  const std::size_t slice = part->next++;
  if (part->next == part->end) {
    for (auto& other : part_of_thread_)
      if (other == part) other = parts_.end();
    parts_.erase(part);
  }
  return slice;
}

void SliceOrder::complete(std::size_t slice) {
  is_complete_[slice] = true;
  while (first_incomplete_ < is_complete_.size() && is_complete_[first_incomplete_]) ++first_incomplete_;
}

}  // namespace skimline
