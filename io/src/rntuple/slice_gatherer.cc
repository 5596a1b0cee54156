// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/slice_gatherer.h"

#include "compression/compression_choice.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace skimline::io {
namespace {

// A page that takes less than this in memory is not worth keeping as it is: pages would become ever smaller.
constexpr std::uint64_t kMinStoredPage = 16 * 1024;
// Most bytes of a run that are copied whether it has as many or not.
constexpr std::size_t kAtOnce = 32;
// Far more elements than a cluster can store; sums of such numbers do not overflow.
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 48;

void append_run(std::vector<ElementRange>& runs, ElementRange run) {
  if (run.begin == run.end) return;
  if (!runs.empty() && runs.back().end == run.begin)
    runs.back().end = run.end;
  else
    runs.push_back(run);
}

void append_copied(std::vector<Piece>& pieces, std::uint64_t count) {
  if (count == 0) return;
  if (pieces.empty() || pieces.back().page) pieces.emplace_back();
  pieces.back().count += count;
}

// Pages without checksum may be damaged: they are decoded to find out.
bool is_worth_keeping(const ElementPages& range, std::size_t page, std::size_t element_size) {
  const PageInfo& info = range.layout->range->pages[page];
  return info.has_checksum && info.num_elements >= kMinStoredPage / element_size;
}

// Ascending runs as far as they lie within a range: the first and the last may be parted by it.
class PartedRuns {
 public:
  PartedRuns(std::span<const ElementRange> runs, ElementRange within) : runs_(runs), within_(within) {}

  bool is_empty() const { return runs_.empty() || within_.begin >= within_.end; }
  bool is_one_run() const { return runs_.size() == 1; }
  std::uint64_t begin() const { return std::max(runs_.front().begin, within_.begin); }
  std::uint64_t end() const { return std::min(runs_.back().end, within_.end); }

  std::uint64_t num_elements() const {
    if (is_empty()) return 0;
    std::uint64_t count = 0;
    for (const ElementRange& run : runs_) count += run.size();
    return count - (begin() - runs_.front().begin) - (runs_.back().end - end());
  }

  template <typename Take>
  void for_each(Take take) const {
    for (const ElementRange& run : runs_)
      take(ElementRange{std::max(run.begin, within_.begin), std::min(run.end, within_.end)});
  }

 private:
  std::span<const ElementRange> runs_;
  ElementRange within_;
};

// Hands out ascending runs page by page.
class RunsByPage {
 public:
  explicit RunsByPage(std::span<const ElementRange> runs) : left_(runs) {}

  bool is_done() const { return left_.empty(); }

  /// Those up to the element `end`.
  PartedRuns take_until(std::uint64_t end) {
    const auto after =
        std::partition_point(left_.begin(), left_.end(), [&](ElementRange run) { return run.begin < end; });
    const auto num_taken = static_cast<std::size_t>(after - left_.begin());
    const PartedRuns taken(left_.first(num_taken), {taken_before_, end});
    const bool is_parted = num_taken > 0 && left_[num_taken - 1].end > end;
    left_ = left_.subspan(is_parted ? num_taken - 1 : num_taken);
    taken_before_ = end;
    return taken;
  }

