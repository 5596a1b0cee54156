// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/rntuple_slice_reader.h"

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
  if (a.elements.size() == 0) return b;
  if (b.elements.size() == 0) return a;
  return {a.stream, {std::min(a.elements.begin, b.elements.begin), std::max(a.elements.end, b.elements.end)}};
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

// Moves to the values of lists; returns false if these are not known yet.
bool RNTupleSliceReader::enter_lists(Descent& descent, std::size_t index) const {
  if (!loaded_[index] || !loaded_[index]->values) return false;
  descent.run = *loaded_[index]->values;
  return true;
}

// Goes down as far as what is loaded reaches. Returns the stream that is needed next.
std::optional<std::size_t> RNTupleSliceReader::descend(Descent& descent) const {
  const FieldColumn& column = descent.column;
  for (; descent.next_level < column.levels.size(); ++descent.next_level) {
    const ListLevel& level = column.levels[descent.next_level];
    if (!level.index)
      descent.run = elements_of_arrays(column, descent.run, level.array_size);
    else if (const std::size_t index = pages_->stored_as(*level.index); !enter_lists(descent, index))
      return index;
  }
  if (column.ends && !descent.is_below_ends) {
    const std::size_t index = pages_->stored_as(*column.ends);
    if (!enter_lists(descent, index)) return index;
    descent.is_below_ends = true;
  }
  if (column.values && !loaded_[*column.values]) return column.values;
  return std::nullopt;
}

// What lists hold is what the file says, and may be more than can be counted in elements of arrays.
ElementRange RNTupleSliceReader::elements_of_arrays(const FieldColumn& column, ElementRange arrays,
                                                    std::uint64_t size) const {
  if (arrays.end > std::numeric_limits<std::uint64_t>::max() / size)
    throw context_.fetcher.error(column.streams().back(), pages_->cluster(),
                                 "the lists end at array " + std::to_string(arrays.end) + " of " +
                                     std::to_string(size) + " values each");
  return {arrays.begin * size, arrays.end * size};
}

// Finds out what the lists of a run hold, of an index stream that is decoded.
void RNTupleSliceReader::find_values(std::size_t index, ElementRange run) {
  const ElementPages& ends = loaded_[index]->pages;
  const std::uint64_t begin = end_before(ends, run.begin);
  const std::uint64_t end = end_before(ends, run.end);
  if (begin > end)
    throw context_.fetcher.error(
        index, pages_->cluster(),
        "its lists end at value " + std::to_string(end) + ", after " + std::to_string(begin));
  loaded_[index]->values = ElementRange{begin, end};
}

ElementPages RNTupleSliceReader::acquire(std::size_t stream, ElementRange run, std::vector<Claim>& claims) {
  const std::uint64_t available = pages_->layout(stream).num_elements();
  if (run.end > available)
    throw context_.fetcher.error(stream, pages_->cluster(),
                                 "the lists end at value " + std::to_string(run.end) + " of " +
                                     std::to_string(available) + ", after " + std::to_string(run.begin));
  // Where the first list begins is said by the element before.
  const bool needs_one_before = context_.fetcher.streams[stream].is_index && run.begin > 0;
  return pages_->acquire(slice_, stream, {run.begin - (needs_one_before ? 1 : 0), run.end}, claims);
}

// Adds those pages of a run that are not decoded yet.
void RNTupleSliceReader::add_pages(std::size_t stream, const ElementPages& range, ElementRange run,
                                   std::vector<Claim>& pages) {
  const std::vector<std::uint64_t>& begins = range.layout->begins;
  for (std::size_t i = 0; i < range.pages.size() && begins[range.first_page + i] < run.end; ++i)
    if (begins[range.first_page + i + 1] > run.begin && !range.pages[i]->is_decoded())
      pages.push_back({stream, range.layout, range.first_page + i, range.pages[i]});
}

// Decodes pages together with other threads that need the same: each takes those nobody has started.
void RNTupleSliceReader::decode(std::span<const Claim> pages) const {
  const auto decode_if_available = [&](const Claim& page) {
    if (page.target->try_start_decoding()) context_.fetcher.decode(pages_->cluster(), page);
  };
  for (const Claim& page : pages) decode_if_available(page);
  for (const Claim& page : pages) {
    page.target->wait_until_fetched();
    decode_if_available(page);
  }
  for (const Claim& page : pages) page.target->wait_until_decoded();
}

