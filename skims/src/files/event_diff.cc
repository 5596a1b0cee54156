// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/event_diff.h"

#include "files/matched_entries.h"
#include "files/value_diff.h"
#include "plan/column_patterns.h"

#include "skimline/framework/column_name.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::skims {
namespace {

// Entries that lie in one slice of both.
struct Stretch {
  std::size_t left_slice = 0, right_slice = 0;
  EntryRange entries;
};

// So many entries of stretches that follow each other are compared by one thread, which reads a slice that
// they share once.
constexpr std::uint64_t kTaskEntries = 65536;

std::vector<std::vector<Stretch>> tasks_for(const io::InputSource& left, const io::InputSource& right) {
  const std::vector<EntryRange>&lefts = left.slices(), &rights = right.slices();
  std::vector<std::vector<Stretch>> tasks;
  std::uint64_t entry = 0, task_begin = 0;
  for (std::size_t i = 0, j = 0; i < lefts.size() && j < rights.size();) {
    const std::uint64_t end = std::min(lefts[i].end(), rights[j].end());
    if (tasks.empty() || entry - task_begin >= kTaskEntries) {
      tasks.emplace_back();
      task_begin = entry;
    }
    tasks.back().push_back({i, j, {entry, end - entry}});
    entry = end;
    if (lefts[i].end() == end) ++i;
    if (rights[j].end() == end) ++j;
  }
  return tasks;
}

// Slices of one source, one after the other.
class SliceSequence {
 public:
  SliceSequence(io::InputSource& source, const std::vector<std::size_t>& columns)
      : source_(source), columns_(columns) {}

  void go_to(std::size_t slice) {
    if (reader_ && slice == slice_) return;
    reader_.reset();
    reader_ = source_.open_slice(slice);
    reader_->load(columns_);
    slice_ = slice;
  }
  // Of the column with this number among those that are read.
  ColumnView view(std::size_t number, EntryRange entries) {
    return reader_->view(columns_[number], {entries.first - source_.slices()[slice_].first, entries.count},
                         scratch_);
  }

 private:
  io::InputSource& source_;
  const std::vector<std::size_t>& columns_;
  std::unique_ptr<SliceReader> reader_;
  std::size_t slice_ = 0;
  ColumnBuffer scratch_;
};

// Columns that both have, by number.
struct CommonColumns {
  std::vector<std::size_t> left, right;
};

// Keeps the first differences, whichever thread found them.
void add_differences(const ColumnDifference& more, ColumnDifference& found) {
  found.num_entries += more.num_entries;
  found.first.insert(found.first.end(), more.first.begin(), more.first.end());
  std::sort(found.first.begin(), found.first.end(),
            [](const ValueDifference& a, const ValueDifference& b) { return a.entry < b.entry; });
  if (found.first.size() > kShownDifferences) found.first.resize(kShownDifferences);
}

class EventComparison {
 public:
  EventComparison(io::InputSource& left, io::InputSource& right, const EventDiffOptions& options)
      : left_(left), right_(right), options_(options), tolerance_(options.relative, options.ulps) {}

  EventDifference compare() {
    result_.name = left_.files().front().name;
    result_.left_entries = left_.num_entries();
    result_.right_entries = right_.num_entries();
    compare_schemas();
    compare_unreadable();
    result_.num_columns = common_.left.size();
    if (!options_.key.empty())
      compare_by_key();
    else if (!common_.left.empty())
      compare_columns();
    return std::move(result_);
  }

 private:
  bool is_included(const std::string& name) const { return ColumnChoice{options_.include, {}}.is_kept(name); }

  void compare_schemas() {
    for (std::size_t i = 0; i < left_.schema().size(); ++i)
      if (is_included(left_.schema()[i].name)) compare_type(i);
    add_missing(left_, right_, result_.only_left);
    add_missing(right_, left_, result_.only_right);
  }

  void compare_type(std::size_t number) {
    const ColumnInfo& column = left_.schema()[number];
    const auto other = right_.schema().find(column.name);
    if (!other) return;
    const Type type = column.type, other_type = right_.schema()[*other].type;
    if (type != other_type && !(is_count(column.name) && are_integers(type, other_type)))
      result_.types.push_back("type of " + column.name + ": " + name_of(type) + ", and " +
                              name_of(other_type));
    if (!are_comparable(type, other_type)) return;
    common_.left.push_back(number);
    common_.right.push_back(*other);
  }

  static bool are_integers(Type left, Type right) {
    return left.depth == right.depth && is_integer(left.scalar) && is_integer(right.scalar);
  }

  // Between formats, which have types of their own for the counts of lists.
  bool is_count(const std::string& name) const {
    if (left_.files().front().format == right_.files().front().format) return false;
    return counts_of(left_).contains(name) || counts_of(right_).contains(name);
  }

  static std::set<std::string> counts_of(const io::InputSource& source) {
    std::set<std::string> counts;
    for (const io::Collection& each : source.lists_of_equal_sizes()) counts.insert(each.count);
    return counts;
  }

