// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/column_collector.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace skimline {
namespace {

// Appends bytes; the pointer may be null if there are none.
void append_bytes(OwnedBytes& to, const void* from, std::size_t size) {
  const std::size_t before = to.size();
  to.resize(before + size);
  if (size > 0) std::memcpy(to.data() + before, from, size);
}

// Appends the ends of `count` lists to a level of offsets.
void append_ends(OwnedBytes& level, const std::uint32_t* offsets, std::size_t count) {
  const std::size_t before = level.size() / sizeof(std::int64_t);
  level.resize((before + count) * sizeof(std::int64_t));
  std::int64_t* to = level.as<std::int64_t>().data() + before;
  const std::int64_t base = to[-1];
  for (std::size_t i = 0; i < count; ++i) to[i] = base + offsets[i + 1];
}

void append_strings(OwnedColumn& to, const std::string_view* texts, std::size_t count) {
  OwnedBytes& level = to.offsets.back();
  const std::size_t before = level.size() / sizeof(std::int64_t);
  level.resize((before + count) * sizeof(std::int64_t));
  std::int64_t* ends = level.as<std::int64_t>().data() + before;
  for (std::size_t i = 0; i < count; ++i) {
    append_bytes(to.values, texts[i].data(), texts[i].size());
    ends[i] = static_cast<std::int64_t>(to.values.size());
  }
}

void append_view(OwnedColumn& to, const ColumnView& view) {
  for (int level = 0; level < view.type.depth; ++level)
    append_ends(to.offsets[level], view.offsets_at(level), view.num_elements(level));
  if (view.type.scalar == ScalarType::kString)
    append_strings(to, view.data<std::string_view>(), view.num_values());
  else
    append_bytes(to.values, view.values, view.num_values() * to.value_size());
}

void check_sizes(const ColumnView& expected, const ColumnView& view) {
  if (view.offsets != expected.offsets &&
      !std::equal(view.offsets, view.offsets + view.length + 1, expected.offsets))
    throw Error("columns whose lists must have the same sizes have others");
}

std::vector<Type> kept_types(std::vector<Type> types, const std::vector<std::size_t>& lists) {
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (lists[i] != i) types[i] = flat(types[i].scalar);
  return types;
}

void clear(OwnedColumn& column) {
  for (OwnedBytes& level : column.offsets) level.resize(sizeof(std::int64_t));
  column.values.resize(0);
}

std::vector<OwnedColumn> empty_columns(const std::vector<Type>& types) {
  std::vector<OwnedColumn> columns;
  for (const Type& type : types) columns.emplace_back(type);
  return columns;
}

// Where a portion of a column goes: bytes before it in each level of offsets, and in the values.
struct Place {
  std::vector<std::size_t> levels;
  std::size_t values = 0;
};

// Room for a portion at the end of a column.
Place make_room(OwnedColumn& column, const OwnedColumn& portion) {
  Place place;
  for (std::size_t i = 0; i < column.offsets.size(); ++i) {
    OwnedBytes& level = column.offsets[i];
    place.levels.push_back(level.size());
    level.resize(level.size() + portion.offsets[i].size() - sizeof(std::int64_t));
  }
  place.values = column.values.size();
  column.values.resize(column.values.size() + portion.values.size());
  return place;
}

bool has_room(const OwnedColumn& column, const OwnedColumn& portion) {
  for (std::size_t i = 0; i < column.offsets.size(); ++i)
    if (!column.offsets[i].has_room(portion.offsets[i].size())) return false;
  return column.values.has_room(portion.values.size());
}

void copy_to(OwnedColumn& column, const Place& place, const OwnedColumn& portion) {
  for (std::size_t i = 0; i < column.offsets.size(); ++i) {
    // What lies before this portion in the next level, or among the values.
    const bool is_last = i + 1 == column.offsets.size();
    const std::size_t before =
        is_last ? place.values / column.value_size() : place.levels[i + 1] / sizeof(std::int64_t) - 1;
    const auto base = static_cast<std::int64_t>(before);
    const auto from = portion.offsets[i].as<std::int64_t>().subspan(1);
    auto* to = reinterpret_cast<std::int64_t*>(column.offsets[i].data() + place.levels[i]);
    std::transform(from.begin(), from.end(), to, [&](std::int64_t offset) { return base + offset; });
  }
  if (portion.values.size() > 0)
    std::memcpy(column.values.data() + place.values, portion.values.data(), portion.values.size());
}

}  // namespace

