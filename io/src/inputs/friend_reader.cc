// SPDX-License-Identifier: BSD-3-Clause
#include "inputs/friend_reader.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"

#include <algorithm>

namespace skimline::io {

FriendReader::FriendReader(InputSource& source, const std::vector<std::optional<std::uint64_t>>& rows,
                           const std::map<std::size_t, ColumnDefault>& defaults,
                           std::function<void(std::uint64_t)> throw_unmatched)
    : source_(source), defaults_(&defaults), throw_unmatched_(std::move(throw_unmatched)) {
  for (const std::optional<std::uint64_t>& row : rows) append(row);
}

FriendReader::FriendReader(InputSource& source, EntryRange rows) : source_(source), is_in_order_(true) {
  std::uint64_t done = 0;
  while (done < rows.count) {
    const std::uint64_t row = rows.first + done;
    const std::size_t slice = opened(row);
    const EntryRange& where = source_.slices()[open_[slice].number];
    const std::uint64_t count = std::min(rows.end(), where.end()) - row;
    runs_.push_back({done, count, slice, row - where.first});
    done += count;
  }
}

// The place of the slice with an entry among those that are open.
std::size_t FriendReader::opened(std::uint64_t entry) {
  const std::vector<EntryRange>& slices = source_.slices();
  const auto behind = std::partition_point(slices.begin(), slices.end(),
                                           [&](const EntryRange& slice) { return slice.first <= entry; });
  const auto number = static_cast<std::size_t>(behind - slices.begin()) - 1;
  const auto [place, is_new] = place_of_.try_emplace(number, open_.size());
  if (is_new) open_.push_back({number, source_.open_slice(number)});
  return place->second;
}

void FriendReader::append(std::optional<std::uint64_t> row) {
  const std::uint64_t begin = runs_.empty() ? 0 : runs_.back().begin + runs_.back().count;
  Run run{begin, 1, std::nullopt, 0};
  if (row) {
    run.slice = opened(*row);
    run.first = *row - source_.slices()[open_[*run.slice].number].first;
  }
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (last.slice == run.slice && (!run.slice || last.first + last.count == run.first)) {
      ++last.count;
      return;
    }
  }
  runs_.push_back(run);
}

void FriendReader::load(std::span<const std::size_t> columns) {
  if (columns.empty()) return;
  for (OpenSlice& slice : open_) slice.reader->load(columns);
}

// Entries far apart are taken from whole slices, which are viewed once.
ColumnPiece FriendReader::piece(std::size_t column, const Run& run, EntryRange part) {
  const Place place{column, *run.slice};
  OpenSlice& slice = open_[*run.slice];
  if (is_in_order_)
    return {slice.reader->view(column, {run.first + part.first, part.count}, scratch_[place]),
            {0, part.count}};
  const auto [whole, is_new] = whole_.try_emplace(place);
  if (is_new)
    whole->second = slice.reader->view(column, {0, source_.slices()[slice.number].count}, scratch_[place]);
  return {whole->second, {run.first + part.first, part.count}};
}

ColumnPiece FriendReader::default_piece(std::size_t column, EntryRange part) {
  return {defaults_->at(column).view(part.count, default_scratch_[column]), {0, part.count}};
}

ColumnView FriendReader::view(std::size_t column, EntryRange range, ColumnBuffer& scratch) {
  pieces_.clear();
  if (!is_in_order_ && defaults_->contains(column)) default_piece(column, {0, range.count});  // room for all
  auto run = std::partition_point(runs_.begin(), runs_.end(),
                                  [&](const Run& each) { return each.begin + each.count <= range.first; });
  for (; run != runs_.end() && run->begin < range.end(); ++run) {
    const std::uint64_t begin = std::max(run->begin, range.first);
    const EntryRange part{begin - run->begin, std::min(run->begin + run->count, range.end()) - begin};
    if (!run->slice && !defaults_->contains(column)) throw_unmatched_(begin);
    pieces_.push_back(run->slice ? piece(column, *run, part) : default_piece(column, part));
  }
  try {
    return joined(source_.schema()[column].type, pieces_, scratch);
  } catch (const FormatError& problem) {
    throw FileError(source_.files().front().path,
                    "column \"" + source_.schema()[column].name + "\": " + problem.what());
  }
}

}  // namespace skimline::io
