// SPDX-License-Identifier: BSD-3-Clause
#include "slice_gatherer.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace skimline::io {
namespace {

// A page that takes less than this in memory is not worth keeping as it is: pages would become ever smaller.
constexpr std::uint64_t kMinStoredPage = 16 * 1024;

void append_run(std::vector<ElementRun>& runs, ElementRun run) {
  if (run.begin == run.end) return;
  if (!runs.empty() && runs.back().end == run.begin)
    runs.back().end = run.end;
  else
    runs.push_back(run);
}

void append_bytes(std::vector<std::byte>& to, const std::byte* from, std::size_t size) {
  to.insert(to.end(), from, from + size);
}

void append_copied(std::vector<Piece>& pieces, std::uint64_t count) {
  if (count == 0) return;
  if (pieces.empty() || pieces.back().page) pieces.emplace_back();
  pieces.back().count += count;
}

// Pages without checksum may be damaged: they are decoded to find out.
bool is_worth_keeping(const ElementRange& range, std::size_t page, std::size_t element_size) {
  const PageInfo& info = range.layout->range->pages[page];
  return info.has_checksum && info.num_elements * element_size >= kMinStoredPage;
}

// The page that holds an element, starting at `guess`, where the last one was found.
std::size_t find_page(const ElementRange& range, std::uint64_t element, std::size_t guess) {
  const std::vector<std::uint64_t>& begins = range.layout->begins;
  if (guess + 1 >= begins.size() || begins[guess] > element) guess = range.first_page;
  while (begins[guess + 1] <= element) ++guess;
  return guess;
}

}  // namespace

SliceGatherer::SliceGatherer(RNTupleSliceReader& reader, const CarriedFields& fields,
                             CompressionSetting compression, GatheredEntries& gathered)
    : reader_(reader),
      fields_(fields),
      compression_(compression.root_number()),
      gathered_(gathered),
      selections_(fields.levels().size()) {}

void SliceGatherer::gather(std::span<const ElementRun> entries) {
  const EntryRange slice = reader_.entries();
  Selection& all = selections_[0];
  all.slice = {slice.first, slice.end()};
  for (const ElementRun& run : entries) {
    all.runs.push_back({slice.first + run.begin, slice.first + run.end});
    all.count += run.end - run.begin;
  }
  gathered_.num_entries = gathered_.levels[0].count = all.count;
  gathered_.is_whole_slice = all.count == slice.count;
  gathered_.ends_source_cluster = slice.end() == reader_.entries_in_cluster();
  if (all.count == 0) return;
  std::size_t max_depth = 0;
  for (std::size_t level = 1; level < selections_.size(); ++level) {
    selections_[level].depth = selections_[fields_.levels()[level].outer].depth + 1;
    max_depth = std::max(max_depth, selections_[level].depth);
  }
  for (std::size_t depth = 1; depth <= max_depth; ++depth) {
    load_outer_columns(depth);
    for (std::size_t level = 1; level < selections_.size(); ++level)
      if (selections_[level].depth == depth) make_level(level);
  }
  gather_columns();
}

std::size_t SliceGatherer::stream_of(std::size_t column) const {
  const std::size_t stream = fields_.columns()[column].numbers[reader_.file()];
  return reader_.fetcher().streams[stream].is_index ? reader_.stored_as(stream) : stream;
}

// The elements that lie between the first and the last one taken.
ElementRun SliceGatherer::needed(std::size_t level) const {
  const Selection& selection = selections_[level];
  ElementRun range = selection.runs.front();
  for (const ElementRun& run : selection.runs)
    range = {std::min(range.begin, run.begin), std::max(range.end, run.end)};
  return range;
}

