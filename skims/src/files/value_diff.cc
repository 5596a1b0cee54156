// SPDX-License-Identifier: BSD-3-Clause
#include "files/value_diff.h"

#include "files/value_text.h"

#include <cstring>
#include <optional>
#include <string_view>

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
  if (left.type.depth > 0 && !same(left.offsets, right.offsets, (left.length + 1) * kOffset)) return false;
  if (left.type.depth > 1 &&
      !same(left.inner_offsets, right.inner_offsets, (left.offsets[left.length] + std::size_t{1}) * kOffset))
    return false;
  return same(left.values, right.values, left.num_values() * size_of(left.type.scalar));
}

// A number of any type, for columns that have different ones.
struct WideNumber {
  bool is_integer = true;
  __int128 integer = 0;
  double real = 0;
};

WideNumber wide_number(const ColumnView& view, std::size_t element) {
  return visit_scalar(view.type.scalar, [&](auto tag) -> WideNumber {
    using T = typename decltype(tag)::type;
    const T value = view.data<T>()[element];
    if constexpr (std::is_floating_point_v<T>) return {false, 0, static_cast<double>(value)};
    return {true, static_cast<__int128>(value), static_cast<double>(value)};
  });
}

class ValueComparison {
 public:
  ValueComparison(const ColumnView& left, const ColumnView& right, const Tolerance& tolerance)
      : left_(left), right_(right), tolerance_(tolerance) {}

  std::optional<ValueDifference> difference_of(std::size_t entry) const {
    if (left_.type.depth == 0) return difference_of_elements(entry, entry, "");
    return difference_of_lists(left_.offsets, right_.offsets, entry, entry, left_.type.depth, "");
  }

 private:
  // Of the list number i of the left and number j of the right, at a level with `depth` levels below it.
  std::optional<ValueDifference> difference_of_lists(const std::uint32_t* left, const std::uint32_t* right,
                                                     std::size_t i, std::size_t j, int depth,
                                                     const std::string& place) const {
    const std::size_t size = left[i + 1] - left[i], other_size = right[j + 1] - right[j];
    if (size != other_size) return ValueDifference{0, place, size_text(size), size_text(other_size)};
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t a = left[i] + k, b = right[j] + k;
      if (depth == 1 && are_equal(a, b)) continue;
      const std::string here = place + "[" + std::to_string(k) + "]";
      std::optional<ValueDifference> found =
          depth == 1 ? difference_of_elements(a, b, here)
                     : difference_of_lists(left_.inner_offsets, right_.inner_offsets, a, b, depth - 1, here);
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
    return ValueDifference{0, place, element_text(left_, i), element_text(right_, j)};
  }

  bool are_equal(std::size_t i, std::size_t j) const {
    if (left_.is_constant) i = 0;
    if (right_.is_constant) j = 0;
    if (left_.type.scalar != right_.type.scalar)
      return are_equal_numbers(wide_number(left_, i), wide_number(right_, j));
    if (left_.type.scalar == ScalarType::kString)
      return left_.data<std::string_view>()[i] == right_.data<std::string_view>()[j];
    return visit_scalar(left_.type.scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return tolerance_.are_equal(left_.data<T>()[i], right_.data<T>()[j]);
    });
  }

  bool are_equal_numbers(const WideNumber& left, const WideNumber& right) const {
    if (left.is_integer && right.is_integer) return left.integer == right.integer;
    return tolerance_.are_equal(left.real, right.real);
  }

  const ColumnView& left_;
  const ColumnView& right_;
  const Tolerance& tolerance_;
};

}  // namespace

bool are_comparable(Type left, Type right) {
  return left.depth == right.depth && is_number(left.scalar) == is_number(right.scalar);
}

void compare_values(const ColumnView& left, const ColumnView& right, const Tolerance& tolerance,
                    std::uint64_t first_entry, ColumnDifference& found) {
  if (have_same_bytes(left, right)) return;
  const ValueComparison comparison(left, right, tolerance);
  for (std::size_t entry = 0; entry < left.length; ++entry) {
    std::optional<ValueDifference> difference = comparison.difference_of(entry);
    if (!difference) continue;
    ++found.num_entries;
    if (found.first.size() == kShownDifferences) continue;
    difference->entry = first_entry + entry;
    found.first.push_back(std::move(*difference));
  }
}

}  // namespace skimline::skims
