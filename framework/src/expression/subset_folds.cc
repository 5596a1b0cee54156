// SPDX-License-Identifier: BSD-3-Clause
#include "expression/subset_folds.h"

#include "expression/extremes.h"

#include "skimline/framework/instruction_set.h"

#include <cstring>
#include <type_traits>

namespace skimline {
namespace {

// One value of each of the lists that are worked on together.
template <typename T>
struct FoldLanes {
  using Vector [[gnu::vector_size(kSubsetLanes * sizeof(T))]] = T;

  [[gnu::always_inline]] static inline FoldLanes load(const void* values, std::size_t first) {
    FoldLanes loaded;
    std::memcpy(&loaded.vector, static_cast<const T*>(values) + first, sizeof(Vector));
    return loaded;
  }
  [[gnu::always_inline]] inline void store(void* values, std::size_t first) const {
    std::memcpy(static_cast<T*>(values) + first, &vector, sizeof(Vector));
  }

  Vector vector = {};
};

template <typename T>
using IndexOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <typename R>
R& result_at(void* results, std::uint32_t entry) {
  return static_cast<R*>(results)[entry];
}

// The best value and its number, from the first on as std::min_element and max_element: NaN is never
// preferred, and nothing to a NaN that comes first.
template <typename Better, typename T>
struct ExtremeFold {
  using Number = IndexOf<T>;

  [[gnu::always_inline]] static inline void run(const RowBlock& rows, void* const& state) {
    void* const indexes = static_cast<T*>(state) + rows.width;
    for (std::size_t lane = 0; lane < rows.width; lane += kSubsetLanes) {
      const bool is_first = rows.first_row == 0;
      auto best = FoldLanes<T>::load(is_first ? rows.values : state, lane);
      FoldLanes<Number> index, number;
      if (!is_first) index = FoldLanes<Number>::load(indexes, lane);
      std::size_t row = is_first ? 1 : 0;
      number.vector += static_cast<Number>(rows.first_row + row);
      for (; row < rows.num_rows; ++row) {
        const auto next = FoldLanes<T>::load(rows.values, row * rows.width + lane);
        const auto is_better = Better::kSmaller ? next.vector < best.vector : best.vector < next.vector;
        index.vector = is_better ? number.vector : index.vector;
        best.vector = is_better ? next.vector : best.vector;
        number.vector += 1;
      }
      best.store(state, lane);
      index.store(indexes, lane);
    }
  }

  static void add_to_one(const RowBlock& rows, void* state) {
    const T* const values = static_cast<const T*>(rows.values);
    T& best = *static_cast<T*>(state);
    Number& number = *static_cast<Number*>(static_cast<void*>(static_cast<T*>(state) + 1));
    if (rows.first_row == 0) {
      const std::size_t first = first_best<Better>(values, rows.num_rows);
      best = values[first];
      number = static_cast<Number>(first);
      return;
    }
    // Nothing would be preferred to a NaN that begins the rows, as if it began the list.
    std::size_t begin = 0;
    while (begin < rows.num_rows && values[begin] != values[begin]) ++begin;
    if (begin == rows.num_rows) return;
    const std::size_t first = begin + first_best<Better>(values + begin, rows.num_rows - begin);
    if (!Better::apply(values[first], best)) return;
    best = values[first];
    number = static_cast<Number>(rows.first_row + first);
  }

  static void store_value(const void* state, std::size_t, std::span<const std::uint32_t> entries,
                          void* results) {
    const T* values = static_cast<const T*>(state);
    for (std::size_t i = 0; i < entries.size(); ++i) result_at<T>(results, entries[i]) = values[i];
  }
  static void store_index(const void* state, std::size_t width, std::span<const std::uint32_t> entries,
                          void* results) {
    const void* indexes = static_cast<const T*>(state) + width;
    for (std::size_t i = 0; i < entries.size(); ++i)
      result_at<std::uint64_t>(results, entries[i]) =
          static_cast<std::uint64_t>(static_cast<const Number*>(indexes)[i]);
  }
};

// From zero on, in the order of the lists. As C++ does, sums of integers wrap around.
template <typename T>
struct SumFold {
  [[gnu::always_inline]] static inline void run(const RowBlock& rows, void* const& state) {
    for (std::size_t lane = 0; lane < rows.width; lane += kSubsetLanes) {
      FoldLanes<T> sum;
      if (rows.first_row > 0) sum = FoldLanes<T>::load(state, lane);
      for (std::size_t row = 0; row < rows.num_rows; ++row)
        sum.vector += FoldLanes<T>::load(rows.values, row * rows.width + lane).vector;
      sum.store(state, lane);
    }
  }

