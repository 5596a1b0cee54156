// SPDX-License-Identifier: BSD-3-Clause
// Columns of events in another order. Events are numbered through the parts in which they were read.
#include "bindings.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
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
  const py::gil_scoped_release release;
  std::iota(numbers, numbers + count, 0u);
  SplitMix random(seed);
  for (std::uint64_t left = count; left > 1; --left)
    std::swap(numbers[left - 1], numbers[random.below(static_cast<std::uint32_t>(left))]);
  return order;
}

// Finds events in the parts.
class PartBegins {
 public:
  struct Place {
    std::size_t part;
    std::size_t event;
  };

  explicit PartBegins(const std::vector<py::ssize_t>& sizes) : starts_{0} {
    for (const py::ssize_t size : sizes) starts_.push_back(starts_.back() + static_cast<std::uint64_t>(size));
  }

  Place find(std::uint32_t number) const {
    std::size_t part = 0;
    for (std::size_t other = 1; other + 1 < starts_.size(); ++other) part += number >= starts_[other];
    return {part, number - starts_[part]};
  }

  // Whether these are events one after the other in one part, which are copied at once.
  bool is_run(const std::uint32_t* numbers, std::size_t count) const {
    std::uint32_t differs = 0;
    for (std::size_t i = 0; i < count; ++i)
      differs |= numbers[i] ^ (numbers[0] + static_cast<std::uint32_t>(i));
    return count > 0 && differs == 0 && find(numbers[0]).part == find(numbers[count - 1]).part;
  }

