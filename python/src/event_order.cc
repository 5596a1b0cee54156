// SPDX-License-Identifier: BSD-3-Clause
// Columns of events in another order. Events are numbered through the parts in which they were read.
#include "bindings.h"
#include "python_lock.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using Order = py::array_t<std::uint32_t, py::array::c_style>;
using Offsets = py::array_t<std::int64_t, py::array::c_style>;
template <typename T>
using Numbers = py::array_t<T, py::array::c_style>;

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), with Stafford's mixing.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  // A number below `bound`; the multiplication makes some likelier than others by less than 2^-32.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return static_cast<std::uint32_t>((static_cast<unsigned __int128>(bits) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

Order permutation(std::uint64_t count, std::uint64_t seed) {
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw ConfigError("more than 4294967295 events cannot be shuffled at once: give a smaller block or pool");
  Order order(static_cast<py::ssize_t>(count));
  std::uint32_t* const numbers = order.mutable_data();
  const WithoutPython unlocked;
  std::iota(numbers, numbers + count, 0u);
  SplitMix random(seed);
  for (std::uint64_t left = count; left > 1; --left)
    std::swap(numbers[left - 1], numbers[random.below(static_cast<std::uint32_t>(left))]);
  return order;
}

// The numbers in ascending order, and for each of them its place there: by digits, which takes a time that
// grows with nothing but their number.
py::tuple sorted_with_ranks(const Order& order) {
  constexpr unsigned kDigitBits = 11;
  constexpr std::uint32_t kDigit = (1u << kDigitBits) - 1;
  const auto count = static_cast<std::size_t>(order.size());
  Order ascending(order.size()), ranks(order.size());
  const std::uint32_t* const numbers = order.data();
  std::uint32_t* const sorted = ascending.mutable_data();
  std::uint32_t* const rank = ranks.mutable_data();
  {
    const WithoutPython unlocked;
    const std::uint32_t greatest = count > 0 ? *std::max_element(numbers, numbers + count) : 0;
    std::vector<std::uint32_t> places(count), others(count);
    std::iota(places.begin(), places.end(), 0u);
    for (unsigned shift = 0; shift < 32 && greatest >> shift > 0; shift += kDigitBits) {
      std::array<std::uint32_t, kDigit + 1> next{};
      for (std::size_t i = 0; i < count; ++i) ++next[numbers[i] >> shift & kDigit];
      std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
      for (const std::uint32_t place : places) others[next[numbers[place] >> shift & kDigit]++] = place;
      places.swap(others);
    }
    for (std::size_t i = 0; i < count; ++i) {
      sorted[i] = numbers[places[i]];
      rank[places[i]] = static_cast<std::uint32_t>(i);
    }
  }
  return py::make_tuple(ascending, ranks);
}

// Finds what is numbered through the parts.
class PartBegins {
 public:
  struct Place {
    std::size_t part;
    std::size_t number;  // in the part
    std::size_t left;    // from there to the end of the part
  };

  explicit PartBegins(const std::vector<py::ssize_t>& sizes) : starts_{0} {
    for (const py::ssize_t size : sizes) starts_.push_back(starts_.back() + static_cast<std::uint64_t>(size));
  }

  std::uint64_t size() const { return starts_.back(); }

  Place find(std::uint64_t number) const {
    std::size_t part = 0;
    for (std::size_t other = 1; other + 1 < starts_.size(); ++other) part += number >= starts_[other];
    return {part, number - starts_[part], starts_[part + 1] - number};
  }

 private:
  std::vector<std::uint64_t> starts_;  // and the end
};

template <typename T>
PartBegins parts_of(const std::vector<Numbers<T>>& columns, py::ssize_t further) {
  std::vector<py::ssize_t> sizes;
  for (const auto& column : columns) sizes.push_back(column.size() - further);
  return PartBegins(sizes);
}

template <typename T>
std::vector<const T*> data_of(const std::vector<Numbers<T>>& columns) {
  std::vector<const T*> data;
  for (const auto& column : columns) data.push_back(column.data());
  return data;
}

// The numbers of events, which are checked.
std::span<const std::uint32_t> events_of(const Order& order, const PartBegins& parts) {
  const std::span<const std::uint32_t> events(order.data(), static_cast<std::size_t>(order.size()));
  if (!events.empty() && *std::max_element(events.begin(), events.end()) >= parts.size())
    throw InternalError("there are not as many events as an order has");
  return events;
}

// What lies far from what was read before is waited for unless it is asked for so many events before it is
// needed.
constexpr std::size_t kAhead = 64;

// One value of each event.
template <typename T>
Numbers<T> taken(const std::vector<Numbers<T>>& columns, const Order& order) {
  const PartBegins parts = parts_of(columns, 0);
  const std::span<const std::uint32_t> events = events_of(order, parts);
  const std::vector<const T*> values = data_of(columns);
  Numbers<T> result(order.size());
  T* const to = result.mutable_data();
  const WithoutPython unlocked;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const PartBegins::Place later = parts.find(events[std::min(i + kAhead, events.size() - 1)]);
    __builtin_prefetch(values[later.part] + later.number);
    const PartBegins::Place place = parts.find(events[i]);
    to[i] = values[place.part][place.number];
  }
  return result;
}