  static void add_to_one(const RowBlock& rows, void* state) {
    T sum = rows.first_row > 0 ? *static_cast<const T*>(state) : T{0};
    for (std::size_t row = 0; row < rows.num_rows; ++row) sum += static_cast<const T*>(rows.values)[row];
    *static_cast<T*>(state) = sum;
  }

  static void store(const void* state, std::size_t, std::span<const std::uint32_t> entries, void* results) {
    const T* sums = static_cast<const T*>(state);
    for (std::size_t i = 0; i < entries.size(); ++i) result_at<T>(results, entries[i]) = sums[i];
  }
};

// Whether any or all values are other than zero, as masks; NaN is.
template <typename T, bool kAll>
struct TestFold {
  using Truth = IndexOf<T>;

  [[gnu::always_inline]] static inline void run(const RowBlock& rows, void* const& state) {
    for (std::size_t lane = 0; lane < rows.width; lane += kSubsetLanes) {
      FoldLanes<Truth> holds;
      if (kAll) holds.vector = ~holds.vector;
      if (rows.first_row > 0) holds = FoldLanes<Truth>::load(state, lane);
      for (std::size_t row = 0; row < rows.num_rows; ++row) {
        const auto is_set = FoldLanes<T>::load(rows.values, row * rows.width + lane).vector != T{0};
        if constexpr (kAll)
          holds.vector &= is_set;
        else
          holds.vector |= is_set;
      }
      holds.store(state, lane);
    }
  }

  static void add_to_one(const RowBlock& rows, void* state) {
    Truth holds = rows.first_row > 0 ? *static_cast<const Truth*>(state) : Truth{kAll};
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      const Truth is_set{static_cast<const T*>(rows.values)[row] != T{0}};
      holds = kAll ? holds & is_set : holds | is_set;
    }
    *static_cast<Truth*>(state) = holds;
  }

  static void store(const void* state, std::size_t, std::span<const std::uint32_t> entries, void* results) {
    const auto* holds = static_cast<const Truth*>(state);
    for (std::size_t i = 0; i < entries.size(); ++i) result_at<bool>(results, entries[i]) = holds[i] != 0;
  }
};

template <typename Fold>
void add_rows(const RowBlock& rows, void* state) {
  if (rows.width == 1)
    Fold::add_to_one(rows, state);
  else
    run_kernel<Fold>(rows, state);
}

template <typename T>
std::optional<SubsetFold> fold_of(std::string_view function) {
  using Smallest = ExtremeFold<IsSmaller, T>;
  using Largest = ExtremeFold<IsLarger, T>;
  using Summed = SumFold<
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type>;
  if (function == "Min") return SubsetFold{add_rows<Smallest>, Smallest::store_value};
  if (function == "Max") return SubsetFold{add_rows<Largest>, Largest::store_value};
  if (function == "ArgMin") return SubsetFold{add_rows<Smallest>, Smallest::store_index};
  if (function == "ArgMax") return SubsetFold{add_rows<Largest>, Largest::store_index};
  if (function == "Sum") return SubsetFold{add_rows<Summed>, Summed::store};
  if (function == "Any") return SubsetFold{add_rows<TestFold<T, false>>, TestFold<T, false>::store};
  if (function == "All") return SubsetFold{add_rows<TestFold<T, true>>, TestFold<T, true>::store};
  return std::nullopt;
}

}  // namespace

std::optional<SubsetFold> subset_fold(std::string_view function, ScalarType values) {
  switch (values) {
    case ScalarType::kInt32:
      return fold_of<std::int32_t>(function);
    case ScalarType::kUInt32:
      return fold_of<std::uint32_t>(function);
    case ScalarType::kInt64:
      return fold_of<std::int64_t>(function);
    case ScalarType::kUInt64:
      return fold_of<std::uint64_t>(function);
    case ScalarType::kFloat:
      return fold_of<float>(function);
    case ScalarType::kDouble:
      return fold_of<double>(function);
    default:
      return std::nullopt;
  }
}

}  // namespace skimline