 private:
  std::span<const ElementRange> left_;
  std::uint64_t taken_before_ = 0;  // no element before it is left
};

// Appends runs of `elements` of a page, which begin with element number `first`. Most runs have few elements:
// copying as many bytes whatever the run takes no decisions, and pages are padded.
void append_runs(const PartedRuns& runs, const std::byte* elements, std::uint64_t first, std::size_t size,
                 ElementBytes& to) {
  static_assert(kAtOnce <= BufferPool::kPadding);
  const std::size_t before = to.size(), after = before + runs.num_elements() * size;
  to.resize(after + kAtOnce);
  std::byte* end = to.data() + before;
  runs.for_each([&](ElementRange run) {
    const std::byte* from = elements + (run.begin - first) * size;
    const std::uint64_t bytes = run.size() * size;
    if (bytes <= kAtOnce)
      std::memcpy(end, from, kAtOnce);
    else
      std::memcpy(end, from, bytes);
    end += bytes;
  });
  to.resize(after);
}

// Whether the runs are all that the slice has of a page.
bool is_all_of_slice(const PartedRuns& runs, ElementRange slice, const ElementPages& range,
                     std::size_t page) {
  const std::vector<std::uint64_t>& begins = range.layout->begins;
  return runs.is_one_run() && runs.begin() == std::max(begins[page], slice.begin) &&
         runs.end() == std::min(begins[page + 1], slice.end);
}

bool is_compressed_as(std::uint32_t root_number, const std::optional<CompressionSetting>& wanted) {
  return wanted ? static_cast<std::uint32_t>(wanted->root_number()) == root_number
                : choice_numbered(root_number).has_value();
}

}  // namespace

SliceGatherer::SliceGatherer(SliceElements& stored, const CarriedFields& fields,
                             std::optional<CompressionSetting> compression, GatheredEntries& gathered)
    : stored_(stored), fields_(fields), compression_(compression), gathered_(gathered) {
  for (std::size_t level = 0; level < fields.levels().size(); ++level)
    selections_.push_back(std::make_shared<Selection>());
}

void SliceGatherer::gather(std::span<const ElementRange> entries) {
  const EntryRange slice = stored_.entries();
  Selection& all = *selections_[0];
  all.slice = {slice.first, slice.end()};
  all.runs.reserve(entries.size());
  for (const ElementRange& run : entries) {
    all.runs.push_back({slice.first + run.begin, slice.first + run.end});
    all.count += run.size();
  }
  gathered_.num_entries = gathered_.levels[0].count = all.count;
  gathered_.is_whole_slice = all.count == slice.count;
  gathered_.ends_source_cluster = slice.end() == stored_.entries_in_cluster();
  if (all.count == 0) return;
  streams_ = find_streams();
  std::size_t max_depth = 0;
  for (std::size_t level = 1; level < selections_.size(); ++level) {
    selections_[level]->depth = selections_[fields_.levels()[level].outer]->depth + 1;
    max_depth = std::max(max_depth, selections_[level]->depth);
  }
  for (std::size_t depth = 1; depth <= max_depth; ++depth) {
    load_outer_columns(depth);
    for (std::size_t level = 1; level < selections_.size(); ++level)
      if (selections_[level]->depth == depth) make_level(level);
  }
  gather_columns();
}

// Pages that are stored once for several columns are those of the first.
std::vector<std::size_t> SliceGatherer::find_streams() const {
  std::vector<std::size_t> streams;
  for (const CarriedColumn& column : fields_.columns()) {
    const std::size_t stream = column.numbers[stored_.file_number()];
    streams.push_back(stored_.fetcher().streams[stream].is_index ? stored_.stored_as(stream) : stream);
  }
  return streams;
}

// The elements that lie between the first and the last one taken.
ElementRange SliceGatherer::needed(std::size_t level) const {
  const std::vector<ElementRange>& runs = selections_[level]->runs;
  return {runs.front().begin, runs.back().end};
}

void SliceGatherer::load_outer_columns(std::size_t depth) {
  std::vector<ElementsWanted> wanted;
  for (std::size_t i = 1; i < selections_.size(); ++i) {
    const ElementLevel& level = fields_.levels()[i];
    if (selections_[i]->depth != depth || level.kind == LevelKind::kArray) continue;
    // Where lists begin is said by the element before.
    const ElementRange slice = selections_[level.outer]->slice;
    const std::uint64_t before = level.kind == LevelKind::kCollection && slice.begin > 0 ? 1 : 0;
    wanted.push_back({stream_of(level.column), {slice.begin - before, slice.end}});
  }
  stored_.load(wanted, true);
}