// What one slice contributes.
class ColumnCollector::Part : public Portion {
 public:
  std::vector<OwnedColumn> columns;
  std::vector<Place> places;
};

ColumnCollector::ColumnCollector(const std::vector<Type>& types, std::vector<std::size_t> lists)
    : lists_(std::move(lists)), types_(kept_types(types, lists_)), columns_(empty_columns(types_)) {}

ColumnCollector::~ColumnCollector() = default;

std::uint64_t ColumnCollector::num_entries() const { return columns_.front().num_entries() - num_taken_; }

std::uint64_t ColumnCollector::bytes_of(std::uint64_t count) const {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    bytes +=
        columns_[i].bytes_of(position(i, num_taken_ + count)) - columns_[i].bytes_of(position(i, num_taken_));
  return bytes;
}

// Where an entry begins in a column as it is kept.
std::uint64_t ColumnCollector::position(std::size_t column, std::uint64_t entry) const {
  if (!has_lists_of_another(column)) return entry;
  return static_cast<std::uint64_t>(columns_[lists_[column]].offsets.front().as<std::int64_t>()[entry]);
}

std::vector<OwnedColumn> ColumnCollector::copies(std::uint64_t first, std::uint64_t count) const {
  std::vector<OwnedColumn> part;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::uint64_t begin = position(i, first);
    part.push_back(columns_[i].copy(begin, position(i, first + count) - begin));
  }
  return part;
}

std::vector<OwnedColumn> ColumnCollector::take(std::uint64_t count) {
  const std::uint64_t rest = num_entries() - count;
  std::vector<OwnedColumn> part;
  if (num_taken_ > 0 || rest > count) {
    part = copies(num_taken_, count);
    num_taken_ += count;
    if (rest > 0) return part;
    columns_ = empty_columns(types_);
  } else {
    std::vector<std::uint64_t> ends;
    for (std::size_t i = 0; i < columns_.size(); ++i) ends.push_back(position(i, count));
    part = std::exchange(columns_, copies(count, rest));
    for (std::size_t i = 0; i < part.size(); ++i) part[i].truncate(ends[i]);
  }
  num_taken_ = 0;
  return part;
}

void ColumnCollector::expect(std::uint64_t more) {
  const std::uint64_t held = num_entries();
  if (num_taken_ > 0) columns_ = copies(num_taken_, held);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    OwnedColumn& column = columns_[i];
    if (!column.offsets.empty())
      column.offsets.front().reserve((held + more + 1) * sizeof(std::int64_t));
    else if (!has_lists_of_another(i))
      column.values.reserve((held + more) * column.value_size());
  }
  num_taken_ = 0;
}

std::unique_ptr<Portion> ColumnCollector::begin() const {
  auto part = std::make_unique<Part>();
  const std::lock_guard lock(idle_mutex_);
  if (idle_.empty()) {
    part->columns = empty_columns(types_);
  } else {
    part->columns = std::move(idle_.back());
    idle_.pop_back();
  }
  return part;
}

void ColumnCollector::append(Portion& portion, const Survivors&, std::span<const ColumnView> columns) const {
  auto& part = static_cast<Part&>(portion);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (has_lists_of_another(i)) {
      check_sizes(columns[lists_[i]], columns[i]);
      append_bytes(part.columns[i].values, columns[i].values,
                   columns[i].num_values() * part.columns[i].value_size());
    } else {
      append_view(part.columns[i], columns[i]);
    }
  }
}

// Memory is moved only if there is no room: then those who copy have to be waited for.
void ColumnCollector::stitch(Portion& portion) {
  auto& part = static_cast<Part&>(portion);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::unique_lock lock(memory_, std::defer_lock);
    if (!has_room(columns_[i], part.columns[i])) lock.lock();
    part.places.push_back(make_room(columns_[i], part.columns[i]));
  }
}

void ColumnCollector::write(Portion& portion) {
  auto& part = static_cast<Part&>(portion);
  {
    const std::shared_lock lock(memory_);
    for (std::size_t i = 0; i < columns_.size(); ++i) copy_to(columns_[i], part.places[i], part.columns[i]);
  }
  for (OwnedColumn& column : part.columns) clear(column);
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(part.columns));
}

}  // namespace skimline
