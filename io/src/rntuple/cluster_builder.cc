// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_builder.h"

#include <algorithm>
#include <cstring>

namespace skimline::io {
namespace {

std::uint64_t end_before(const GatheredEntries& entries, std::size_t level, std::uint64_t element) {
  return element == 0 ? 0 : (*entries.levels[entries.levels[level].ends_of].ends)[element - 1];
}

// Elements that are worth leaving where they are until the page is sealed: copying fewer costs nothing, and
// they would keep the memory of many slices.
constexpr std::size_t kLeftInPlace = 1024;

template <typename Vector>
std::shared_ptr<const std::byte> part_of(const std::shared_ptr<Vector>& values, std::uint64_t first_byte,
                                         std::size_t size) {
  if (size < kLeftInPlace || values->capacity() > 4 * values->size()) return nullptr;
  return {values, reinterpret_cast<const std::byte*>(values->data()) + first_byte};
}

// a * b / c, which fits, without overflow on the way.
std::uint64_t share(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b / c);
}

}  // namespace

const SourcePage* RawPage::source() const {
  if (parts.size() != 1 || !parts.front().page) return nullptr;
  const PagePart& part = parts.front();
  return part.count == part.page->info().num_elements && part.shift == 0 ? part.page.get() : nullptr;
}

bool RawPage::is_own() const {
  return std::none_of(parts.begin(), parts.end(), [](const PagePart& part) { return part.page; });
}

ClusterBuilder::ClusterBuilder(const OutputSchema& schema, WriterSizes sizes, BufferPool& pool)
    : schema_(schema),
      open_pages_(schema.columns().size()),
      level_elements_(schema.levels().size()),
      level_first_(schema.levels().size()),
      sizes_(sizes),
      pool_(pool) {}

// The number of elements of each level before an entry.
std::vector<std::uint64_t> ClusterBuilder::positions(const GatheredEntries& entries,
                                                     std::uint64_t entry) const {
  std::vector<std::uint64_t> result;
  result.reserve(schema_.levels().size());
  for (std::size_t i = 0; i < schema_.levels().size(); ++i) {
    const ElementLevel& level = schema_.levels()[i];
    if (level.kind == LevelKind::kEntries)
      result.push_back(entry);
    else if (level.kind == LevelKind::kArray)
      result.push_back(result[level.outer] * level.repetition);
    else
      result.push_back(end_before(entries, i, result[level.outer]));
  }
  return result;
}

// Size in memory of the entries [first, last).
std::uint64_t ClusterBuilder::bytes_of(const GatheredEntries& entries, std::uint64_t first,
                                       std::uint64_t last) const {
  const std::vector<std::uint64_t> begin = positions(entries, first);
  const std::vector<std::uint64_t> end = positions(entries, last);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < begin.size(); ++i)
    if (const GatheredLevel& level = entries.levels[i]; level.count != 0)
      bytes += share(level.bytes, end[i], level.count) - share(level.bytes, begin[i], level.count);
  return bytes;
}

// Size that the cluster has once all entries from `first` on are in it and every page is decoded.
std::uint64_t ClusterBuilder::unpacked_bytes_after(const GatheredEntries& entries,
                                                   std::uint64_t first) const {
  const std::vector<std::uint64_t> begin = positions(entries, first);
  const std::vector<std::uint64_t> end = positions(entries, entries.num_entries);
  std::uint64_t bytes = 0;
  for (const OutputColumn& column : schema_.columns())
    bytes += (level_elements_[column.level] + end[column.level] - begin[column.level]) * column.element_size;
  return bytes;
}

// Whole slices take little memory where their pages stay stored: clusters may then be as large as those of
// the source, whose pages fit.
std::uint64_t ClusterBuilder::limit_for(const GatheredEntries& entries) const {
  return entries.is_whole_slice ? 2 * sizes_.cluster_bytes : sizes_.cluster_bytes;
}

ClusterBuilder::Room ClusterBuilder::room_for(const GatheredEntries& entries, std::uint64_t first) const {
  const std::uint64_t limit = limit_for(entries);
  const auto is_full_after = [&](std::uint64_t last) {
    return bytes_ + bytes_of(entries, first, last) >= limit;
  };
  const std::uint64_t all = entries.num_entries;
  const bool is_good_end = entries.is_whole_slice && entries.ends_source_cluster;
  if (!is_full_after(all))
    return {all - first, is_good_end && unpacked_bytes_after(entries, first) >= sizes_.cluster_bytes / 2};
  std::uint64_t low = first, high = all;  // full after high, not after low
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_full_after(middle) ? high : low) = middle;
  }
  return {high - first, true};
}