void SliceGatherer::make_level(std::size_t level) {
  const ElementLevel& here = fields_.levels()[level];
  Selection& selection = *selections_[level];
  if (here.kind == LevelKind::kArray)
    make_array(level, selection);
  else if (!take_from_equal(level)) {
    selection.elements = &stored_.elements_of(stream_of(here.column));
    if (here.kind == LevelKind::kCollection)
      make_collection(level, selection);
    else
      make_alternative(level, selection);
  }
  gathered_.levels[level].count = selections_[level]->count;
}

void SliceGatherer::make_array(std::size_t level, Selection& selection) {
  const ElementLevel& here = fields_.levels()[level];
  const Selection& outer = *selections_[here.outer];
  const std::uint64_t size = here.repetition;
  if (size != 0 && outer.slice.end > kMaxElements / size) {
    if (const std::optional<std::size_t> column = column_inside(level))
      fail(*column, "its arrays have more elements than there can be");
    return;
  }
  selection.slice = {outer.slice.begin * size, outer.slice.end * size};
  selection.count = outer.count * size;
  for (const ElementRange& run : outer.runs) append_run(selection.runs, {run.begin * size, run.end * size});
}

// Columns of one collection that are stored one by one have equal ends.
bool SliceGatherer::take_from_equal(std::size_t level) {
  const ElementLevel& here = fields_.levels()[level];
  if (here.kind != LevelKind::kCollection) return false;
  const auto [first, is_new] = first_levels_.try_emplace({here.outer, stream_of(here.column)}, level);
  if (is_new) return false;
  selections_[level] = selections_[first->second];
  gathered_.levels[level].ends_of = gathered_.levels[first->second].ends_of;
  return true;
}

void SliceGatherer::make_collection(std::size_t level, Selection& selection) {
  const ElementLevel& here = fields_.levels()[level];
  const Selection& outer = *selections_[here.outer];
  const ElementPages& index = *selection.elements;
  const std::vector<std::uint64_t>& begins = index.layout->begins;
  CollectionEnds& ends = *gathered_.levels[level].ends;
  ends.resize(outer.count);
  selection.runs.reserve(outer.runs.size());
  selection.slice = {SliceElements::end_before(index, outer.slice.begin),
                     SliceElements::end_before(index, outer.slice.end)};
  bool is_ordered = selection.slice.begin <= selection.slice.end && selection.slice.end <= kMaxElements;
  RunsByPage runs(outer.runs);
  const std::uint64_t num_empty = runs.take_until(begins.front()).num_elements();
  std::uint64_t* next = std::fill_n(ends.data(), num_empty, 0);
  std::uint64_t last = selection.slice.begin;  // nothing before is left
  for (std::size_t page = index.first_page; !runs.is_done(); ++page) {
    const PartedRuns taken = runs.take_until(begins[page + 1]);
    if (taken.is_empty()) continue;
    const auto* page_ends =
        reinterpret_cast<const std::uint64_t*>(stored_.decoded_page(stream_of(here.column), index, page));
    taken.for_each([&](ElementRange run) {
      const std::uint64_t* run_ends = page_ends + (run.begin - begins[page]);
      const std::uint64_t begin =
          run.begin > begins[page] ? run_ends[-1] : SliceElements::end_before(index, run.begin);
      is_ordered &= begin >= last;
      last = begin;
      for (std::uint64_t i = 0; i < run.size(); ++i) {
        is_ordered &= run_ends[i] >= last;
        last = run_ends[i];
        next[i] = last - begin + selection.count;
      }
      append_run(selection.runs, {begin, last});
      selection.count += last - begin;
      next += run.size();
    });
  }
  if (!is_ordered || last > selection.slice.end) fail(here.column, "the ends of its lists are not in order");
}

