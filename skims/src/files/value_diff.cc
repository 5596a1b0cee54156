// SPDX-License-Identifier: BSD-3-Clause
#include "files/value_diff.h"

#include "files/value_text.h"

#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace skimline::skims {
namespace {

// The bytes that both have in common say so at once where nothing differs.
bool have_same_bytes(const ColumnView& left, const ColumnView& right) {
  if (left.type != right.type || left.type.scalar == ScalarType::kString || left.is_constant ||
      right.is_constant)
    return false;
  const auto same = [](const void* a, const void* b, std::size_t size) {
    return size == 0 || std::memcmp(a, b, size) == 0;
  };
  constexpr std::size_t kOffset = sizeof(std::uint32_t);
  for (int level = 0; level < left.type.depth; ++level)
    if (!same(left.offsets_at(level), right.offsets_at(level), (left.num_elements(level) + 1) * kOffset))
      return false;
  return same(left.values, right.values, left.num_values() * size_of(left.type.scalar));
}

// Elements [begin, end) of the next level.
struct ListRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

// The values of a view, for ValueComparison.
class ViewedValues {
 public:
  explicit ViewedValues(const ColumnView& view) : view_(view) {}
  Type type() const { return view_.type; }
  ListRange list(int level, std::size_t i) const {
    const std::uint32_t* offsets = view_.offsets_at(level);
    return {offsets[i], offsets[i + 1]};
  }
  template <typename T>
  T number(std::size_t i) const {
    return view_.data<T>()[view_.is_constant ? 0 : i];
  }
  std::string_view text(std::size_t i) const {
    return view_.data<std::string_view>()[view_.is_constant ? 0 : i];
  }

 private:
  const ColumnView& view_;
};

// The same of a column with memory of its own.
class OwnedValues {
 public:
  explicit OwnedValues(const OwnedColumn& column) : column_(column) {}
  Type type() const { return column_.type; }
  ListRange list(int level, std::size_t i) const {
    const auto offsets = column_.offsets[static_cast<std::size_t>(level)].as<std::int64_t>();
    return {static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1])};
  }
  template <typename T>
  T number(std::size_t i) const {
    return column_.values.as<T>()[i];
  }
  std::string_view text(std::size_t i) const {
    const ListRange characters = list(column_.type.depth, i);
    return {reinterpret_cast<const char*>(column_.values.data()) + characters.begin, characters.size()};
  }

 private:
  const OwnedColumn& column_;
};

// A number of any type, for columns that have different ones.
struct WideNumber {
  bool is_integer = true;
  __int128 integer = 0;
  double real = 0;
};

template <typename Values>
WideNumber wide_number(const Values& values, std::size_t element) {
  return visit_scalar(values.type().scalar, [&](auto tag) -> WideNumber {
    using T = typename decltype(tag)::type;
    const T value = values.template number<T>(element);
    if constexpr (std::is_floating_point_v<T>) return {false, 0, static_cast<double>(value)};
    return {true, static_cast<__int128>(value), static_cast<double>(value)};
  });
}

template <typename Values>
std::string text_of_element(const Values& values, std::size_t element) {
  const ScalarType scalar = values.type().scalar;
  if (scalar == ScalarType::kString) return quoted_text(values.text(element));
  return visit_scalar(scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = values.template number<T>(element);
    return element_text({Type{scalar}, 1, &value}, 0);
  });
}

template <typename Values>
class ValueComparison {
 public:
  ValueComparison(const Values& left, const Values& right, const Tolerance& tolerance)
      : left_(left), right_(right), tolerance_(tolerance), depth_(left.type().depth) {}

  // Of an entry of the left and one of the right.
  std::optional<ValueDifference> difference_of(std::size_t i, std::size_t j) const {
    return depth_ == 0 ? difference_of_elements(i, j, "") : difference_of_lists(i, j, 0, "");
  }

 private:
  // Of the list number i of the left and number j of the right, at a level.
  std::optional<ValueDifference> difference_of_lists(std::size_t i, std::size_t j, int level,
                                                     const std::string& place) const {
    const ListRange left = left_.list(level, i), right = right_.list(level, j);
    if (left.size() != right.size())
      return ValueDifference{0, {}, place, size_text(left.size()), size_text(right.size())};
    const bool has_elements = level + 1 == depth_;
    for (std::size_t k = 0; k < left.size(); ++k) {
      const std::size_t a = left.begin + k, b = right.begin + k;
      if (has_elements && are_equal(a, b)) continue;
      const std::string here = place + "[" + std::to_string(k) + "]";
      std::optional<ValueDifference> found =
          has_elements ? difference_of_elements(a, b, here) : difference_of_lists(a, b, level + 1, here);
      if (found) return found;
    }
    return std::nullopt;
  }

  static std::string size_text(std::size_t size) {
    return std::to_string(size) + (size == 1 ? " element" : " elements");
  }

  std::optional<ValueDifference> difference_of_elements(std::size_t i, std::size_t j,
                                                        const std::string& place) const {
    if (are_equal(i, j)) return std::nullopt;
    return ValueDifference{0, {}, place, text_of_element(left_, i), text_of_element(right_, j)};
  }

  bool are_equal(std::size_t i, std::size_t j) const {
    const ScalarType scalar = left_.type().scalar;
    if (scalar != right_.type().scalar)
      return are_equal_numbers(wide_number(left_, i), wide_number(right_, j));
    if (scalar == ScalarType::kString) return left_.text(i) == right_.text(j);
    return visit_scalar(scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return tolerance_.are_equal(left_.template number<T>(i), right_.template number<T>(j));
    });
  }

  bool are_equal_numbers(const WideNumber& left, const WideNumber& right) const {
    if (left.is_integer && right.is_integer) return left.integer == right.integer;
    if (left.is_integer != right.is_integer && tolerance_.is_none())
      return left.is_integer ? is_exactly(left.integer, right.real) : is_exactly(right.integer, left.real);
    return tolerance_.are_equal(left.real, right.real);
  }

  // As a real number, large integers become others.
  static bool is_exactly(__int128 integer, double real) {
    return static_cast<double>(integer) == real && static_cast<__int128>(real) == integer;
  }

  const Values& left_;
  const Values& right_;
  const Tolerance& tolerance_;
  const int depth_;
};

void add_difference(std::optional<ValueDifference> difference, std::uint64_t entry, ColumnDifference& found) {
  if (!difference) return;
  if (++found.num_entries > kShownDifferences) return;
  difference->entry = entry;
  found.first.push_back(std::move(*difference));
}

}  // namespace

bool are_comparable(Type left, Type right) {
  return left.depth == right.depth && is_number(left.scalar) == is_number(right.scalar);
}

void compare_values(const ColumnView& left, const ColumnView& right, const Tolerance& tolerance,
                    std::uint64_t first_entry, ColumnDifference& found) {
  if (have_same_bytes(left, right)) return;
  const ViewedValues lefts(left), rights(right);
  const ValueComparison comparison(lefts, rights, tolerance);
  for (std::size_t entry = 0; entry < left.length; ++entry)
    add_difference(comparison.difference_of(entry, entry), first_entry + entry, found);
}

void compare_values(const OwnedColumn& left, const OwnedColumn& right, const Tolerance& tolerance,
                    std::span<const MatchedEntries::Pair> pairs, ColumnDifference& found) {
  const OwnedValues lefts(left), rights(right);
  const ValueComparison comparison(lefts, rights, tolerance);
  for (const auto& [i, j] : pairs) add_difference(comparison.difference_of(i, j), i, found);
}

}  // namespace skimline::skims