void SliceGatherer::load_outer_columns(std::size_t depth) {
  std::vector<ElementsWanted> wanted;
  for (std::size_t i = 1; i < selections_.size(); ++i) {
    const ElementLevel& level = fields_.levels()[i];
    if (selections_[i].depth != depth || level.kind == LevelKind::kArray) continue;
    // Where lists begin is said by the element before.
    const ElementRun slice = selections_[level.outer].slice;
    const std::uint64_t before = level.kind == LevelKind::kCollection && slice.begin > 0 ? 1 : 0;
    wanted.push_back({stream_of(level.column), slice.begin - before, slice.end});
  }
  reader_.load_elements(wanted, true);
}

void SliceGatherer::make_level(std::size_t level) {
  const ElementLevel& here = fields_.levels()[level];
  Selection& selection = selections_[level];
  if (here.kind == LevelKind::kArray)
    make_array(here, selection);
  else if (!take_from_equal(level)) {
    selection.elements = &reader_.elements_of(stream_of(here.column));
    if (here.kind == LevelKind::kCollection)
      make_collection(level, selection);
    else
      make_alternative(level, selection);
  }
  gathered_.levels[level].count = selection.count;
}

void SliceGatherer::make_array(const ElementLevel& level, Selection& selection) {
  const Selection& outer = selections_[level.outer];
  const std::uint64_t size = level.repetition;
  selection.slice = {outer.slice.begin * size, outer.slice.end * size};
  selection.count = outer.count * size;
  for (const ElementRun& run : outer.runs) append_run(selection.runs, {run.begin * size, run.end * size});
}

// Columns of one collection that are stored one by one have equal ends.
bool SliceGatherer::take_from_equal(std::size_t level) {
  const ElementLevel& here = fields_.levels()[level];
  if (here.kind != LevelKind::kCollection) return false;
  const std::size_t stream = stream_of(here.column);
  for (std::size_t other = 1; other < level; ++other) {
    const ElementLevel& there = fields_.levels()[other];
    if (there.kind != LevelKind::kCollection || there.outer != here.outer ||
        stream_of(there.column) != stream)
      continue;
    selections_[level] = selections_[other];
    gathered_.levels[level].ends_of = gathered_.levels[other].ends_of;
    return true;
  }
  return false;
}

void SliceGatherer::make_collection(std::size_t level, Selection& selection) {
  const ElementLevel& here = fields_.levels()[level];
  const Selection& outer = selections_[here.outer];
  const ElementRange& index = *selection.elements;
  std::vector<std::uint64_t>& ends = gathered_.levels[level].ends;
  ends.resize(outer.count);
  selection.slice = {reader_.end_before(index, outer.slice.begin),
                     reader_.end_before(index, outer.slice.end)};
  std::uint64_t* next = ends.data();
  std::uint64_t taken = 0;
  bool is_ordered = selection.slice.begin <= selection.slice.end;
  for (const ElementRun& run : outer.runs) {
    const std::uint64_t count = run.end - run.begin;
    const std::uint64_t begin = reader_.end_before(index, run.begin);
    reader_.copy_elements(sizeof(std::uint64_t), index, run.begin, count, reinterpret_cast<std::byte*>(next));
    std::uint64_t previous = begin;
    for (std::uint64_t i = 0; i < count; ++i) {
      is_ordered &= next[i] >= previous;
      previous = next[i];
      next[i] = previous - begin + taken;
    }
    is_ordered &= begin >= selection.slice.begin && previous <= selection.slice.end;
    append_run(selection.runs, {begin, previous});
    taken += previous - begin;
    next += count;
  }
  if (!is_ordered) fail(here.column, "the ends of its lists are not in order");
  selection.count = taken;
}