  // Trees count their lists by columns of their own, which RNTuples need not have.
  void add_missing(const io::InputSource& source, const io::InputSource& other,
                   std::vector<std::string>& missing) const {
    std::set<std::string> counts;
    if (source.files().front().format != other.files().front().format) counts = counts_of(source);
    const std::vector<std::string> names = field_names(other);
    const std::set<std::string> others(names.begin(), names.end());
    for (const std::string& name : field_names(source))
      if (is_included(name) && !counts.contains(name) && !other.schema().find(name) && !others.contains(name))
        missing.push_back(name);
  }

  void compare_unreadable() {
    std::set<std::string> named;
    for (const io::InputSource* source : {&left_, &right_})
      for (const io::UnsupportedField& field : source->unsupported_fields())
        if (is_included(field.name) && has_field(left_, field.name) && has_field(right_, field.name) &&
            named.insert(field.name).second)
          result_.not_compared.push_back(field.name + ": " + field.reason);
  }

  static bool has_field(const io::InputSource& source, const std::string& name) {
    if (source.schema().find(name)) return true;
    return std::any_of(source.unsupported_fields().begin(), source.unsupported_fields().end(),
                       [&](const io::UnsupportedField& field) { return field.name == name; });
  }

  void compare_columns() {
    left_.expect({common_.left, 0});
    right_.expect({common_.right, 0});
    found_.resize(common_.left.size());
    const std::vector<std::vector<Stretch>> tasks = tasks_for(left_, right_);
    oneapi::tbb::parallel_for(std::size_t{0}, tasks.size(), [&](std::size_t task) { compare(tasks[task]); });
    for (std::size_t i = 0; i < found_.size(); ++i) keep(std::move(found_[i]), i);
  }

  void keep(ColumnDifference found, std::size_t number) {
    if (found.num_entries == 0) return;
    found.column = left_.schema()[common_.left[number]].name;
    result_.columns.push_back(std::move(found));
  }

  void compare_by_key() {
    MatchedEntries matched = match_entries(left_, right_, options_.key, options_.threads);
    for (std::size_t i = 0; i < common_.left.size(); ++i) {
      const auto whole = [&](io::InputSource& source, std::size_t column) {
        return std::move(
            read_whole(source, {in_expression(source.schema()[column].name)}, options_.threads).front());
      };
      ColumnDifference found =
          compare_pairs(whole(left_, common_.left[i]), whole(right_, common_.right[i]), matched.pairs);
      for (ValueDifference& each : found.first) each.key = matched.key_of(each.entry);
      keep(std::move(found), i);
    }
    result_.by_key = std::move(matched.keys);
  }

  ColumnDifference compare_pairs(const OwnedColumn& left, const OwnedColumn& right,
                                 std::span<const MatchedEntries::Pair> pairs) {
    ColumnDifference found;
    const std::size_t num_tasks = (pairs.size() + kTaskEntries - 1) / kTaskEntries;
    oneapi::tbb::parallel_for(std::size_t{0}, num_tasks, [&](std::size_t task) {
      const std::size_t first = task * kTaskEntries;
      ColumnDifference here;
      compare_values(left, right, tolerance_,
                     pairs.subspan(first, std::min<std::size_t>(kTaskEntries, pairs.size() - first)), here);
      const std::lock_guard lock(mutex_);
      add_differences(here, found);
    });
    return found;
  }

  void compare(const std::vector<Stretch>& stretches) {
    SliceSequence left(left_, common_.left), right(right_, common_.right);
    for (const Stretch& stretch : stretches) {
      left.go_to(stretch.left_slice);
      right.go_to(stretch.right_slice);
      for (std::size_t i = 0; i < found_.size(); ++i) {
        ColumnDifference here;
        compare_values(left.view(i, stretch.entries), right.view(i, stretch.entries), tolerance_,
                       stretch.entries.first, here);
        if (here.num_entries == 0) continue;
        const std::lock_guard lock(mutex_);
        add_differences(here, found_[i]);
      }
    }
  }

  io::InputSource& left_;
  io::InputSource& right_;
  const EventDiffOptions& options_;
  const Tolerance tolerance_;
  CommonColumns common_;
  std::mutex mutex_;
  std::vector<ColumnDifference> found_;  // by number among the common columns
  EventDifference result_;
};

}  // namespace

bool EventDifference::are_equal() const {
  return left_entries == right_entries && only_left.empty() && only_right.empty() && types.empty() &&
         columns.empty() && (!by_key || by_key->only_left.number + by_key->only_right.number == 0);
}

std::uint64_t EventDifference::num_compared() const {
  return by_key ? by_key->num_matched : std::min(left_entries, right_entries);
}

bool has_column(const io::InputSource& source, const std::vector<std::string>& include) {
  const std::vector<std::string> names = field_names(source);
  const ColumnChoice choice{include, {}};
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return choice.is_kept(name); });
}

EventDifference compare_events(io::InputSource& left, io::InputSource& right,
                               const EventDiffOptions& options) {
  return EventComparison(left, right, options).compare();
}

}  // namespace skimline::skims
