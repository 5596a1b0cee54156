// SPDX-License-Identifier: BSD-3-Clause
#include "columns/read_ahead.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// How many slices are fetched ahead of the first: more would share the way to the storage with it.
constexpr std::size_t kFirstAhead = 4;

}  // namespace

void LoadedStreams::note(const std::vector<bool>& is_loaded) {
  const std::lock_guard lock(mutex_);
  if (num_loaded_.size() < is_loaded.size()) num_loaded_.resize(is_loaded.size());
  for (std::size_t stream = 0; stream < is_loaded.size(); ++stream)
    num_loaded_[stream] += is_loaded[stream] ? 1 : 0;
  ++num_noted_;
}

void LoadedStreams::add_likely(std::vector<bool>& is_likely) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t stream = 0; stream < std::min(is_likely.size(), num_loaded_.size()); ++stream)
    if (2 * num_loaded_[stream] > num_noted_) is_likely[stream] = true;
}

void ReadAhead::begin(std::size_t first_slice) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = slices_.count();
  const bool goes_on =
      is_active_ && is_opened_.size() == count && first_slice < count && !is_opened_[first_slice];
  if (goes_on) return;
  is_active_ = most_bytes_ > 0;
  is_opened_.assign(count, false);
  bytes_ahead_.assign(count, 0);
  total_bytes_ahead_ = num_ahead_ = 0;
  next_ = first_slice;
  most_ahead_ = kFirstAhead;
}

ReaderThreads* ReadAhead::threads_for(const ReadingCost& cost) {
  return is_active_ && is_slow_storage(cost) ? &threads_ : nullptr;
}

void ReadAhead::note_opened(std::size_t slice) {
  if (!is_active_) return;
  const std::lock_guard lock(mutex_);
  if (slice >= is_opened_.size() || is_opened_[slice]) return;
  is_opened_[slice] = true;
  if (bytes_ahead_[slice] > 0) --num_ahead_;
  total_bytes_ahead_ -= std::exchange(bytes_ahead_[slice], 0);
  ++most_ahead_;
  if (!slices_.is_slow(slice)) return;
  if (slice >= next_) slices_.fetch(slice, threads_);
  for (; next_ < is_opened_.size() && total_bytes_ahead_ < most_bytes_ && num_ahead_ < most_ahead_; ++next_) {
    if (is_opened_[next_]) continue;
    bytes_ahead_[next_] = slices_.fetch(next_, threads_);
    total_bytes_ahead_ += bytes_ahead_[next_];
    num_ahead_ += bytes_ahead_[next_] > 0 ? 1 : 0;
  }
}

}  // namespace skimline::io