void SliceGatherer::make_alternative(std::size_t level, Selection& selection) {
  const ElementLevel& here = fields_.levels()[level];
  const Selection& outer = selections_[here.outer];
  std::vector<std::uint64_t>& ends = gathered_.levels[level].ends;
  ends.reserve(outer.count);
  std::vector<SwitchElement> elements;
  for (const ElementRun& run : outer.runs) {
    elements.resize(run.end - run.begin);
    reader_.copy_elements(sizeof(SwitchElement), *selection.elements, run.begin, elements.size(),
                          reinterpret_cast<std::byte*>(elements.data()));
    for (const SwitchElement& element : elements) {
      if (element.tag == here.tag) {
        if (element.index + 1 == 0) fail(here.column, "an impossible index");
        append_run(selection.runs, {element.index, element.index + 1});
        ++selection.count;
      }
      ends.push_back(selection.count);
    }
  }
  // Which elements other entries of the slice have is not known.
  if (selection.count != 0) selection.slice = needed(level);
}

void SliceGatherer::fail(std::size_t column, const std::string& problem) const {
  throw reader_.fetcher().error(fields_.columns()[column].numbers[reader_.file()], reader_.cluster(),
                                problem);
}

void SliceGatherer::gather_columns() {
  const std::size_t num_columns = fields_.columns().size();
  std::vector<ElementsWanted> wanted;
  for (std::size_t column = 0; column < num_columns; ++column) {
    const OutputColumn& output = fields_.output_columns()[column];
    if (output.kind != ColumnKind::kValues || selections_[output.level].count == 0) continue;
    const ElementRun range = needed(output.level);
    const std::uint64_t available = reader_.num_elements(stream_of(column));
    if (range.end > available)
      fail(column, "element " + std::to_string(range.end - 1) + " is needed, but there are " +
                       std::to_string(available));
    wanted.push_back({stream_of(column), range.begin, range.end});
  }
  reader_.load_elements(wanted, false);
  for (std::size_t column = 0; column < num_columns; ++column) {
    const OutputColumn& output = fields_.output_columns()[column];
    GatheredLevel& level = gathered_.levels[output.level];
    if (level.count == 0) continue;
    const ElementRange& range = reader_.elements_of(stream_of(column));
    if (output.kind == ColumnKind::kEnds)
      gather_ends(column, range);
    else if (output.kind == ColumnKind::kSwitch)
      gather_switch(column, range);
    else
      gather_column(column, range);
    for (const Piece& piece : gathered_.columns[column].pieces)
      level.bytes += piece.page
                         ? piece.page->info().locator.size * piece.count / piece.page->info().num_elements
                         : piece.count * output.element_size;
  }
}

bool SliceGatherer::can_stay_stored(std::size_t column, const ElementRange& range) const {
  if (range.layout->range == nullptr || !reader_.fetcher().streams[stream_of(column)].keeps_stored)
    return false;
  const PageEncoding& now = range.layout->encoding;
  const PageEncoding& then = fields_.columns()[column].encoding;
  return now.type == then.type && now.bits == then.bits && now.value_min == then.value_min &&
         now.value_max == then.value_max &&
         static_cast<int>(range.layout->range->compression) == compression_;
}

void SliceGatherer::gather_column(std::size_t column, const ElementRange& range) {
  const Selection& selection = selections_[fields_.output_columns()[column].level];
  const std::size_t size = fields_.output_columns()[column].element_size;
  const bool can_stay = can_stay_stored(column, range);
  GatheredColumn& to = gathered_.columns[column];
  to.elements.reserve(selection.count * size);
  const std::vector<std::uint64_t>& begins = range.layout->begins;
  std::size_t page = range.first_page;
  const std::byte* elements = nullptr;  // of the page `page`, once they are needed
  for (ElementRun run : selection.runs) {
    if (run.begin < begins.front()) {
      const std::uint64_t zeros = std::min(run.end, begins.front()) - run.begin;
      to.elements.resize(to.elements.size() + zeros * size);
      append_copied(to.pieces, zeros);
      run.begin += zeros;
    }
    while (run.begin < run.end) {
      const std::size_t found = find_page(range, run.begin, page);
      if (found != page) elements = nullptr;
      page = found;
      const std::uint64_t end = std::min(run.end, begins[page + 1]);
      const bool is_all_of_slice = run.begin == std::max(begins[page], selection.slice.begin) &&
                                   end == std::min(begins[page + 1], selection.slice.end);
      if (can_stay && is_all_of_slice && is_worth_keeping(range, page, size)) {
        to.pieces.push_back({end - run.begin, reader_.source_page(stream_of(column), range, page),
                             run.begin - begins[page], 0});
      } else {
        if (!elements) elements = reader_.decoded_page(stream_of(column), range, page);
        append_bytes(to.elements, elements + (run.begin - begins[page]) * size, (end - run.begin) * size);
        append_copied(to.pieces, end - run.begin);
      }
      run.begin = end;
    }
  }
}