void ClusterBuilder::append(const GatheredEntries& entries, std::uint64_t first, std::uint64_t last,
                            std::vector<RawPage>& pages) {
  bytes_ += bytes_of(entries, first, last);
  num_entries_ += last - first;
  level_first_ = positions(entries, first);
  const std::vector<std::uint64_t> end = positions(entries, last);
  for (std::size_t column = 0; column < open_pages_.size(); ++column) {
    const std::size_t level = schema_.columns()[column].level;
    append_column(column, entries, level_first_[level], end[level], pages);
  }
  for (std::size_t level = 0; level < end.size(); ++level)
    level_elements_[level] += end[level] - level_first_[level];
}

ClusterEnd ClusterBuilder::finish(std::vector<RawPage>& pages) {
  ClusterEnd end;
  end.num_entries = num_entries_;
  for (std::size_t column = 0; column < open_pages_.size(); ++column) {
    if (open_pages_[column].page.num_elements > 0) cut(column, pages);
    end.num_elements.push_back(level_elements_[schema_.columns()[column].level]);
  }
  std::fill(level_elements_.begin(), level_elements_.end(), 0);
  num_entries_ = bytes_ = 0;
  return end;
}

// Appends elements [begin, end) of those gathered.
void ClusterBuilder::append_column(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                                   std::uint64_t end, std::vector<RawPage>& pages) {
  const GatheredColumn& from = entries.columns[column];
  const bool is_index = schema_.columns()[column].kind == ColumnKind::kEnds;
  if (from.pieces.empty()) return append_copied(column, entries, begin, end - begin, pages);
  std::uint64_t piece_begin = 0, copied_before = 0;
  for (const Piece& piece : from.pieces) {
    const std::uint64_t piece_end = piece_begin + piece.count;
    const std::uint64_t taken_begin = std::max(begin, piece_begin);
    const std::uint64_t taken_end = std::min(end, piece_end);
    if (taken_begin < taken_end) {
      const std::uint64_t skipped = taken_begin - piece_begin;
      if (piece.page)
        append_stored(column, piece, piece.begin + skipped, taken_end - taken_begin, pages);
      else
        append_copied(column, entries, is_index ? taken_begin : copied_before + skipped,
                      taken_end - taken_begin, pages);
    }
    if (!piece.page) copied_before += piece.count;
    piece_begin = piece_end;
    if (piece_begin >= end) break;
  }
}

std::uint64_t ClusterBuilder::elements_per_page(std::size_t column) const {
  return std::max<std::uint64_t>(1, sizes_.page_bytes / schema_.columns()[column].element_size);
}

void ClusterBuilder::append_copied(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                                   std::uint64_t count, std::vector<RawPage>& pages) {
  OpenPage& open = open_pages_[column];
  const std::size_t size = schema_.columns()[column].element_size;
  cut_if_full(column, pages);
  while (count > 0) {
    const std::uint64_t taken = std::min(count, elements_per_page(column) - open.page.num_elements);
    if (!append_gathered(column, entries, begin, taken)) {
      if (open.num_copied + taken > open.capacity) grow(column, open.num_copied + taken);
      write_elements(column, entries, begin, taken, open.page.copied.get() + open.num_copied * size);
      std::vector<PagePart>& parts = open.page.parts;
      if (parts.empty() || !parts.back().is_copied()) parts.emplace_back();
      parts.back().count += taken;
      open.num_copied += taken;
    }
    open.page.num_elements += taken;
    begin += taken;
    count -= taken;
    cut_if_full(column, pages);
  }
}

// Returns whether the elements stay where they are.
bool ClusterBuilder::append_gathered(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                                     std::uint64_t count) {
  const OutputColumn& output = schema_.columns()[column];
  const std::size_t size = output.element_size;
  PagePart part{count, nullptr, nullptr, 0, 0};
  if (output.kind == ColumnKind::kSwitch) return false;
  if (output.kind == ColumnKind::kEnds) {
    part.gathered =
        part_of(entries.levels[entries.levels[output.inner_level].ends_of].ends, begin * size, count * size);
    part.shift = level_elements_[output.inner_level] - level_first_[output.inner_level];
  } else {
    part.gathered = part_of(entries.columns[column].elements, begin * size, count * size);
  }
  if (!part.gathered) return false;
  open_pages_[column].page.parts.push_back(std::move(part));
  return true;
}

