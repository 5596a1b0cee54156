// SPDX-License-Identifier: BSD-3-Clause
#include "expression/range_functions.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace skimline {
namespace {

using Integers = std::span<const std::int64_t>;
using Range = std::pair<std::int64_t, std::int64_t>;

std::vector<Range> joined(std::vector<Range> ranges) {
  std::erase_if(ranges, [](const Range& range) { return range.second < range.first; });
  std::sort(ranges.begin(), ranges.end());
  std::vector<Range> apart;
  for (const Range& range : ranges) {
    const bool touches = !apart.empty() && (apart.back().second == std::numeric_limits<std::int64_t>::max() ||
                                            range.first <= apart.back().second + 1);
    if (touches)
      apart.back().second = std::max(apart.back().second, range.second);
    else
      apart.push_back(range);
  }
  return apart;
}

// What packed_ranges() packs: the number of keys, the keys, where the ranges of each begin and those of the
// last end, the number of ranges, their first integers, their last ones.
class RangeTable {
 public:
  explicit RangeTable(std::string_view packed) {
    Integers left{reinterpret_cast<const std::int64_t*>(packed.data()), packed.size() / sizeof(std::int64_t)};
    const auto take = [&left](std::size_t count) {
      const Integers taken = left.first(count);
      left = left.subspan(count);
      return taken;
    };
    const auto num_keys = static_cast<std::size_t>(take(1)[0]);
    keys_ = take(num_keys);
    begins_ = take(num_keys + 1);
    const auto num_ranges = static_cast<std::size_t>(take(1)[0]);
    firsts_ = take(num_ranges);
    lasts_ = take(num_ranges);
  }

  /// Where the ranges of a key are.
  std::pair<std::size_t, std::size_t> ranges_of(std::int64_t key) const {
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (found == keys_.end() || *found != key) return {0, 0};
    const auto number = static_cast<std::size_t>(found - keys_.begin());
    return {static_cast<std::size_t>(begins_[number]), static_cast<std::size_t>(begins_[number + 1])};
  }

  /// The last of the ranges [begin, end) that does not begin behind `value`; `begin` if all do.
  std::size_t candidate(std::size_t begin, std::size_t end, std::int64_t value) const {
    const Integers firsts = firsts_.subspan(begin, end - begin);
    const auto behind = std::upper_bound(firsts.begin(), firsts.end(), value);
    return begin + static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind - firsts.begin(), 1)) - 1;
  }

  bool holds(std::size_t range, std::int64_t value) const {
    return firsts_[range] <= value && value <= lasts_[range];
  }

 private:
  Integers keys_, begins_, firsts_, lasts_;
};

// Consecutive entries mostly have one key, and values in one range.
class Lookup {
 public:
  explicit Lookup(const RangeTable& table) : table_(table) {}

  bool contains(std::int64_t key, std::int64_t value) {
    if (!key_is_known_ || key != key_) {
      key_ = key;
      key_is_known_ = true;
      std::tie(begin_, end_) = table_.ranges_of(key);
      range_ = begin_;
    }
    if (begin_ == end_) return false;
    if (table_.holds(range_, value)) return true;
    range_ = table_.candidate(begin_, end_, value);
    return table_.holds(range_, value);
  }

 private:
  const RangeTable& table_;
  bool key_is_known_ = false;
  std::int64_t key_ = 0;
  std::size_t begin_ = 0, end_ = 0, range_ = 0;
};

// Whether a value of the type can be in the table at all.
template <typename T>
bool fits(T value) {
  return std::in_range<std::int64_t>(value);
}

template <typename Key, typename Value, typename Result>
void in_ranges_loop(const Operand* operands, void* results, std::size_t count) {
  const RangeTable table(value_at<std::string_view>(operands[2], 0));
  Lookup lookup(table);
  for (std::size_t i = 0; i < count; ++i) {
    const Key key = value_at<Key>(operands[0], i);
    const Value value = value_at<Value>(operands[1], i);
    const bool is_inside = fits(key) && fits(value) &&
                           lookup.contains(static_cast<std::int64_t>(key), static_cast<std::int64_t>(value));
    static_cast<Result*>(results)[i] = static_cast<Result>(is_inside);
  }
}

template <typename Key, typename Value>
Loop in_ranges_loop(bool on_lists) {
  return on_lists ? in_ranges_loop<Key, Value, std::int32_t> : in_ranges_loop<Key, Value, bool>;
}

Loop in_ranges_loop(ScalarType key, ScalarType value, bool on_lists) {
  const bool is_signed_value = value == ScalarType::kInt64;
  if (key == ScalarType::kInt64)
    return is_signed_value ? in_ranges_loop<std::int64_t, std::int64_t>(on_lists)
                           : in_ranges_loop<std::int64_t, std::uint64_t>(on_lists);
  return is_signed_value ? in_ranges_loop<std::uint64_t, std::int64_t>(on_lists)
                         : in_ranges_loop<std::uint64_t, std::uint64_t>(on_lists);
}

// What all values of an integer type fit into.
ScalarType widest(ScalarType scalar) {
  return scalar == ScalarType::kUInt64 ? ScalarType::kUInt64 : ScalarType::kInt64;
}

}  // namespace

std::string packed_ranges(const RangesByKey& ranges) {
  std::vector<std::int64_t> keys, begins, firsts, lasts;
  for (const auto& [key, of_key] : ranges) {
    keys.push_back(key);
    begins.push_back(static_cast<std::int64_t>(firsts.size()));
    for (const auto& [first, last] : joined(of_key)) {
      firsts.push_back(first);
      lasts.push_back(last);
    }
  }
  begins.push_back(static_cast<std::int64_t>(firsts.size()));
  std::vector<std::int64_t> packed{static_cast<std::int64_t>(keys.size())};
  packed.insert(packed.end(), keys.begin(), keys.end());
  packed.insert(packed.end(), begins.begin(), begins.end());
  packed.push_back(static_cast<std::int64_t>(firsts.size()));
  packed.insert(packed.end(), firsts.begin(), firsts.end());
  packed.insert(packed.end(), lasts.begin(), lasts.end());
  return {reinterpret_cast<const char*>(packed.data()), packed.size() * sizeof(std::int64_t)};
}

std::optional<Operation> choose_in_ranges(Arguments arguments) {
  if (arguments.size() != 3 || !is_integer(arguments[0].type.scalar) || !is_integer(arguments[1].type.scalar))
    return std::nullopt;
  const bool on_lists = arguments[0].type.is_jagged() || arguments[1].type.is_jagged();
  const ScalarType key = widest(arguments[0].type.scalar), value = widest(arguments[1].type.scalar);
  return loop_operation(in_ranges_loop(key, value, on_lists), {key, value, ScalarType::kString},
                        on_lists ? ScalarType::kInt32 : ScalarType::kBool);
}

}  // namespace skimline