void SliceGatherer::make_alternative(std::size_t level, Selection& selection) {
  const ElementLevel& here = fields_.levels()[level];
  const Selection& outer = *selections_[here.outer];
  CollectionEnds& ends = *gathered_.levels[level].ends;
  ends.reserve(outer.count);
  std::vector<SwitchElement> elements;
  std::uint64_t next = 0;
  for (const ElementRange& run : outer.runs) {
    elements.resize(run.size());
    SliceElements::copy_decoded(sizeof(SwitchElement), *selection.elements, run,
                                reinterpret_cast<std::byte*>(elements.data()));
    for (const SwitchElement& element : elements) {
      if (element.tag == here.tag) {
        if (element.index < next || element.index >= kMaxElements)
          fail(here.column, "the indexes of its variants are not in order");
        next = element.index + 1;
        append_run(selection.runs, {element.index, next});
        ++selection.count;
      }
      ends.push_back(selection.count);
    }
  }
  // Which elements other entries of the slice have is not known.
  if (selection.count != 0) selection.slice = needed(level);
}

// A column of the level or of those inside it.
std::optional<std::size_t> SliceGatherer::column_inside(std::size_t level) const {
  for (std::size_t column = 0; column < fields_.columns().size(); ++column) {
    std::size_t outer = fields_.output_columns()[column].level;
    while (outer > level) outer = fields_.levels()[outer].outer;
    if (outer == level) return column;
  }
  return std::nullopt;
}

void SliceGatherer::fail(std::size_t column, const std::string& problem) const {
  throw stored_.error(fields_.columns()[column].numbers[stored_.file_number()], problem);
}

