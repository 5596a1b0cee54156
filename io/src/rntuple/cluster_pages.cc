// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_pages.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <limits>

namespace skimline::io {
namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

const ColumnRange* find_active(const ClusterDescriptor& cluster, const Stream& stream,
                               std::size_t& representation) {
  for (representation = 0; representation < stream.columns.size(); ++representation) {
    const std::uint32_t column = stream.columns[representation];
    if (column < cluster.columns.size() && !cluster.columns[column].is_suppressed)
      return &cluster.columns[column];
  }
  representation = 0;
  return nullptr;
}

std::uint64_t elements_of(std::uint64_t num_entries, std::uint64_t per_entry) {
  std::uint64_t count = 0;
  if (__builtin_mul_overflow(num_entries, per_entry, &count))
    throw FormatError("has more elements than there can be");
  return count;
}

// The first element that is stored of a column with a fixed number of elements per entry, in the cluster.
std::uint64_t first_per_entry(const ClusterDescriptor& cluster, const ColumnDescriptor& column,
                              const ColumnRange* range, std::uint64_t per_entry) {
  if (range != nullptr) {
    const std::uint64_t before = elements_of(cluster.first_entry, per_entry);
    if (range->first_element < before) throw FormatError("has elements that belong to earlier clusters");
    if (range->first_element > before && !column.is_deferred)
      throw FormatError("has no elements for some entries");
    return range->first_element - before;
  }
  if (!column.is_deferred) throw FormatError("is not stored in a cluster");
  return elements_of(cluster.num_entries, per_entry);
}

// What a cluster has of a stream.
struct StoredElements {
  const ColumnRange* range = nullptr;
  std::size_t representation = 0;
  std::uint64_t first = 0;  // element
};

// Throws FormatError unless it has as many elements per entry as it must.
StoredElements checked(const RNTupleDescriptor& descriptor, const Stream& stream, std::size_t cluster) {
  const ClusterDescriptor& where = descriptor.clusters[cluster];
  StoredElements stored;
  stored.range = find_active(where, stream, stored.representation);
  if (stream.per_entry == 0) return stored;
  stored.first =
      first_per_entry(where, descriptor.columns[stream.columns.front()], stored.range, stream.per_entry);
  const std::uint64_t end = stored.first + (stored.range == nullptr ? 0 : stored.range->num_elements());
  if (end != elements_of(where.num_entries, stream.per_entry))
    throw FormatError("has " + std::to_string(end) + " elements for " + std::to_string(where.num_entries) +
                      " entries");
  return stored;
}

// First page whose elements end after `element`.
std::size_t page_of(const std::vector<std::uint64_t>& begins, std::uint64_t element) {
  return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), element) - begins.begin()) -
         1;
}

// Where the first page is, if there is one.
std::uint64_t place_of(const StreamLayout& layout) {
  return layout.range && !layout.range->pages.empty() ? layout.range->pages[0].locator.offset : 0;
}

bool are_same_pages(const StreamLayout& a, const StreamLayout& b) {
  if (!a.range || !b.range || a.begins != b.begins || a.encoding.type != b.encoding.type) return false;
  const auto is_same = [](const PageInfo& x, const PageInfo& y) {
    return x.locator.offset == y.locator.offset && x.locator.size == y.locator.size;
  };
  return std::equal(a.range->pages.begin(), a.range->pages.end(), b.range->pages.begin(),
                    b.range->pages.end(), is_same);
}

}  // namespace

void Page::become(State state) {
  state_.store(state, std::memory_order_release);
  state_.notify_all();
}

void Page::provide(std::shared_ptr<const BufferPool::Buffer> memory, std::span<const std::byte> stored) {
  memory_ = std::move(memory);
  stored_ = stored;
  become(kFetched);
}

void Page::fail(std::exception_ptr error) {
  error_ = std::move(error);
  become(state_.load(std::memory_order_relaxed) == kDecoding ? kDamaged : kFailed);
}

bool Page::try_start_decoding() {
  int expected = kFetched;
  if (!state_.compare_exchange_strong(expected, kDecoding, std::memory_order_acq_rel)) return false;
  use();
  return true;
}

void Page::set(BufferPool::Buffer elements, bool keeps_stored) {
  elements_ = std::move(elements);
  if (!keeps_stored) memory_.reset();
  become(kReady);
}