void RNTupleSliceReader::fetch(std::vector<std::pair<std::size_t, ElementPages>> acquired,
                               std::vector<Claim> claims, Decodes decodes) {
  // Own pages first: two readers that wait for each other's would wait for ever.
  context_.fetcher.fetch(pages_->cluster(), std::move(claims));
  const auto is_decoded = [&](std::size_t stream) {
    return decodes == Decodes::kEverything ||
           (decodes == Decodes::kIndexes && context_.fetcher.streams[stream].is_index);
  };
  std::vector<Claim> pages;
  for (const auto& [stream, range] : acquired)
    if (is_decoded(stream)) add_pages(stream, range, range.elements, pages);
  decode(pages);
  for (std::pair<std::size_t, ElementPages>& each : acquired) {
    for (const std::shared_ptr<Page>& page : each.second.pages) page->wait_until_fetched();
    loaded_[each.first] = Loaded{std::move(each.second), is_decoded(each.first)};
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
      all.back() = both(each, {stream, known->pages.elements});
  }
  return all;
}

void RNTupleSliceReader::load_elements(std::span<const ElementsWanted> wanted, bool decodes) {
  std::vector<std::pair<std::size_t, ElementPages>> acquired, fetched;
  std::vector<Claim> claims;
  try {
    for (const auto& [stream, elements] : with_loaded(wanted)) {
      const std::optional<Loaded>& known = loaded_[stream];
      if (known && known->pages.elements.begin <= elements.begin &&
          known->pages.elements.end >= elements.end) {
        if (decodes && !known->is_decoded) fetched.emplace_back(stream, known->pages);
        continue;
      }
      const std::uint64_t available = num_elements(stream);
      if (elements.begin > elements.end || elements.end > available)
        throw context_.fetcher.error(stream, pages_->cluster(),
                                     "elements " + std::to_string(elements.begin) + " to " +
                                         std::to_string(elements.end) + " are needed of " +
                                         std::to_string(available));
      acquired.emplace_back(stream, pages_->acquire(slice_, stream, elements, claims));
    }
  } catch (...) {
    for (const Claim& claim : claims) claim.target->fail(std::current_exception());
    throw;
  }
  fetch(std::move(acquired), std::move(claims), decodes ? Decodes::kEverything : Decodes::kNothing);
  std::vector<Claim> pages;
  for (const auto& [stream, range] : fetched) add_pages(stream, range, range.elements, pages);
  decode(pages);
  for (const auto& [stream, range] : fetched) loaded_[stream]->is_decoded = true;
}

const ElementPages& RNTupleSliceReader::elements_of(std::size_t stream) const {
  return loaded_[stream].value().pages;
}

const std::byte* RNTupleSliceReader::decoded_page(std::size_t stream, const ElementPages& range,
                                                  std::size_t page) const {
  const std::shared_ptr<Page>& target = range.pages[page - range.first_page];
  if (target->is_decoded()) return target->elements();
  if (target->try_start_decoding())
    context_.fetcher.decode(pages_->cluster(), {stream, range.layout, page, target});
  target->wait_until_decoded();
  return target->elements();
}

std::shared_ptr<const SourcePage> RNTupleSliceReader::source_page(std::size_t stream,
                                                                  const ElementPages& range,
                                                                  std::size_t page) const {
  const std::shared_ptr<Page>& target = range.pages[page - range.first_page];
  target->use();
  return std::make_shared<const SourcePage>(context_.fetcher, pages_,
                                            Claim{stream, range.layout, page, target});
}

void RNTupleSliceReader::load(std::span<const std::size_t> columns) {
  std::vector<Descent> descents;
  for (const std::size_t column : columns) {
    if (is_default(column)) continue;
    descents.push_back({field_column(column), {entries_.first, entries_.end()}});
    context_.is_loaded[column].store(true, std::memory_order_relaxed);
  }
  while (load_next(descents)) {
  }
}

