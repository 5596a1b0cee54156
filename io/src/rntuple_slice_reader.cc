// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple_slice_reader.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

namespace skimline::io {
namespace {

constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int32_t>::max();

// Writes ends - before as offsets; returns whether they never decrease and stay below 2^31. Two loops, each
// of one width, so that both vectorise.
bool to_offsets(const std::uint64_t* ends, std::size_t count, std::uint64_t before, std::uint32_t* offsets) {
  std::uint64_t high_bits = 0;
  offsets[0] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t offset = ends[i] - before;
    high_bits |= offset;
    offsets[i + 1] = static_cast<std::uint32_t>(offset);
  }
  std::uint32_t decrease = 0;
  for (std::size_t i = 0; i < count; ++i) decrease |= offsets[i + 1] - offsets[i];
  return high_bits <= kMaxOffset && decrease <= kMaxOffset;
}

// What is wanted of one stream if both are.
ElementsWanted both(const ElementsWanted& a, const ElementsWanted& b) {
  if (a.begin == a.end) return b;
  if (b.begin == b.end) return a;
  return {a.stream, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace

RNTupleSliceReader::RNTupleSliceReader(SliceContext context, std::shared_ptr<ClusterPages> pages,
                                       std::size_t slice, std::function<void()> on_close)
    : context_(context),
      pages_(std::move(pages)),
      slice_(slice),
      entries_(pages_->slice(slice)),
      on_close_(std::move(on_close)),
      loaded_(context.fetcher.streams.size()) {}

RNTupleSliceReader::~RNTupleSliceReader() {
  loaded_.clear();
  on_close_();
}

const FieldColumn& RNTupleSliceReader::field_column(std::size_t column) const {
  return context_.columns[context_.column_of.at(column)];
}

std::vector<std::size_t> RNTupleSliceReader::entry_streams(std::span<const std::size_t> columns) const {
  std::vector<std::size_t> streams;
  const auto add = [&](std::size_t stream) {
    if (!is_decoded(stream) && std::find(streams.begin(), streams.end(), stream) == streams.end())
      streams.push_back(stream);
  };
  for (const std::size_t number : columns) {
    const FieldColumn& column = field_column(number);
    if (column.index) add(index_of(column));
    if (column.values && !column.index) add(*column.values);
  }
  return streams;
}

std::vector<std::pair<std::size_t, std::size_t>> RNTupleSliceReader::value_streams(
    std::span<const std::size_t> columns) const {
  std::vector<std::pair<std::size_t, std::size_t>> streams;
  for (const std::size_t number : columns) {
    const FieldColumn& column = field_column(number);
    if (!column.index || !column.values || is_decoded(*column.values)) continue;
    const std::pair wanted(index_of(column), *column.values);
    if (std::find(streams.begin(), streams.end(), wanted) == streams.end()) streams.push_back(wanted);
  }
  return streams;
}

ElementRange RNTupleSliceReader::acquire_entries(std::size_t stream, std::vector<Claim>& claims) {
  const bool is_index = context_.fetcher.streams[stream].is_index;
  const std::uint64_t begin = is_index && entries_.first > 0 ? entries_.first - 1 : entries_.first;
  return pages_->acquire(slice_, stream, begin, entries_.end(), claims);
}

ElementRange RNTupleSliceReader::acquire_values(std::size_t index, std::size_t stream,
                                                std::vector<Claim>& claims) {
  const ElementRange& ends = loaded_[index]->range;
  const std::uint64_t begin = end_before(ends, entries_.first);
  const std::uint64_t end = end_before(ends, entries_.end());
  const std::uint64_t available = pages_->layout(stream).num_elements();
  if (begin > end || end > available)
    throw context_.fetcher.error(stream, pages_->cluster(),
                                 "the lists end at value " + std::to_string(end) + " of " +
                                     std::to_string(available) + ", after " + std::to_string(begin));
  return pages_->acquire(slice_, stream, begin, end, claims);
}

// Decodes every page of `range` that is fetched and that no other thread has started.
void RNTupleSliceReader::decode_available(std::size_t stream, const ElementRange& range) const {
  for (std::size_t i = 0; i < range.pages.size(); ++i)
    if (range.pages[i]->try_start_decoding())
      context_.fetcher.decode(pages_->cluster(),
                              {stream, range.layout, range.first_page + i, range.pages[i]});
}

void RNTupleSliceReader::decode(const std::vector<std::pair<std::size_t, ElementRange>>& ranges) const {
  for (const auto& [stream, range] : ranges) decode_available(stream, range);
  for (const auto& [stream, range] : ranges) {
    for (const std::shared_ptr<Page>& page : range.pages) page->wait_until_fetched();
    decode_available(stream, range);
  }
  for (const auto& [stream, range] : ranges)
    for (const std::shared_ptr<Page>& page : range.pages) page->wait_until_decoded();
}

void RNTupleSliceReader::fetch(std::vector<std::pair<std::size_t, ElementRange>> acquired,
                               std::vector<Claim> claims, bool decodes) {
  // Own pages first: two readers that wait for each other's would wait for ever.
  context_.fetcher.fetch(pages_->cluster(), std::move(claims));
  if (decodes) decode(acquired);
  for (std::pair<std::size_t, ElementRange>& each : acquired) {
    for (const std::shared_ptr<Page>& page : each.second.pages) page->wait_until_fetched();
    loaded_[each.first] = Loaded{std::move(each.second), decodes, {}};
  }
}

std::uint64_t RNTupleSliceReader::entries_in_cluster() const {
  return context_.fetcher.descriptor.clusters[pages_->cluster()].num_entries;
}

// Once for each stream, with what is loaded of it: different parts of a stream can be in use at once.
std::vector<ElementsWanted> RNTupleSliceReader::with_loaded(std::span<const ElementsWanted> wanted) const {
  std::map<std::size_t, ElementsWanted> by_stream;
  for (const ElementsWanted& each : wanted) {
    const auto [found, is_new] = by_stream.try_emplace(each.stream, each);
    if (!is_new) found->second = both(found->second, each);
  }
  std::vector<ElementsWanted> all;
  for (const auto& [stream, each] : by_stream) {
    all.push_back(each);
    if (const std::optional<Loaded>& known = loaded_[stream])
      all.back() = both(each, {stream, known->range.begin, known->range.end});
  }
  return all;
}

void RNTupleSliceReader::load_elements(std::span<const ElementsWanted> wanted, bool decodes) {
  std::vector<std::pair<std::size_t, ElementRange>> acquired, fetched;
  std::vector<Claim> claims;
  try {
    for (const auto& [stream, begin, end] : with_loaded(wanted)) {
      const std::optional<Loaded>& known = loaded_[stream];
      if (known && known->range.begin <= begin && known->range.end >= end) {
        if (decodes && !known->is_decoded) fetched.emplace_back(stream, known->range);
        continue;
      }
      const std::uint64_t available = num_elements(stream);
      if (begin > end || end > available)
        throw context_.fetcher.error(stream, pages_->cluster(),
                                     "elements " + std::to_string(begin) + " to " + std::to_string(end) +
                                         " are needed of " + std::to_string(available));
      acquired.emplace_back(stream, pages_->acquire(slice_, stream, begin, end, claims));
    }
  } catch (...) {
    for (const Claim& claim : claims) claim.target->fail(std::current_exception());
    throw;
  }
  fetch(std::move(acquired), std::move(claims), decodes);
  decode(fetched);
  for (const auto& [stream, range] : fetched) loaded_[stream]->is_decoded = true;
}

const ElementRange& RNTupleSliceReader::elements_of(std::size_t stream) const {
  return loaded_[stream].value().range;
}

const std::byte* RNTupleSliceReader::decoded_page(std::size_t stream, const ElementRange& range,
                                                  std::size_t page) const {
  const std::shared_ptr<Page>& target = range.pages[page - range.first_page];
  if (target->try_start_decoding())
    context_.fetcher.decode(pages_->cluster(), {stream, range.layout, page, target});
  target->wait_until_decoded();
  return target->elements();
}

std::shared_ptr<const SourcePage> RNTupleSliceReader::source_page(std::size_t stream,
                                                                  const ElementRange& range,
                                                                  std::size_t page) const {
  return std::make_shared<const SourcePage>(
      context_.fetcher, pages_, Claim{stream, range.layout, page, range.pages[page - range.first_page]});
}

void RNTupleSliceReader::load(std::span<const std::size_t> columns) {
  std::vector<std::pair<std::size_t, ElementRange>> acquired;
  std::vector<Claim> claims;
  for (const std::size_t stream : entry_streams(columns))
    acquired.emplace_back(stream, acquire_entries(stream, claims));
  fetch(std::move(acquired), std::move(claims), true);
  const auto wanted = value_streams(columns);
  acquired.clear();
  claims.clear();
  try {
    for (const auto& [index, stream] : wanted)
      acquired.emplace_back(stream, acquire_values(index, stream, claims));
  } catch (...) {
    for (const Claim& claim : claims) claim.target->fail(std::current_exception());
    throw;
  }
  fetch(std::move(acquired), std::move(claims), true);
}

RNTupleSliceReader::Loaded& RNTupleSliceReader::loaded(std::size_t stream, std::size_t column) {
  if (!is_decoded(stream))
    throw InternalError("column \"" + field_column(column).name + "\" is viewed before it is loaded");
  return *loaded_[stream];
}

std::uint64_t RNTupleSliceReader::end_before(const ElementRange& index, std::uint64_t element) const {
  if (element == 0 || element <= index.layout->first_stored()) return 0;
  std::uint64_t end = 0;
  copy_elements(sizeof(end), index, element - 1, 1, reinterpret_cast<std::byte*>(&end));
  return end;
}

void RNTupleSliceReader::copy_elements(std::size_t size, const ElementRange& from, std::uint64_t begin,
                                       std::uint64_t count, std::byte* to) const {
  const std::vector<std::uint64_t>& begins = from.layout->begins;
  const std::uint64_t end = begin + count;
  if (begin < begins.front()) {
    const std::uint64_t zeros = std::min(end, begins.front()) - begin;
    std::memset(to, 0, zeros * size);
    to += zeros * size;
    begin += zeros;
  }
  for (std::size_t i = 0; begin < end; ++i) {
    const std::size_t page = from.first_page + i;
    if (begins[page + 1] <= begin) continue;
    const std::uint64_t copied = std::min(end, begins[page + 1]) - begin;
    std::memcpy(to, from.pages[i]->elements() + (begin - begins[page]) * size, copied * size);
    to += copied * size;
    begin += copied;
  }
}

const void* RNTupleSliceReader::elements(std::size_t size, const ElementRange& from, std::uint64_t begin,
                                         std::uint64_t count, Buffer& scratch) const {
  const std::vector<std::uint64_t>& begins = from.layout->begins;
  if (count != 0 && begin >= begins.front()) {
    const auto first = begins.begin() + static_cast<std::ptrdiff_t>(from.first_page);
    const auto after = std::upper_bound(first, begins.end(), begin);
    const auto page = static_cast<std::size_t>(after - first) - 1;
    if (begin + count <= *after) return from.pages[page]->elements() + (begin - *(after - 1)) * size;
  }
  void* copy = scratch.reserve_bytes(count * size);
  copy_elements(size, from, begin, count, static_cast<std::byte*>(copy));
  return copy;
}

void RNTupleSliceReader::make_offsets(std::size_t stream, Loaded& loaded, EntryRange range) {
  const ElementRange& index = loaded.range;
  const std::uint64_t first = entries_.first + range.first;
  Offsets& made = loaded.offsets;
  made.entries = range;
  made.first_value = end_before(index, first);
  auto* offsets = made.memory.reserve<std::uint32_t>(range.count + 1);
  const void* ends = elements(sizeof(std::uint64_t), index, first, range.count, ends_);
  const bool is_inside = made.first_value >= end_before(index, entries_.first) &&
                         end_before(index, first + range.count) <= end_before(index, entries_.end());
  if (!to_offsets(static_cast<const std::uint64_t*>(ends), range.count, made.first_value, offsets) ||
      !is_inside)
    throw context_.fetcher.error(stream, pages_->cluster(),
                                 "the ends of its lists are not in order, or lists have more than " +
                                     std::to_string(kMaxOffset) + " values together");
  made.data = offsets;
}

const RNTupleSliceReader::Offsets& RNTupleSliceReader::offsets(std::size_t stream, Loaded& index,
                                                               EntryRange range) {
  const Offsets& latest = index.offsets;
  const bool is_same = latest.entries.first == range.first && latest.entries.count == range.count;
  if (!latest.data || !is_same) make_offsets(stream, index, range);
  return latest;
}

ColumnView RNTupleSliceReader::count_view(const FieldColumn& column, const Offsets& offsets, EntryRange range,
                                          ColumnBuffer& scratch) const {
  const auto fill = [&](auto* counts) {
    using T = std::remove_pointer_t<decltype(counts)>;
    for (std::size_t i = 0; i < range.count; ++i)
      counts[i] = static_cast<T>(offsets.data[i + 1] - offsets.data[i]);
    return counts;
  };
  const void* counts =
      column.type.scalar == ScalarType::kUInt32
          ? static_cast<const void*>(fill(scratch.values.reserve<std::uint32_t>(range.count)))
          : static_cast<const void*>(fill(scratch.values.reserve<std::uint64_t>(range.count)));
  return {column.type, range.count, counts};
}

ColumnView RNTupleSliceReader::view(std::size_t number, EntryRange range, ColumnBuffer& scratch) {
  const FieldColumn& column = field_column(number);
  const std::size_t size = size_of(column.type.scalar);
  if (!column.index) {
    const ElementRange& from = loaded(*column.values, number).range;
    return {column.type, range.count,
            elements(size, from, entries_.first + range.first, range.count, scratch.values)};
  }
  const std::size_t index = index_of(column);
  const Offsets& lists = offsets(index, loaded(index, number), range);
  if (!column.values) return count_view(column, lists, range, scratch);
  const ElementRange& from = loaded(*column.values, number).range;
  const void* values = elements(size, from, lists.first_value, lists.data[range.count], scratch.values);
  return {column.type, range.count, values, lists.data};
}

}  // namespace skimline::io