// The number of the first value of each list, through the values of all parts, and the offsets of the lists
// one behind the other.
py::tuple found_lists(const std::vector<Offsets>& offsets, const Order& order) {
  const PartBegins parts = parts_of(offsets, 1);
  const std::span<const std::uint32_t> events = events_of(order, parts);
  const std::vector<const std::int64_t*> data = data_of(offsets);
  std::vector<std::int64_t> values_before{0};
  for (std::size_t part = 0; part < data.size(); ++part)
    values_before.push_back(values_before.back() + data[part][offsets[part].size() - 1]);
  Offsets firsts(order.size()), ends(order.size() + 1);
  std::int64_t* const first = firsts.mutable_data();
  std::int64_t* const end = ends.mutable_data();
  end[0] = 0;
  {
    const WithoutPython unlocked;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const PartBegins::Place later = parts.find(events[std::min(i + kAhead, events.size() - 1)]);
      __builtin_prefetch(data[later.part] + later.number);
      const PartBegins::Place place = parts.find(events[i]);
      const std::int64_t* const list = data[place.part] + place.number;
      first[i] = values_before[place.part] + list[0];
      end[i + 1] = end[i] + list[1] - list[0];
    }
  }
  return py::make_tuple(firsts, ends);
}

// The values of lists that found_lists() has found.
template <typename T>
class FoundLists {
 public:
  FoundLists(const std::vector<Numbers<T>>& values, const Offsets& firsts, const Offsets& ends)
      : parts_(parts_of(values, 0)),
        values_(data_of(values)),
        firsts_(firsts.data()),
        ends_(ends.data()),
        count_(static_cast<std::size_t>(firsts.size())) {
    if (ends.size() != firsts.size() + 1) throw InternalError("lists of two numbers");
  }

  std::size_t size() const { return count_; }

  void prefetch(std::size_t i) const {
    const PartBegins::Place place = parts_.find(first(std::min(i + kAhead, count_ - 1)));
    __builtin_prefetch(values_[place.part] + place.number);
  }

  // The list, and the values behind it in its part.
  std::span<const T> from(std::size_t i) const {
    const PartBegins::Place place = parts_.find(first(i));
    if (place.left < size_of(i)) throw InternalError("lists end behind their values");
    return {values_[place.part] + place.number, place.left};
  }

  std::size_t size_of(std::size_t i) const { return static_cast<std::size_t>(ends_[i + 1] - ends_[i]); }

 private:
  std::uint64_t first(std::size_t i) const { return static_cast<std::uint64_t>(firsts_[i]); }

  PartBegins parts_;
  std::vector<const T*> values_;
  const std::int64_t* firsts_;
  const std::int64_t* ends_;
  std::size_t count_;
};

// The values of the lists one behind the other. Most lists are short: copying more values than there are,
// over which the next list goes, takes less time than a branch that nobody foretells.
template <typename T>
Numbers<T> taken_lists(const std::vector<Numbers<T>>& values, const Offsets& firsts, const Offsets& ends) {
  constexpr std::size_t kAtOnce = 8;
  const FoundLists<T> lists(values, firsts, ends);
  Numbers<T> result(ends.data()[lists.size()]);
  T* to = result.mutable_data();
  T* const last = to + result.size();
  const WithoutPython unlocked;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    lists.prefetch(i);
    const std::span<const T> from = lists.from(i);
    const std::size_t size = lists.size_of(i);
    const bool has_room = from.size() >= kAtOnce && static_cast<std::size_t>(last - to) >= kAtOnce;
    if (size <= kAtOnce && has_room)
      std::memcpy(to, from.data(), kAtOnce * sizeof(T));
    else
      std::copy_n(from.data(), size, to);
    to += size;
  }
  return result;
}

// Rows of `width` values of each list, zeros behind its end, and whether there is a value.
template <typename T>
py::tuple padded(const std::vector<Numbers<T>>& values, const Offsets& firsts, const Offsets& ends,
                 std::size_t width) {
  const FoundLists<T> lists(values, firsts, ends);
  const std::vector<py::ssize_t> shape{firsts.size(), static_cast<py::ssize_t>(width)};
  Numbers<T> rows(shape);
  Numbers<bool> mask(shape);
  T* row = rows.mutable_data();
  bool* is_there = mask.mutable_data();
  {
    const WithoutPython unlocked;
    for (std::size_t i = 0; i < lists.size(); ++i, row += width, is_there += width) {
      lists.prefetch(i);
      const std::span<const T> list = lists.from(i).first(lists.size_of(i));
      for (std::size_t j = 0; j < width; ++j) {  // lists are short: a call of memcpy would take longer
        is_there[j] = j < list.size();
        row[j] = j < list.size() ? list[j] : T{};
      }
    }
  }
  return py::make_tuple(rows, mask);
}

template <typename T>
void bind_type(py::module_& module) {
  py::arg values("values");
  values.noconvert();
  const py::arg firsts("firsts"), ends("ends");
  module.def("take", &taken<T>, values, py::arg("order"));
  module.def("take_lists", &taken_lists<T>, values, firsts, ends);
  module.def("take_padded", &padded<T>, values, firsts, ends, py::arg("width"));
}

}  // namespace

void bind_event_order(py::module_& module) {
  module.def("permutation", &permutation, py::arg("count"), py::arg("seed"));
  module.def("sorted_with_ranks", &sorted_with_ranks, py::arg("order"));
  module.def("find_lists", &found_lists, py::arg("offsets"), py::arg("order"));
  bind_type<bool>(module);
  bind_type<std::int8_t>(module);
  bind_type<std::int16_t>(module);
  bind_type<std::int32_t>(module);
  bind_type<std::int64_t>(module);
  bind_type<std::uint8_t>(module);
  bind_type<std::uint16_t>(module);
  bind_type<std::uint32_t>(module);
  bind_type<std::uint64_t>(module);
  bind_type<float>(module);
  bind_type<double>(module);
}

}  // namespace skimline::python