// Loads what is needed next of all columns in as few reads as possible; returns whether that was anything.
bool RNTupleSliceReader::load_next(std::vector<Descent>& descents) {
  std::map<std::size_t, ElementRange> runs;
  std::vector<std::pair<std::size_t, ElementPages>> acquired;
  std::vector<Claim> claims;
  try {
    for (Descent& descent : descents) {
      const std::optional<std::size_t> stream = descend(descent);
      if (stream && runs.emplace(*stream, descent.run).second)
        acquired.emplace_back(*stream, acquire(*stream, descent.run, claims));
    }
  } catch (...) {
    for (const Claim& claim : claims) claim.target->fail(std::current_exception());
    throw;
  }
  fetch(std::move(acquired), std::move(claims), Decodes::kIndexes);
  for (const auto& [stream, run] : runs)
    if (context_.fetcher.streams[stream].is_index) find_values(stream, run);
  return !runs.empty();
}

RNTupleSliceReader::Loaded& RNTupleSliceReader::loaded(std::size_t stream, const FieldColumn& column) {
  if (!loaded_[stream]) throw InternalError("column \"" + column.name + "\" is viewed before it is loaded");
  return *loaded_[stream];
}

std::uint64_t RNTupleSliceReader::end_before(const ElementPages& index, std::uint64_t element) const {
  if (element == 0 || element <= index.layout->first_stored()) return 0;
  std::uint64_t end = 0;
  copy_elements(sizeof(end), index, {element - 1, element}, reinterpret_cast<std::byte*>(&end));
  return end;
}

