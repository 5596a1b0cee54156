// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/class_trial.h"

#include "ttree/basket_entries.h"
#include "ttree/entry_bytes.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr std::size_t kMaxEntries = 200;

// Of a branch: the first, the last, and some between them.
std::set<std::size_t> baskets_to_try(std::size_t count) {
  constexpr std::size_t kParts = 4;
  std::set<std::size_t> numbers;
  for (std::size_t i = 0; count > 0 && i <= kParts; ++i) numbers.insert((count - 1) * i / kParts);
  return numbers;
}

std::set<std::string> doubtful_classes(const StreamedValue& value) {
  std::set<std::string> classes;
  if (value.kind == StreamedValue::Kind::kObject && value.has_header) classes.insert(value.type_name);
  for (const StreamedValue& part : value.parts) classes.merge(doubtful_classes(part));
  return classes;
}

Examination examine_basket(const DoubtfulBranch& branch, std::size_t number, const BasketFetcher& fetcher) {
  const BasketNumber which{branch.branch, number};
  try {
    BufferPool::Buffer memory;
    const std::span<const std::byte> record = fetcher.read(which, memory);
    const UnpackedBasket unpacked = unpack_basket(fetcher.basket(which), record, {}, fetcher.pool);
    return examine_entries(*branch.entry, unpacked.entries);
  } catch (const FormatError&) {
    return {};
  } catch (const FileError&) {
    return {};
  }
}

std::string problem_of(const DoubtfulBranch& branch, const Examination& found) {
  if (doubtful_classes(*branch.entry).empty())
    return "its entries are not what the file says of " + branch.entry->type_name + ": " + found.problem;
  return "its entries are not what the file says of class " + branch.entry->type_name +
         ", which may have a streamer of its own: " + found.problem;
}

}  // namespace

Examination examine_entries(const StreamedValue& value, const BasketEntries& entries) {
  const EntryBytes ranges(entries);
  const bool has_classes = !doubtful_classes(value).empty();  // else only what is passed over
  Examination found;
  for (std::size_t i = 0; i < std::min<std::size_t>(entries.num_entries, kMaxEntries); ++i) {
    try {
      const auto entry = entries.data.subspan(ranges.begin(i), ranges.end(i) - ranges.begin(i));
      EntryCursor cursor;
      const std::set<const StreamedValue*>& met = cursor.examine(value, entry);
      if (!met.empty() || !has_classes) ++found.num_fitting;
      for (const StreamedValue* object : met) found.classes.insert(object->type_name);
    } catch (const FormatError& error) {
      if (found.num_others++ == 0) found.problem = error.what();
      found.is_unreadable |= dynamic_cast<const UnreadableLayout*>(&error) != nullptr;
    }
  }
  return found;
}

TrialResult try_branch(const DoubtfulBranch& branch, const BasketFetcher& fetcher, KnownClasses& known) {
  // What one branch shows of these is nothing that another one of the same classes would show.
  const bool has_own_classes = has_pointers(*branch.entry) || has_arrays_of_enumerations(*branch.entry);
  if (!has_own_classes && known.has(*branch.entry)) return {true, {}};
  std::set<std::string> unproven = doubtful_classes(*branch.entry);
  std::string problem;
  bool is_as_described = false;
  for (const std::size_t number : baskets_to_try(fetcher.tree.branch_data[branch.branch].baskets.size())) {
    const Examination found = examine_basket(branch, number, fetcher);
    if (found.is_unreadable) return {false, problem_of(branch, found)};
    if (problem.empty() && found.is_other()) problem = problem_of(branch, found);
    if (!found.is_as_described()) continue;
    is_as_described = true;
    for (const std::string& name : found.classes) unproven.erase(name);
    if (unproven.empty() && !has_own_classes) break;
  }
  if (!is_as_described) return {false, problem};
  if (unproven.empty() && !has_own_classes) known.add(*branch.entry);
  return {unproven.empty(), {}};
}

}  // namespace skimline::io
