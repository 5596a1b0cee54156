// SPDX-License-Identifier: BSD-3-Clause
#include "record/record_inputs.h"

#include "skimline/io/identities.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace skimline::skims {
namespace {

// What makes two inputs the same one: a copy of a file has its UUID. The number of entries tells apart what
// was written anew into the same file, and other cycles of a name, of which the newest need not be spelt.
using Identity = std::tuple<std::string, std::string, std::uint64_t>;

Identity identity_of(const InputRecord& input) {
  return {io::is_distinctive(input.uuid) ? "uuid " + input.uuid : "file " + input.file,
          std::string(io::without_cycle(input.ntuple)), input.num_entries};
}

// Where entries begin or end that a record processed.
struct Boundary {
  std::uint64_t entry;
  bool is_begin;
  std::size_t record;

  friend bool operator<(const Boundary& left, const Boundary& right) {
    return std::tie(left.entry, left.is_begin, left.record) <
           std::tie(right.entry, right.is_begin, right.record);
  }
};

// All that is known of one input.
class InputUnion {
 public:
  void add(const InputOfRecord& added) {
    if (is_empty_) input_ = added.input;
    is_empty_ = false;
    input_.ntuple = std::min(input_.ntuple, added.input.ntuple);
    // The first name, and the last state of the file that has it.
    if (std::tie(added.input.file, input_.version) < std::tie(input_.file, added.input.version)) {
      input_.file = added.input.file;
      input_.version = added.input.version;
      input_.file_bytes = added.input.file_bytes;
    }
    input_.processed.clear();
    for (const EntryRange& range : added.input.processed) {
      if (range.count == 0) continue;
      boundaries_.push_back({range.first, true, added.record});
      boundaries_.push_back({range.end(), false, added.record});
    }
  }

  // Adds the input once for each time that entries of it were processed.
  void take(UnitedInputs& united) {
    std::sort(boundaries_.begin(), boundaries_.end());
    std::uint64_t begin = 0;
    for (const Boundary& boundary : boundaries_) {
      if (boundary.entry > begin) process({begin, boundary.entry - begin}, united);
      begin = boundary.entry;
      if (boundary.is_begin)
        ++active_[boundary.record];
      else if (--active_[boundary.record] == 0)
        active_.erase(boundary.record);
    }
    if (layers_.empty()) layers_.emplace_back();
    for (std::vector<EntryRange>& ranges : layers_) {
      united.inputs.push_back(input_);
      united.inputs.back().processed = std::move(ranges);
    }
  }

 private:
  void process(EntryRange entries, UnitedInputs& united) {
    std::size_t times = 0;
    for (const auto& [record, count] : active_) times += count;
    if (layers_.size() < times) layers_.resize(times);
    for (std::size_t layer = 0; layer < times; ++layer) append(entries, layers_[layer]);
    if (active_.size() > 1 && !united.overlap)
      united.overlap = {input_, entries, active_.begin()->first, std::next(active_.begin())->first};
  }

  static void append(EntryRange entries, std::vector<EntryRange>& ranges) {
    if (!ranges.empty() && ranges.back().end() == entries.first)
      ranges.back().count += entries.count;
    else
      ranges.push_back(entries);
  }

  InputRecord input_;
  bool is_empty_ = true;
  std::vector<Boundary> boundaries_;
  std::map<std::size_t, std::size_t> active_;    // records that processed the entries, and how often
  std::vector<std::vector<EntryRange>> layers_;  // entries processed once, twice and so on
};

}  // namespace

UnitedInputs unite(const std::vector<InputOfRecord>& inputs) {
  std::map<Identity, InputUnion> unions;
  for (const InputOfRecord& input : inputs) unions[identity_of(input.input)].add(input);
  UnitedInputs united;
  for (auto& [identity, input] : unions) input.take(united);
  std::stable_sort(united.inputs.begin(), united.inputs.end(), [](const auto& left, const auto& right) {
    return std::tie(left.file, left.ntuple, left.uuid, left.num_entries) <
           std::tie(right.file, right.ntuple, right.uuid, right.num_entries);
  });
  return united;
}

std::uint64_t num_processed(const std::vector<InputRecord>& inputs) {
  std::uint64_t number = 0;
  for (const InputRecord& input : inputs)
    for (const EntryRange& range : input.processed) number += range.count;
  return number;
}

std::vector<EntryRange> missing_entries(const InputRecord& input) {
  std::vector<EntryRange> missing;
  std::uint64_t next = 0;
  for (const EntryRange& range : input.processed) {
    if (range.first > next) missing.push_back({next, range.first - next});
    next = range.end();
  }
  if (next < input.num_entries) missing.push_back({next, input.num_entries - next});
  return missing;
}

// Problems mostly begin with the file.
std::string text_of(const SkippedInput& skipped) {
  const std::string front = skipped.file + ": ";
  return skipped.problem.starts_with(front) ? skipped.problem : front + skipped.problem;
}

}  // namespace skimline::skims
