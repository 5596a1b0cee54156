// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/event_contents.h"

#include "files/value_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <variant>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::skims {
namespace {

// Of the values of one type.
template <typename T>
struct Extremes {
  bool has_any = false;
  T low{}, high{};

  void include(T value) {
    low = has_any ? std::min(low, value) : value;
    high = has_any ? std::max(high, value) : value;
    has_any = true;
  }
  void include(const Extremes& other) {
    if (!other.has_any) return;
    include(other.low);
    include(other.high);
  }
};

// Integers of all types fit into two of them.
using AnyExtremes = std::variant<Extremes<std::int64_t>, Extremes<std::uint64_t>, Extremes<bool>,
                                 Extremes<float>, Extremes<double>>;

template <typename T>
using Widened = std::conditional_t<std::is_same_v<T, bool> || std::is_floating_point_v<T>, T,
                                   std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>>;

struct ColumnScan {
  AnyExtremes extremes;
  std::uint64_t num_values = 0, num_nan = 0;
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max(), longest = 0;

  void add(const ColumnView& view) {
    num_values += view.is_constant ? view.length : view.num_values();
    if (view.type.is_jagged()) add_lists(view);
    if (!is_number(view.type.scalar)) return;
    visit_scalar(view.type.scalar, [&](auto tag) { add_values<typename decltype(tag)::type>(view); });
  }

  void add(const ColumnScan& other) {
    num_values += other.num_values;
    num_nan += other.num_nan;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    std::visit(
        [&](const auto& theirs) {
          using Same = std::decay_t<decltype(theirs)>;
          if (!theirs.has_any) return;
          if (!std::holds_alternative<Same>(extremes)) extremes = Same{};
          std::get<Same>(extremes).include(theirs);
        },
        other.extremes);
  }

 private:
  void add_lists(const ColumnView& view) {
    for (std::size_t entry = 0; entry < view.length; ++entry) {
      const std::uint64_t size = view.offsets[entry + 1] - view.offsets[entry];
      shortest = std::min(shortest, size);
      longest = std::max(longest, size);
    }
  }

  template <typename T>
  void add_values(const ColumnView& view) {
    Extremes<Widened<T>> found;
    for (std::size_t i = 0; i < view.num_values(); ++i) {
      const T value = view.data<T>()[i];
      if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(value)) {
          num_nan += view.is_constant ? view.length : 1;
          continue;
        }
      found.include(static_cast<Widened<T>>(value));
    }
    ColumnScan both;
    both.extremes = found;
    add(both);
  }
};

ColumnRange range_of(const ColumnInfo& column, const ColumnScan& scan) {
  ColumnRange range{.column = column.name,
                    .type = name_of(column.type),
                    .num_values = scan.num_values,
                    .num_nan = scan.num_nan,
                    .minimum = {},
                    .maximum = {}};
  std::visit(
      [&](const auto& extremes) {
        if (!extremes.has_any) return;
        range.minimum = number_text(extremes.low);
        range.maximum = number_text(extremes.high);
      },
      scan.extremes);
  range.has_lists = column.type.is_jagged() && scan.longest >= scan.shortest;
  if (range.has_lists) range.shortest_list = scan.shortest, range.longest_list = scan.longest;
  return range;
}

std::vector<ColumnScan> scan_slice(io::InputSource& source, const std::vector<std::size_t>& columns,
                                   std::size_t slice) {
  const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
  reader->load(columns);
  ColumnBuffer scratch;
  std::vector<ColumnScan> scans(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    scans[i].add(reader->view(columns[i], {0, source.slices()[slice].count}, scratch));
  return scans;
}

}  // namespace

std::vector<ColumnRange> ranges_of(io::InputSource& source, const std::vector<std::size_t>& columns) {
  source.expect({columns, 0});
  std::vector<ColumnScan> scans(columns.size());
  std::mutex mutex;
  oneapi::tbb::parallel_for(std::size_t{0}, source.slices().size(), [&](std::size_t slice) {
    const std::vector<ColumnScan> here = scan_slice(source, columns, slice);
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < scans.size(); ++i) scans[i].add(here[i]);
  });
  std::vector<ColumnRange> ranges;
  for (std::size_t i = 0; i < columns.size(); ++i)
    ranges.push_back(range_of(source.schema()[columns[i]], scans[i]));
  return ranges;
}

std::vector<std::vector<std::string>> first_entries(io::InputSource& source,
                                                    const std::vector<std::size_t>& columns,
                                                    std::uint64_t count) {
  source.restrict_to({0, count});
  source.expect({columns, 0});
  std::vector<std::vector<std::string>> entries;
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
    reader->load(columns);
    const std::size_t first = entries.size(), size = source.slices()[slice].count;
    entries.resize(first + size);
    ColumnBuffer scratch;
    for (const std::size_t column : columns) {
      const ColumnView view = reader->view(column, {0, size}, scratch);
      for (std::size_t entry = 0; entry < size; ++entry)
        entries[first + entry].push_back(value_text(view, entry));
    }
  }
  return entries;
}

}  // namespace skimline::skims