// Ends in pages that may stay stored are still needed decoded, to find the elements they count.
void SliceGatherer::gather_ends(std::size_t column, const ElementRange& range) {
  const OutputColumn& output = fields_.output_columns()[column];
  const Selection& selection = selections_[output.level];
  const bool can_stay = can_stay_stored(column, range);
  std::vector<Piece>& pieces = gathered_.columns[column].pieces;
  const std::vector<std::uint64_t>& begins = range.layout->begins;
  const GatheredLevel& inner = gathered_.levels[output.inner_level];
  const std::vector<std::uint64_t>& ends = gathered_.levels[inner.ends_of].ends;
  std::size_t page = range.first_page;
  std::uint64_t taken = 0;  // elements of the index column
  for (ElementRun run : selection.runs) {
    const std::uint64_t inner_before = taken == 0 ? 0 : ends[taken - 1];
    const std::uint64_t subtract = reader_.end_before(range, run.begin) - inner_before;
    taken += run.end - run.begin;
    if (run.begin < begins.front()) {
      const std::uint64_t zeros = std::min(run.end, begins.front()) - run.begin;
      append_copied(pieces, zeros);
      run.begin += zeros;
    }
    while (run.begin < run.end) {
      page = find_page(range, run.begin, page);
      const std::uint64_t end = std::min(run.end, begins[page + 1]);
      const bool is_all_of_slice = run.begin == std::max(begins[page], selection.slice.begin) &&
                                   end == std::min(begins[page + 1], selection.slice.end);
      if (can_stay && is_all_of_slice && is_worth_keeping(range, page, sizeof(std::uint64_t)))
        pieces.push_back({end - run.begin, reader_.source_page(stream_of(column), range, page),
                          run.begin - begins[page], subtract});
      else
        append_copied(pieces, end - run.begin);
      run.begin = end;
    }
  }
}

// Indexes count from the first element gathered of each alternative.
void SliceGatherer::gather_switch(std::size_t column, const ElementRange& range) {
  const Selection& selection = selections_[fields_.output_columns()[column].level];
  GatheredColumn& to = gathered_.columns[column];
  const auto is_alternative = [&](const ElementLevel& level) {
    return level.kind == LevelKind::kAlternative && level.column == column;
  };
  const auto num_alternatives = static_cast<std::size_t>(
      std::count_if(fields_.levels().begin(), fields_.levels().end(), is_alternative));
  std::vector<std::uint64_t> taken(num_alternatives + 1);  // by tag
  std::vector<SwitchElement> elements;
  for (const ElementRun& run : selection.runs) {
    elements.resize(run.end - run.begin);
    reader_.copy_elements(sizeof(SwitchElement), range, run.begin, elements.size(),
                          reinterpret_cast<std::byte*>(elements.data()));
    for (SwitchElement& element : elements) {
      if (element.tag > num_alternatives)
        fail(column, "a variant has no alternative number " + std::to_string(element.tag));
      element.index = element.tag == 0 ? 0 : taken[element.tag]++;
    }
    append_bytes(to.elements, reinterpret_cast<const std::byte*>(elements.data()),
                 elements.size() * sizeof(SwitchElement));
    append_copied(to.pieces, elements.size());
  }
}

}  // namespace skimline::io