void Page::drop_stored() {
  if (elements_ && !is_dropped_.exchange(true, std::memory_order_relaxed)) memory_.reset();
}

void Page::wait_until_fetched() const {
  settle();
  if (state_.load(std::memory_order_acquire) == kFailed) std::rethrow_exception(error_);
}

void Page::wait_until_decoded() const {
  for (int state = kPending; state != kReady; state_.wait(state, std::memory_order_acquire)) {
    state = state_.load(std::memory_order_acquire);
    if (state == kFailed || state == kDamaged) std::rethrow_exception(error_);
    if (state == kReady) return;
  }
}

const ColumnRange* find_stored(const RNTupleDescriptor& descriptor, const Stream& stream,
                               std::size_t cluster) {
  return checked(descriptor, stream, cluster).range;
}

StreamLayout find_layout(const RNTupleDescriptor& descriptor, const Stream& stream, std::size_t cluster) {
  const StoredElements stored = checked(descriptor, stream, cluster);
  const ColumnDescriptor& column = descriptor.columns[stream.columns[stored.representation]];
  StreamLayout layout{
      stored.range, {column.type, column.bits_on_storage, column.value_min, column.value_max}, {}};
  std::uint64_t next = stored.first;
  layout.begins.reserve(1 + (stored.range == nullptr ? 0 : stored.range->pages.size()));
  layout.begins.push_back(next);
  if (stored.range != nullptr)
    for (const PageInfo& page : stored.range->pages) layout.begins.push_back(next += page.num_elements);
  return layout;
}

PageTotal StoredPages::total() && {
  std::sort(places_.begin(), places_.end(),
            [](const Locator& a, const Locator& b) { return a.offset < b.offset; });
  const auto is_same = [](const Locator& a, const Locator& b) { return a.offset == b.offset; };
  places_.erase(std::unique(places_.begin(), places_.end(), is_same), places_.end());
  PageTotal total{places_.size(), 0};
  for (const Locator& place : places_) total.bytes += place.size;
  return total;
}

ClusterPages::ClusterPages(const RNTupleDescriptor& descriptor, const std::vector<Stream>& streams,
                           std::size_t cluster, std::vector<EntryRange> slices)
    : descriptor_(descriptor),
      streams_(streams),
      cluster_(cluster),
      slices_(std::move(slices)),
      states_(streams.size()),
      stored_as_(streams.size(), kUnknown),
      is_closed_(slices_.size()) {}

std::unique_ptr<ClusterPages::StreamState> ClusterPages::make_state(const Stream& stream) const {
  auto made = std::make_unique<StreamState>();
  made->layout = find_layout(descriptor_, stream, cluster_);
  const std::vector<std::uint64_t>& begins = made->layout.begins;
  made->slots.resize(begins.size() - 1);
  made->uses = std::make_unique<PageUse[]>(made->slots.size());
  for (std::size_t page = 0; page < made->slots.size(); ++page)
    made->slots[page].to_take = begins[page + 1] - begins[page];
  if (!stream.is_index) return made;
  // The first list of a slice begins where the last one of the slice before ends: that element is taken
  // twice. Where collections decide which element that is, every page may be taken from once more.
  if (stream.per_entry == 0)
    for (Slot& slot : made->slots) ++slot.to_take;
  for (const EntryRange& slice : slices_) {
    const std::uint64_t first = slice.first * stream.per_entry;
    if (first > made->layout.first_stored() && first <= made->layout.num_elements())
      ++made->slots[page_of(begins, first - 1)].to_take;
  }
  return made;
}

ClusterPages::StreamState& ClusterPages::state(std::size_t stream) {
  if (!states_[stream]) states_[stream] = make_state(streams_[stream]);
  return *states_[stream];
}

const StreamLayout& ClusterPages::layout(std::size_t stream) {
  const std::lock_guard lock(mutex_);
  return state(stream).layout;
}

std::size_t ClusterPages::stored_as(std::size_t stream) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t per_entry = streams_[stream].per_entry;
  if (!streams_[stream].is_index || per_entry == 0) return stream;
  if (stored_as_[stream] != kUnknown) return stored_as_[stream];
  const StreamLayout& layout = state(stream).layout;
  const auto [first, last] = distinct_indexes_.equal_range(place_of(layout));
  const auto same = std::find_if(first, last, [&](const auto& placed) {
    const std::size_t other = placed.second;
    return streams_[other].per_entry == per_entry && are_same_pages(state(other).layout, layout);
  });
  const std::size_t found = same == last ? stream : same->second;
  if (found == stream) distinct_indexes_.emplace(place_of(layout), stream);
  stored_as_[stream] = found;
  return found;
}