  void check(const Order& order) const {
    const auto numbers = order.unchecked<1>();
    std::uint32_t greatest = 0;
    for (py::ssize_t i = 0; i < numbers.size(); ++i) greatest = std::max(greatest, numbers(i));
    if (numbers.size() > 0 && greatest >= starts_.back())
      throw InternalError("there is no event number " + std::to_string(greatest));
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

// One value of each event.
template <typename T>
Numbers<T> taken(const std::vector<Numbers<T>>& columns, const Order& order) {
  const PartBegins parts = parts_of(columns, 0);
  parts.check(order);
  Numbers<T> result(order.size());
  const std::vector<const T*> values = data_of(columns);
  const std::uint32_t* const numbers = order.data();
  T* const to = result.mutable_data();
  const auto count = static_cast<std::size_t>(order.size());
  const py::gil_scoped_release release;
  if (parts.is_run(numbers, count)) {
    const PartBegins::Place place = parts.find(numbers[0]);
    std::copy_n(values[place.part] + place.event, count, to);
    return result;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const PartBegins::Place place = parts.find(numbers[i]);
    to[i] = values[place.part][place.event];
  }
  return result;
}

// As std::copy_n(), whose call takes longer than copying a list, as most are short. Their ends overlap.
template <typename T>
T* copied(const T* from, std::size_t size, T* to) {
  const auto both_ends = [&]<std::size_t kHalf>(std::integral_constant<std::size_t, kHalf>) {
    std::memcpy(to, from, kHalf * sizeof(T));
    std::memcpy(to + size - kHalf, from + size - kHalf, kHalf * sizeof(T));
  };
  if (size > 8) return std::copy_n(from, size, to);
  if (size >= 4)
    both_ends(std::integral_constant<std::size_t, 4>());
  else if (size >= 2)
    both_ends(std::integral_constant<std::size_t, 2>());
  else if (size == 1)
    *to = *from;
  return to + size;
}

// The lists of a column.
template <typename T>
class Lists {
 public:
  Lists(const std::vector<Numbers<T>>& values, const std::vector<Offsets>& offsets)
      : parts_(parts_of(offsets, 1)), values_(data_of(values)), offsets_(data_of(offsets)) {
    if (values.size() != offsets.size()) throw InternalError("lists without values");
    for (std::size_t part = 0; part < values.size(); ++part)
      if (offsets[part].size() == 0 || offsets_[part][offsets[part].size() - 1] > values[part].size())
        throw InternalError("lists end behind their values");
  }

  const PartBegins& parts() const { return parts_; }

  std::pair<const T*, std::size_t> find(std::uint32_t number) const {
    const PartBegins::Place place = parts_.find(number);
    const std::int64_t* const ends = offsets_[place.part] + place.event;
    return {values_[place.part] + ends[0], static_cast<std::size_t>(ends[1] - ends[0])};
  }

  // Lists in an order of chance are waited for unless they are asked for before they are needed.
  void prefetch(const std::uint32_t* numbers, std::size_t i, std::size_t count) const {
    if (i + 2 * kAhead >= count) return;
    prefetch_ends(numbers, i, count);
    __builtin_prefetch(find(numbers[i + kAhead]).first);
  }
  void prefetch_ends(const std::uint32_t* numbers, std::size_t i, std::size_t count) const {
    if (i + 2 * kAhead >= count) return;
    const PartBegins::Place place = parts_.find(numbers[i + 2 * kAhead]);
    __builtin_prefetch(offsets_[place.part] + place.event);
  }

 private:
  static constexpr std::size_t kAhead = 8;

  PartBegins parts_;
  std::vector<const T*> values_;
  std::vector<const std::int64_t*> offsets_;
};

// Rows of `width` values of each list, zeros behind its end, and whether there is a value.
template <typename T>
py::tuple padded(const std::vector<Numbers<T>>& values, const std::vector<Offsets>& offsets,
                 const Order& order, std::size_t width) {
  const Lists<T> lists(values, offsets);
  lists.parts().check(order);
  const std::vector<py::ssize_t> shape{order.size(), static_cast<py::ssize_t>(width)};
  Numbers<T> rows(shape);
  Numbers<bool> mask(shape);
  T* row = rows.mutable_data();
  bool* is_there = mask.mutable_data();
  const std::uint32_t* const numbers = order.data();
  const auto count = static_cast<std::size_t>(order.size());
  {
    const py::gil_scoped_release release;
    for (std::size_t i = 0; i < count; ++i, row += width, is_there += width) {
      lists.prefetch(numbers, i, count);
      const auto [from, size] = lists.find(numbers[i]);
      const std::size_t kept = std::min(size, width);
      for (std::size_t j = 0; j < width; ++j) {  // lists are short: a call of memcpy would take longer
        is_there[j] = j < kept;
        row[j] = j < kept ? from[j] : T{};
      }
    }
  }
  return py::make_tuple(rows, mask);
}

// Offsets and values of the lists.
template <typename T>
py::tuple taken_lists(const std::vector<Numbers<T>>& values, const std::vector<Offsets>& offsets,
                      const Order& order) {
  const Lists<T> lists(values, offsets);
  lists.parts().check(order);
  const auto count = static_cast<std::size_t>(order.size());
  const std::uint32_t* const numbers = order.data();
  Offsets ends(order.size() + 1);
  std::int64_t* const end = ends.mutable_data();
  end[0] = 0;
  const bool is_run = lists.parts().is_run(numbers, count);
  {
    const py::gil_scoped_release release;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_run) lists.prefetch_ends(numbers, i, count);
      end[i + 1] = end[i] + static_cast<std::int64_t>(lists.find(numbers[i]).second);
    }
  }
  Numbers<T> result(end[count]);
  T* to = result.mutable_data();
  {
    const py::gil_scoped_release release;
    if (is_run) std::copy_n(lists.find(numbers[0]).first, end[count], to);
    for (std::size_t i = 0; !is_run && i < count; ++i) {
      lists.prefetch(numbers, i, count);
      const auto [from, size] = lists.find(numbers[i]);
      to = copied(from, size, to);
    }
  }
  return py::make_tuple(ends, result);
}

template <typename T>
void bind_type(py::module_& module) {
  py::arg values("values");
  values.noconvert();
  const py::arg order("order"), offsets("offsets");
  module.def("take", &taken<T>, values, order);
  module.def("take_lists", &taken_lists<T>, values, offsets, order);
  module.def("take_padded", &padded<T>, values, offsets, order, py::arg("width"));
}

}  // namespace

void bind_event_order(py::module_& module) {
  module.def("permutation", &permutation, py::arg("count"), py::arg("seed"));
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
