// SPDX-License-Identifier: BSD-3-Clause
#include "columns/read_ahead.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// How many slices are fetched ahead of the first, unless they are small: more would share the way to the
// storage with it.
constexpr std::size_t kFirstAhead = 4;
// What comes beside the first slices in the time that it takes to ask for it, more or less.
constexpr double kBytesPerSecond = 1e8;

}  // namespace

void LoadedStreams::note(const std::vector<bool>& is_loaded) {
  const std::lock_guard lock(mutex_);
  if (num_loaded_.size() < is_loaded.size()) num_loaded_.resize(is_loaded.size());
  for (std::size_t stream = 0; stream < is_loaded.size(); ++stream)
    num_loaded_[stream] += is_loaded[stream] ? 1 : 0;
  ++num_noted_;
}

bool LoadedStreams::add_likely(std::vector<bool>& is_likely) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t stream = 0; stream < std::min(is_likely.size(), num_loaded_.size()); ++stream)
    if (2 * num_loaded_[stream] > num_noted_) is_likely[stream] = true;
  return num_noted_ > 0;
}

std::size_t ReadAhead::add(Slices slices) {
  const std::lock_guard lock(mutex_);
  runs_.push_back({std::move(slices), false, {}, {}, 0});
  return runs_.size() - 1;
}

void ReadAhead::remove(std::size_t source) {
  {
    const std::lock_guard lock(mutex_);
    Run& run = runs_[source];
    for (std::size_t slice = 0; slice < run.bytes_ahead.size(); ++slice) forget_ahead(run, slice);
    run = {};
  }
  threads_.abandon();
}

// A slice that is opened, or never will be, is none that is ahead.
void ReadAhead::forget_ahead(Run& run, std::size_t slice) {
  if (run.bytes_ahead[slice] > 0) --num_ahead_;
  total_bytes_ahead_ -= std::exchange(run.bytes_ahead[slice], 0);
}

void ReadAhead::begin(std::size_t source, std::size_t first_slice) {
  const std::lock_guard lock(mutex_);
  Run& run = runs_[source];
  const std::size_t count = run.slices.count();
  const bool goes_on =
      run.is_active && run.is_opened.size() == count && first_slice < count && !run.is_opened[first_slice];
  if (goes_on) return;
  for (std::size_t slice = 0; slice < run.bytes_ahead.size(); ++slice) forget_ahead(run, slice);
  run.is_active = most_bytes_ > 0;
  is_active_ = is_active_ || run.is_active;
  run.is_opened.assign(count, false);
  run.bytes_ahead.assign(count, 0);
  run.next = first_slice;
  next_run_ = std::min(next_run_, source);
  most_ahead_ = kFirstAhead;
}

ReaderThreads* ReadAhead::threads_for(const ReadingCost& cost) {
  return is_active_ && is_slow_storage(cost) ? &threads_ : nullptr;
}

bool ReadAhead::has_room(const ReadingCost& cost) const {
  if (total_bytes_ahead_ >= most_bytes_) return false;
  const double in_one_request = kBytesPerSecond * cost.least_seconds;
  return num_ahead_ < most_ahead_ || static_cast<double>(total_bytes_ahead_) < in_one_request;
}

// Fetches what is left of a source; returns false if there is no room for all of it.
bool ReadAhead::fetch_rest(Run& run) {
  for (; run.next < run.is_opened.size(); ++run.next) {
    if (run.is_opened[run.next]) continue;
    const ReadingCost cost = run.slices.cost(run.next);
    if (!is_slow_storage(cost)) continue;
    if (!has_room(cost)) return false;
    std::uint64_t& bytes = run.bytes_ahead[run.next];
    bytes = run.slices.fetch(run.next, threads_);
    total_bytes_ahead_ += bytes;
    num_ahead_ += bytes > 0 ? 1 : 0;
  }
  return true;
}

// Fetches what is left of a source and of those behind it, as far as there is room.
void ReadAhead::fetch_from(std::size_t source) {
  const bool is_first = source <= next_run_;
  std::size_t number = std::max(source, next_run_);
  while (number < runs_.size() && fetch_rest(runs_[number])) ++number;
  if (is_first) next_run_ = number;
}

void ReadAhead::fetch(std::size_t source) {
  const std::lock_guard lock(mutex_);
  Run& run = runs_[source];
  if (!run.is_active || run.is_opened.empty()) return;
  const ReadingCost cost = run.slices.cost(0);
  if (!is_slow_storage(cost)) return;
  threads_.allow(threads_that_wait(cost));
  fetch_rest(run);
}

void ReadAhead::note_opened(std::size_t source, std::size_t slice) {
  const std::lock_guard lock(mutex_);
  Run& own = runs_[source];
  if (!own.is_active || !own.is_known(slice) || own.is_opened[slice]) return;
  own.is_opened[slice] = true;
  forget_ahead(own, slice);
  ++most_ahead_;
  const ReadingCost cost = own.slices.cost(slice);
  if (!is_slow_storage(cost)) return;
  threads_.allow(threads_that_wait(cost));
  if (slice >= own.next) own.slices.fetch(slice, threads_);
  fetch_from(source);
}

}  // namespace skimline::io