void ClusterPages::claim(std::size_t stream, StreamState& from, std::size_t page,
                         std::vector<Claim>& claims) {
  from.slots[page].page = std::make_shared<Page>(from.uses[page]);
  claims.push_back({stream, &from.layout, page, from.slots[page].page});
  held_.push_back({&from, page});
}

void ClusterPages::claim_ahead(std::size_t slice, std::size_t stream, std::vector<Claim>& claims) {
  const std::size_t stored = stored_as(stream);
  const std::lock_guard lock(mutex_);
  StreamState& from = state(stored);
  const std::vector<std::uint64_t>& begins = from.layout.begins;
  const EntryRange entries = slices_[slice];
  const auto share = [&](std::uint64_t entry) {
    const double part = static_cast<double>(entry) / static_cast<double>(entries_in_cluster());
    return static_cast<std::uint64_t>(part * static_cast<double>(from.layout.num_elements()));
  };
  for (std::size_t page = 0; page < from.slots.size(); ++page) {
    const bool is_of_slice = begins[page] < share(entries.end()) && begins[page + 1] > share(entries.first);
    const bool is_needed = from.slots[page].to_take > 0 && begins[page + 1] > from.left_behind;
    if (is_of_slice && is_needed && !from.slots[page].page) claim(stored, from, page, claims);
  }
}

ElementPages ClusterPages::acquire(std::size_t slice, std::size_t stream, ElementRange elements,
                                   std::vector<Claim>& claims) {
  const std::lock_guard lock(mutex_);
  StreamState& from = state(stream);
  const std::vector<std::uint64_t>& begins = from.layout.begins;
  ElementPages found{&from.layout, elements, 0, {}};
  from.asked.emplace_back(slice, elements.begin);
  const std::uint64_t end = elements.end;
  const std::uint64_t stored_begin = std::max(elements.begin, from.layout.first_stored());
  if (stored_begin >= end) return found;
  found.first_page = page_of(begins, stored_begin);
  for (std::size_t page = found.first_page; page < from.slots.size() && begins[page] < end; ++page) {
    Slot& slot = from.slots[page];
    if (!slot.page) claim(stream, from, page, claims);
    found.pages.push_back(slot.page);
    const std::uint64_t taken = std::min(end, begins[page + 1]) - std::max(stored_begin, begins[page]);
    slot.to_take -= std::min(slot.to_take, taken);
    if (slot.to_take == 0) slot.page.reset();
  }
  return found;
}

// Slices ask for elements in the order of their entries: what lies before elements that a slice asked for is
// of no use once that slice and all before it are closed.
void ClusterPages::forget_left_behind() {
  std::erase_if(held_, [this](const Held& held) {
    StreamState& from = *held.state;
    std::erase_if(from.asked, [&](const std::pair<std::size_t, std::uint64_t>& asked) {
      const bool is_closed = asked.first < closed_prefix_;
      if (is_closed) from.left_behind = std::max(from.left_behind, asked.second);
      return is_closed;
    });
    Slot& slot = from.slots[held.page];
    if (from.layout.begins[held.page + 1] <= from.left_behind) slot.page.reset();
    return slot.page == nullptr;
  });
}

bool ClusterPages::close(std::size_t slice) {
  const std::lock_guard lock(mutex_);
  if (is_closed_[slice]) return num_closed_ == slices_.size();
  is_closed_[slice] = true;
  ++num_closed_;
  while (closed_prefix_ < slices_.size() && is_closed_[closed_prefix_]) ++closed_prefix_;
  forget_left_behind();
  return num_closed_ == slices_.size();
}

void ClusterPages::add_used(StoredPages& used, StoredPages& verified) {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<StreamState>& from : states_)
    for (std::size_t page = 0; from && page < from->slots.size(); ++page) {
      const PageInfo& info = from->layout.range->pages[page];
      if (!from->uses[page].is_used.load(std::memory_order_relaxed)) continue;
      used.add(info);
      if (info.has_checksum || from->uses[page].is_verified.load(std::memory_order_relaxed))
        verified.add(info);
    }
}

}  // namespace skimline::io