void RNTupleSliceReader::copy_elements(std::size_t size, const ElementPages& from, ElementRange elements,
                                       std::byte* to) const {
  const std::vector<std::uint64_t>& begins = from.layout->begins;
  auto [begin, end] = elements;
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

// Elements that lie together in memory, decoded; nullptr if they do not.
const std::byte* RNTupleSliceReader::in_one_page(std::size_t stream, const ElementPages& from,
                                                 ElementRange run) const {
  const std::vector<std::uint64_t>& begins = from.layout->begins;
  if (run.size() == 0 || run.begin < begins.front()) return nullptr;
  const auto first = begins.begin() + static_cast<std::ptrdiff_t>(from.first_page);
  const auto after = std::upper_bound(first, begins.end(), run.begin);
  if (run.end > *after) return nullptr;
  const auto page = static_cast<std::size_t>(after - begins.begin()) - 1;
  const std::size_t size = context_.fetcher.streams[stream].element_size;
  return decoded_page(stream, from, page) + (run.begin - begins[page]) * size;
}

void RNTupleSliceReader::copy_run(std::size_t stream, const ElementPages& from, ElementRange run,
                                  std::byte* to) const {
  std::vector<Claim> pages;
  if (run.size() != 0) add_pages(stream, from, run, pages);
  decode(pages);
  copy_elements(context_.fetcher.streams[stream].element_size, from, run, to);
}

const void* RNTupleSliceReader::elements(std::size_t stream, const ElementPages& from, ElementRange run,
                                         Buffer& scratch) const {
  if (const std::byte* together = in_one_page(stream, from, run)) return together;
  void* copy = scratch.reserve_bytes(run.size() * context_.fetcher.streams[stream].element_size);
  copy_run(stream, from, run, static_cast<std::byte*>(copy));
  return copy;
}

void RNTupleSliceReader::make_lists(std::size_t stream, Loaded& loaded, ElementRange run) {
  const ElementPages& index = loaded.pages;
  Lists& made = loaded.lists;
  made.offsets = nullptr;
  made.run = run;
  made.first_value = end_before(index, run.begin);
  auto* offsets = made.memory.reserve<std::uint32_t>(run.size() + 1);
  const void* ends = elements(stream, index, run, ends_);
  const bool is_inside =
      made.first_value >= loaded.values->begin && end_before(index, run.end) <= loaded.values->end;
  if (!to_offsets(static_cast<const std::uint64_t*>(ends), run.size(), made.first_value, offsets) ||
      !is_inside)
    throw context_.fetcher.error(stream, pages_->cluster(),
                                 "the ends of its lists are not in order, or lists have more than " +
                                     std::to_string(kMaxOffset) + " values together");
  made.offsets = offsets;
}

const RNTupleSliceReader::Lists& RNTupleSliceReader::lists(std::size_t index, const FieldColumn& column,
                                                           ElementRange run) {
  const std::size_t stream = pages_->stored_as(index);
  Loaded& from = loaded(stream, column);
  if (!from.values) throw InternalError("column \"" + column.name + "\" is viewed before it is loaded");
  if (!from.lists.offsets || from.lists.run != run) make_lists(stream, from, run);
  return from.lists;
}

const std::uint32_t* RNTupleSliceReader::arrays(const FieldColumn& column, std::uint64_t size,
                                                ElementRange run, Buffer& scratch) const {
  if (run.size() > kMaxOffset / size)
    throw context_.fetcher.error(column.streams().back(), pages_->cluster(),
                                 "arrays have more than " + std::to_string(kMaxOffset) + " values together");
  auto* offsets = scratch.reserve<std::uint32_t>(run.size() + 1);
  for (std::uint64_t i = 0; i <= run.size(); ++i) offsets[i] = static_cast<std::uint32_t>(i * size);
  return offsets;
}

const void* RNTupleSliceReader::counts(const FieldColumn& column, const Lists& lists, Buffer& scratch) {
  const auto fill = [&](auto* counts) -> const void* {
    using T = std::remove_pointer_t<decltype(counts)>;
    for (std::size_t i = 0; i < lists.run.size(); ++i)
      counts[i] = static_cast<T>(lists.offsets[i + 1] - lists.offsets[i]);
    return counts;
  };
  return column.type.scalar == ScalarType::kUInt32 ? fill(scratch.reserve<std::uint32_t>(lists.run.size()))
                                                   : fill(scratch.reserve<std::uint64_t>(lists.run.size()));
}

// Characters that do not lie together in memory are copied behind the views.
const void* RNTupleSliceReader::strings(const FieldColumn& column, const Lists& lists, Buffer& scratch) {
  const ElementPages& from = loaded(*column.values, column).pages;
  const ElementRange characters = lists.values();
  const std::byte* text = in_one_page(*column.values, from, characters);
  const std::size_t size_of_views = lists.run.size() * sizeof(std::string_view);
  auto* views =
      static_cast<std::string_view*>(scratch.reserve_bytes(size_of_views + (text ? 0 : characters.size())));
  if (!text) {
    std::byte* copy = reinterpret_cast<std::byte*>(views) + size_of_views;
    copy_run(*column.values, from, characters, copy);
    text = copy;
  }
  for (std::size_t i = 0; i < lists.run.size(); ++i)
    views[i] = {reinterpret_cast<const char*>(text) + lists.offsets[i],
                lists.offsets[i + 1] - lists.offsets[i]};
  return views;
}

// The values or characters of a column for a range of entries.
ElementRange RNTupleSliceReader::values_of(const FieldColumn& column, EntryRange range) {
  ElementRange run{entries_.first + range.first, entries_.first + range.end()};
  for (const ListLevel& level : column.levels)
    run = level.index ? lists(*level.index, column, run).values()
                      : ElementRange{run.begin * level.array_size, run.end * level.array_size};
  return column.ends ? lists(*column.ends, column, run).values() : run;
}

void RNTupleSliceReader::prepare(std::span<const std::size_t> columns, EntryRange range) {
  std::vector<Claim> pages;
  for (const std::size_t number : columns) {
    if (is_default(number)) continue;
    const FieldColumn& column = field_column(number);
    if (column.values)
      add_pages(*column.values, loaded(*column.values, column).pages, values_of(column, range), pages);
  }
  decode(pages);
}

ColumnView RNTupleSliceReader::view(std::size_t number, EntryRange range, ColumnBuffer& scratch) {
  if (is_default(number)) return context_.defaults.at(number).view(range.count, scratch);
  const FieldColumn& column = field_column(number);
  ColumnView view{column.type, range.count};
  ElementRange run{entries_.first + range.first, entries_.first + range.end()};
  Buffer* offsets_buffer = &scratch.offsets;
  const std::uint32_t** offsets = &view.offsets;
  for (const ListLevel& level : column.levels) {
    if (level.index) {
      const Lists& here = lists(*level.index, column, run);
      *offsets = here.offsets;
      run = here.values();
    } else {
      *offsets = arrays(column, level.array_size, run, *offsets_buffer);
      run = {run.begin * level.array_size, run.end * level.array_size};
    }
    offsets = &view.inner_offsets;
    offsets_buffer = &scratch.inner_offsets;
  }
  if (!column.ends) {
    const ElementPages& from = loaded(*column.values, column).pages;
    view.values = elements(*column.values, from, run, scratch.values);
  } else {
    const Lists& here = lists(*column.ends, column, run);
    view.values =
        column.is_count() ? counts(column, here, scratch.values) : strings(column, here, scratch.values);
  }
  return view;
}

}  // namespace skimline::io
