// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/rntuple_slice_reader.h"

#include "skimline/io/format_error.h"

#include <limits>

namespace skimline::io {
namespace {

constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int32_t>::max();

// Makes offsets of ends: what each is behind the end `before` the first list. Returns whether they never
// decrease and stay below 2^31. Two loops, each of one width, so that both vectorise.
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

}  // namespace

RNTupleSliceReader::RNTupleSliceReader(SliceContext context, std::shared_ptr<ClusterPages> pages,
                                       std::size_t slice, std::function<void()> on_close)
    : context_(context),
      stored_(context.fetcher, context.file.number(), std::move(pages), slice),
      on_close_(std::move(on_close)),
      lists_(context.fetcher.streams.size()) {}

RNTupleSliceReader::~RNTupleSliceReader() {
  context_.loaded_streams->note(stored_.loaded_streams());
  stored_.release();
  on_close_();
}

// Of entries counted from the start of the slice.
ElementRange RNTupleSliceReader::elements_of(EntryRange range) const {
  const std::uint64_t first = stored_.entries().first;
  return {first + range.first, first + range.end()};
}

// Moves to the values of lists; returns false if these are not known yet.
bool RNTupleSliceReader::enter_lists(Descent& descent, std::size_t index) const {
  if (!stored_.is_loaded(index) || !lists_[index].values) return false;
  descent.run = *lists_[index].values;
  return true;
}

// Goes down as far as what is loaded reaches. Returns the stream that is needed next.
std::optional<std::size_t> RNTupleSliceReader::descend(Descent& descent) const {
  const FieldColumn& column = descent.column;
  for (; descent.next_level < column.levels.size(); ++descent.next_level) {
    const ListLevel& level = column.levels[descent.next_level];
    if (!level.index)
      descent.run = elements_of_arrays(column, descent.run, level.array_size);
    else if (const std::size_t index = stored_.stored_as(*level.index); !enter_lists(descent, index))
      return index;
  }
  if (column.ends && !descent.is_below_ends) {
    const std::size_t index = stored_.stored_as(*column.ends);
    if (!enter_lists(descent, index)) return index;
    descent.is_below_ends = true;
  }
  if (column.values && !stored_.is_loaded(*column.values)) return column.values;
  return std::nullopt;
}

// What lists hold is what the file says, and may be more than can be counted in elements of arrays.
ElementRange RNTupleSliceReader::elements_of_arrays(const FieldColumn& column, ElementRange arrays,
                                                    std::uint64_t size) const {
  if (arrays.end > std::numeric_limits<std::uint64_t>::max() / size)
    throw stored_.error(column.streams().back(), "the lists end at array " + std::to_string(arrays.end) +
                                                     " of " + std::to_string(size) + " values each");
  return {arrays.begin * size, arrays.end * size};
}

// Finds out what the lists of a run hold, of an index stream that is decoded.
void RNTupleSliceReader::find_values(std::size_t index, ElementRange run) {
  const ElementPages& ends = stored_.elements_of(index);
  const std::uint64_t begin = SliceElements::end_before(ends, run.begin);
  const std::uint64_t end = SliceElements::end_before(ends, run.end);
  if (begin > end)
    throw stored_.error(index,
                        "its lists end at value " + std::to_string(end) + ", after " + std::to_string(begin));
  lists_[index].values = ElementRange{begin, end};
}

void RNTupleSliceReader::load(std::span<const std::size_t> columns) {
  std::vector<Descent> descents;
  for (const std::size_t column : columns) {
    const FieldColumn* here = context_.file.find(column);
    if (!here) continue;
    descents.push_back({*here, elements_of({0, stored_.entries().count})});
    context_.is_loaded[column].store(true, std::memory_order_relaxed);
  }
  while (load_next(descents)) {
  }
}

// Loads what is needed next of all columns in as few reads as possible; returns whether that was anything.
bool RNTupleSliceReader::load_next(std::vector<Descent>& descents) {
  std::map<std::size_t, ElementRange> runs;
  std::vector<ElementsWanted> wanted;
  for (Descent& descent : descents) {
    const std::optional<std::size_t> stream = descend(descent);
    if (stream && runs.emplace(*stream, descent.run).second) wanted.push_back({*stream, descent.run});
  }
  stored_.load_lists(wanted);
  for (const auto& [stream, run] : runs)
    if (is_index(stream)) find_values(stream, run);
  return !runs.empty();
}

void RNTupleSliceReader::check_loaded(bool is_loaded, const FieldColumn& column) {
  if (!is_loaded) throw InternalError("column \"" + column.name + "\" is viewed before it is loaded");
}

void RNTupleSliceReader::make_lists(std::size_t stream, ElementRange run) {
  const ElementPages& index = stored_.elements_of(stream);
  const ElementRange& all = *lists_[stream].values;
  Lists& made = lists_[stream].viewed;
  made.offsets = nullptr;
  made.run = run;
  made.first_value = SliceElements::end_before(index, run.begin);
  auto* offsets = made.memory.reserve<std::uint32_t>(run.size() + 1);
  const void* ends = stored_.together(stream, run, ends_);
  const bool is_inside =
      made.first_value >= all.begin && SliceElements::end_before(index, run.end) <= all.end;
  if (!to_offsets(static_cast<const std::uint64_t*>(ends), run.size(), made.first_value, offsets) ||
      !is_inside)
    throw stored_.error(stream, "the ends of its lists are not in order, or lists have more than " +
                                    std::to_string(kMaxOffset) + " values together");
  made.offsets = offsets;
}

const RNTupleSliceReader::Lists& RNTupleSliceReader::lists(std::size_t index, const FieldColumn& column,
                                                           ElementRange run) {
  const std::size_t stream = stored_.stored_as(index);
  check_loaded(stored_.is_loaded(stream) && lists_[stream].values, column);
  const Lists& viewed = lists_[stream].viewed;
  if (!viewed.offsets || viewed.run != run) make_lists(stream, run);
  return viewed;
}

const std::uint32_t* RNTupleSliceReader::arrays(const FieldColumn& column, std::uint64_t size,
                                                ElementRange run, Buffer& scratch) const {
  if (run.size() > kMaxOffset / size)
    throw stored_.error(column.streams().back(),
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
const void* RNTupleSliceReader::strings(const FieldColumn& column, const Lists& lists,
                                        Buffer& scratch) const {
  const std::size_t stream = *column.values;
  check_loaded(stored_.is_loaded(stream), column);
  const ElementRange characters = lists.values();
  const std::byte* text = stored_.in_one_page(stream, characters);
  const std::size_t size_of_views = lists.run.size() * sizeof(std::string_view);
  auto* views =
      static_cast<std::string_view*>(scratch.reserve_bytes(size_of_views + (text ? 0 : characters.size())));
  if (!text) {
    std::byte* copy = reinterpret_cast<std::byte*>(views) + size_of_views;
    stored_.copy(stream, characters, copy);
    text = copy;
  }
  for (std::size_t i = 0; i < lists.run.size(); ++i)
    views[i] = {reinterpret_cast<const char*>(text) + lists.offsets[i],
                lists.offsets[i + 1] - lists.offsets[i]};
  return views;
}

// The values or characters of a column for a range of entries.
ElementRange RNTupleSliceReader::values_of(const FieldColumn& column, EntryRange range) {
  ElementRange run = elements_of(range);
  for (const ListLevel& level : column.levels)
    run = level.index ? lists(*level.index, column, run).values()
                      : ElementRange{run.begin * level.array_size, run.end * level.array_size};
  return column.ends ? lists(*column.ends, column, run).values() : run;
}

void RNTupleSliceReader::prepare(std::span<const std::size_t> columns, EntryRange range) {
  std::vector<ElementsWanted> wanted;
  for (const std::size_t number : columns) {
    const FieldColumn* column = context_.file.find(number);
    if (!column || !column->values) continue;
    check_loaded(stored_.is_loaded(*column->values), *column);
    wanted.push_back({*column->values, values_of(*column, range)});
  }
  stored_.decode(wanted);
}

ColumnView RNTupleSliceReader::view(std::size_t number, EntryRange range, ColumnBuffer& scratch) {
  const FieldColumn* found = context_.file.find(number);
  if (!found) return context_.defaults.at(number).view(range.count, scratch);
  const FieldColumn& column = *found;
  ColumnView view{column.type, range.count};
  ElementRange run = elements_of(range);
  int depth = 0;
  for (const ListLevel& level : column.levels) {
    if (level.index) {
      const Lists& here = lists(*level.index, column, run);
      view.offsets_at(depth) = here.offsets;
      run = here.values();
    } else {
      view.offsets_at(depth) = arrays(column, level.array_size, run, scratch.offsets_at(depth));
      run = {run.begin * level.array_size, run.end * level.array_size};
    }
    ++depth;
  }
  if (!column.ends) {
    check_loaded(stored_.is_loaded(*column.values), column);
    view.values = stored_.together(*column.values, run, scratch.values);
  } else {
    const Lists& here = lists(*column.ends, column, run);
    view.values =
        column.is_count() ? counts(column, here, scratch.values) : strings(column, here, scratch.values);
  }
  return view;
}

}  // namespace skimline::io