void SliceGatherer::gather_columns() {
  const std::size_t num_columns = fields_.columns().size();
  std::vector<ElementsWanted> wanted;
  for (std::size_t column = 0; column < num_columns; ++column) {
    const OutputColumn& output = fields_.output_columns()[column];
    if (output.kind != ColumnKind::kValues || selections_[output.level]->count == 0) continue;
    const ElementRange range = needed(output.level);
    const std::uint64_t available = stored_.num_elements(stream_of(column));
    if (range.end > available)
      fail(column, "element " + std::to_string(range.end - 1) + " is needed, but there are " +
                       std::to_string(available));
    wanted.push_back({stream_of(column), range});
  }
  stored_.load(wanted, false);
  decode_what_is_copied();
  for (std::size_t column = 0; column < num_columns; ++column) {
    const OutputColumn& output = fields_.output_columns()[column];
    GatheredLevel& level = gathered_.levels[output.level];
    if (level.count == 0) continue;
    const ElementPages& range = stored_.elements_of(stream_of(column));
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

// Decodes together what most probably no page survives whole of. Slices of one cluster share pages: each
// would wait for the other at every column if it decoded them one by one.
void SliceGatherer::decode_what_is_copied() {
  std::vector<ElementsWanted> copied;
  for (std::size_t column = 0; column < fields_.columns().size(); ++column) {
    const OutputColumn& output = fields_.output_columns()[column];
    if (output.kind != ColumnKind::kValues || selections_[output.level]->count == 0) continue;
    const std::size_t stream = stream_of(column);
    const ElementPages& range = stored_.elements_of(stream);
    if (!gathered_.is_whole_slice || !can_stay_stored(column, range))
      copied.push_back({stream, range.elements});
  }
  stored_.load(copied, true);
}

bool SliceGatherer::can_stay_stored(std::size_t column, const ElementPages& range) const {
  if (range.layout->range == nullptr || !stored_.fetcher().streams[stream_of(column)].keeps_stored())
    return false;
  const PageEncoding& now = range.layout->encoding;
  const PageEncoding& then = fields_.columns()[column].encoding;
  return now.type == then.type && now.bits == then.bits && now.value_min == then.value_min &&
         now.value_max == then.value_max && is_compressed_as(range.layout->range->compression, compression_);
}

void SliceGatherer::gather_column(std::size_t column, const ElementPages& range) {
  const Selection& selection = *selections_[fields_.output_columns()[column].level];
  const std::size_t size = fields_.output_columns()[column].element_size;
  const std::size_t stream = stream_of(column);
  const bool can_stay = can_stay_stored(column, range);
  const std::vector<std::uint64_t>& begins = range.layout->begins;
  GatheredColumn& to = gathered_.columns[column];
  if (!can_stay) to.elements->reserve(selection.count * size + kAtOnce);
  RunsByPage runs(selection.runs);
  const std::uint64_t zeros = runs.take_until(begins.front()).num_elements();
  to.elements->assign(zeros * size, std::byte{0});
  append_copied(to.pieces, zeros);
  for (std::size_t page = range.first_page; !runs.is_done(); ++page) {
    const PartedRuns taken = runs.take_until(begins[page + 1]);
    if (taken.is_empty()) continue;
    const std::uint64_t count = taken.num_elements();
    if (can_stay && is_all_of_slice(taken, selection.slice, range, page) &&
        is_worth_keeping(range, page, size)) {
      to.pieces.push_back({count, stored_.source_page(stream, range, page), taken.begin() - begins[page], 0});
    } else {
      append_runs(taken, stored_.decoded_page(stream, range, page), begins[page], size, *to.elements);
      append_copied(to.pieces, count);
      // Nobody else can take the page whole then.
      if (stored_.fetcher().streams[stream].num_keepers == 1)
        range.pages[page - range.first_page]->drop_stored();
    }
  }
}

// Ends in pages that may stay stored are still needed decoded, to find the elements they count.
void SliceGatherer::gather_ends(std::size_t column, const ElementPages& range) {
  const OutputColumn& output = fields_.output_columns()[column];
  const Selection& selection = *selections_[output.level];
  const std::size_t stream = stream_of(column);
  const bool can_stay = can_stay_stored(column, range);
  const std::vector<std::uint64_t>& begins = range.layout->begins;
  const CollectionEnds& ends = *gathered_.levels[gathered_.levels[output.inner_level].ends_of].ends;
  std::vector<Piece>& pieces = gathered_.columns[column].pieces;
  if (!can_stay) return append_copied(pieces, selection.count);
  RunsByPage runs(selection.runs);
  std::uint64_t taken_before = runs.take_until(begins.front()).num_elements();
  append_copied(pieces, taken_before);
  for (std::size_t page = range.first_page; !runs.is_done(); ++page) {
    const PartedRuns taken = runs.take_until(begins[page + 1]);
    if (taken.is_empty()) continue;
    const std::uint64_t count = taken.num_elements(), begin = taken.begin();
    if (is_all_of_slice(taken, selection.slice, range, page) &&
        is_worth_keeping(range, page, output.element_size)) {
      const std::uint64_t inner_before = taken_before == 0 ? 0 : ends[taken_before - 1];
      pieces.push_back({count, stored_.source_page(stream, range, page), begin - begins[page],
                        SliceElements::end_before(range, begin) - inner_before});
    } else {
      append_copied(pieces, count);
    }
    taken_before += count;
  }
}

// Indexes count from the first element gathered of each alternative.
void SliceGatherer::gather_switch(std::size_t column, const ElementPages& range) {
  const Selection& selection = *selections_[fields_.output_columns()[column].level];
  GatheredColumn& to = gathered_.columns[column];
  const auto is_alternative = [&](const ElementLevel& level) {
    return level.kind == LevelKind::kAlternative && level.column == column;
  };
  const auto num_alternatives = static_cast<std::size_t>(
      std::count_if(fields_.levels().begin(), fields_.levels().end(), is_alternative));
  std::vector<std::uint64_t> taken(num_alternatives + 1);  // by tag
  std::vector<SwitchElement> elements;
  for (const ElementRange& run : selection.runs) {
    elements.resize(run.size());
    SliceElements::copy_decoded(sizeof(SwitchElement), range, run,
                                reinterpret_cast<std::byte*>(elements.data()));
    for (SwitchElement& element : elements) {
      if (element.tag > num_alternatives)
        fail(column, "a variant has no alternative number " + std::to_string(element.tag));
      element.index = element.tag == 0 ? 0 : taken[element.tag]++;
    }
    const auto bytes = std::as_bytes(std::span(elements));
    to.elements->insert(to.elements->end(), bytes.begin(), bytes.end());
    append_copied(to.pieces, elements.size());
  }
}

}  // namespace skimline::io