void ClusterBuilder::append_stored(std::size_t column, const Piece& piece, std::uint64_t begin,
                                   std::uint64_t count, std::vector<RawPage>& pages) {
  OpenPage& open = open_pages_[column];
  const OutputColumn& output = schema_.columns()[column];
  const std::uint64_t shift =
      output.kind == ColumnKind::kEnds
          ? level_elements_[output.inner_level] - level_first_[output.inner_level] - piece.subtract
          : 0;
  // A page of the source can stay what it is only if nothing stands before it.
  if (begin == 0 && open.page.num_elements > 0) cut(column, pages);
  while (count > 0) {
    std::vector<PagePart>& parts = open.page.parts;
    const bool continues = !parts.empty() && parts.back().page &&
                           &parts.back().page->info() == &piece.page->info() &&
                           parts.back().begin + parts.back().count == begin && parts.back().shift == shift;
    const bool can_become_whole =
        parts.empty() ? begin == 0 : parts.size() == 1 && continues && parts.front().begin == 0;
    if (!can_become_whole && open.page.num_elements >= elements_per_page(column)) {
      cut(column, pages);
      continue;
    }
    const std::uint64_t room = elements_per_page(column) - open.page.num_elements;
    const std::uint64_t taken = can_become_whole ? count : std::min(count, room);
    if (continues)
      parts.back().count += taken;
    else
      parts.push_back({taken, piece.page, nullptr, begin, shift});
    open.page.num_elements += taken;
    begin += taken;
    count -= taken;
    if (!can_become_whole)
      cut_if_full(column, pages);
    else if (open.page.num_elements == piece.page->info().num_elements)
      cut(column, pages);
  }
}

void ClusterBuilder::write_elements(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                                    std::uint64_t count, std::byte* to) const {
  const OutputColumn& output = schema_.columns()[column];
  if (output.kind == ColumnKind::kEnds) return write_ends(output, entries, begin, count, to);
  if (output.kind == ColumnKind::kSwitch) return write_switch(column, entries, begin, count, to);
  const std::byte* from = entries.columns[column].elements->data() + begin * output.element_size;
  std::memcpy(to, from, count * output.element_size);
}

// Ends count from the start of the cluster.
void ClusterBuilder::write_ends(const OutputColumn& column, const GatheredEntries& entries,
                                std::uint64_t begin, std::uint64_t count, std::byte* to) const {
  const std::uint64_t shift = level_elements_[column.inner_level] - level_first_[column.inner_level];
  const std::uint64_t* ends = entries.levels[entries.levels[column.inner_level].ends_of].ends->data() + begin;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t end = ends[i] + shift;
    std::memcpy(to + i * sizeof end, &end, sizeof end);
  }
}

void ClusterBuilder::write_switch(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                                  std::uint64_t count, std::byte* to) const {
  std::vector<std::uint64_t> shifts(1);  // by tag
  for (std::size_t i = 0; i < schema_.levels().size(); ++i) {
    const ElementLevel& level = schema_.levels()[i];
    if (level.kind != LevelKind::kAlternative || level.column != column) continue;
    if (level.tag >= shifts.size()) shifts.resize(level.tag + 1);
    shifts[level.tag] = level_elements_[i] - level_first_[i];
  }
  const std::byte* from = entries.columns[column].elements->data() + begin * sizeof(SwitchElement);
  for (std::uint64_t i = 0; i < count; ++i) {
    SwitchElement element;
    std::memcpy(&element, from + i * sizeof element, sizeof element);
    if (element.tag != 0) element.index += shifts[element.tag];
    std::memcpy(to + i * sizeof element, &element, sizeof element);
  }
}

// Makes room for copied elements, which a page with stored parts may have more of than it will need.
void ClusterBuilder::grow(std::size_t column, std::uint64_t num_copied) {
  OpenPage& open = open_pages_[column];
  const std::size_t size = schema_.columns()[column].element_size;
  const std::uint64_t wanted =
      std::max<std::uint64_t>({num_copied, 2 * open.capacity, kFirstPageBytes / size});
  const std::uint64_t capacity = std::min(elements_per_page(column), wanted);
  BufferPool::Buffer larger = pool_.take(capacity * size);
  if (open.num_copied > 0) std::memcpy(larger.get(), open.page.copied.get(), open.num_copied * size);
  open.page.copied = std::move(larger);
  open.capacity = capacity;
}

void ClusterBuilder::cut_if_full(std::size_t column, std::vector<RawPage>& pages) {
  if (open_pages_[column].page.num_elements >= elements_per_page(column)) cut(column, pages);
}

void ClusterBuilder::cut(std::size_t column, std::vector<RawPage>& pages) {
  OpenPage& open = open_pages_[column];
  open.page.column = column;
  pages.push_back(std::move(open.page));
  open = OpenPage{};
}

}  // namespace skimline::io
