// SPDX-License-Identifier: BSD-3-Clause
#include "expression/subset_values.h"

#include "expression/list_elements.h"
#include "expression/list_output.h"
#include "expression/lorentz_vectors.h"
#include "expression/moved_value.h"
#include "expression/subsets.h"

#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace skimline {
namespace {

std::uint32_t member_number(const ColumnView& constant) {
  return static_cast<std::uint32_t>(*constant.data<std::int64_t>());
}

template <typename T, int kCount>
ColumnView members(const KernelCall& call) {
  const ColumnView& values = call.inputs[0];
  const SubsetArguments<kCount> subsets(values, call.inputs[1], allows_none(call.inputs[2]));
  const std::uint32_t member = member_number(call.inputs[3]);
  const std::uint32_t* offsets = subsets.lay_out(call, member);
  T* const result = call.results.values.reserve<T>(offsets[call.length]);
  std::size_t place = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t size = subsets.size(entry), first = subsets.first(entry);
    for_each_row<kCount>(size, [&](const auto& prefix, std::uint32_t begin) {
      const std::uint32_t length = size - begin;
      if (member + 1 == kCount) {
        for (std::uint32_t k = 0; k < length; ++k)
          store_value(result, place + k, load_value<T>(values.values, first + begin + k));
      } else {
        const T value = load_value<T>(values.values, first + prefix[member]);
        for (std::uint32_t k = 0; k < length; ++k) store_value(result, place + k, value);
      }
      place += length;
    });
  }
  return list_result(call, result, offsets);
}

// What the members add up to, from the first on.
template <typename Members>
[[gnu::always_inline]] inline LorentzVector sum_of(const LorentzVector* vectors, const Members& members) {
  LorentzVector sum = vectors[members[0]];
  for (std::size_t member = 1; member < members.size(); ++member)
    sum = vector_sum(sum, vectors[members[member]]);
  return sum;
}

// Sums of the first two of three members, or of all.
template <int kCount, bool kOfAll>
ColumnView sums(const KernelCall& call) {
  const SubsetArguments<kCount> subsets(call.inputs[0], call.inputs[1], allows_none(call.inputs[2]));
  const std::uint32_t* offsets = subsets.lay_out(call, kOfAll ? kCount - 1 : 1);
  auto* const result = call.results.values.reserve<LorentzVector>(offsets[call.length]);
  std::size_t place = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const LorentzVector* vectors = call.inputs[0].data<LorentzVector>() + subsets.first(entry);
    const std::uint32_t size = subsets.size(entry);
    for_each_row<kCount>(size, [&](const auto& prefix, std::uint32_t begin) {
      const LorentzVector before = sum_of(vectors, prefix);
      for (std::uint32_t k = begin; k < size; ++k)
        result[place++] = kOfAll ? vector_sum(before, vectors[k]) : before;
    });
  }
  return list_result(call, result, offsets);
}

// The vectors of one entry by component, so that four sums are made at a time. The rows end in padding.
class ComponentArrays {
 public:
  void read(const LorentzVector* vectors, std::uint32_t size) {
    const std::size_t stride = size + kLanes;
    memory_.reserve<double>(4 * stride);
    for (std::size_t component = 0; component < 4; ++component)
      arrays_[component] = static_cast<double*>(memory_.data()) + component * stride;
    for (std::uint32_t i = 0; i < size; ++i) {
      arrays_[0][i] = vectors[i].x;
      arrays_[1][i] = vectors[i].y;
      arrays_[2][i] = vectors[i].z;
      arrays_[3][i] = vectors[i].energy;
    }
    for (double* array : arrays_) std::fill_n(array + size, kLanes, 0.0);
  }
  const double* operator[](std::size_t component) const { return arrays_[component]; }

  static constexpr std::uint32_t kLanes = 4;

 private:
  Buffer memory_;
  double* arrays_[4] = {};
};

using Lanes = double __attribute__((vector_size(32)));

// Writes the squares of the masses of `before` plus each vector from `begin` on, in whole lanes: what lies
// beyond the last one is overwritten by the next row.
[[gnu::always_inline]] inline void write_squares(const ComponentArrays& vectors, std::uint32_t begin,
                                                 std::uint32_t size, const LorentzVector& before,
                                                 double* out) {
  for (std::uint32_t k = begin; k < size; k += ComponentArrays::kLanes) {
    Lanes x, y, z, energy;
    std::memcpy(&x, vectors[0] + k, sizeof x);
    std::memcpy(&y, vectors[1] + k, sizeof y);
    std::memcpy(&z, vectors[2] + k, sizeof z);
    std::memcpy(&energy, vectors[3] + k, sizeof energy);
    x += before.x;
    y += before.y;
    z += before.z;
    energy += before.energy;
    const Lanes squares = energy * energy - x * x - y * y - z * z;
    std::memcpy(out + (k - begin), &squares, sizeof squares);
  }
}

// Rows of few vectors waste most of their lanes, and reading vectors by component takes longer than that. Of
// such lists all subsets are known, so that each takes one loop, whose end is the only branch that no
// processor foresees.
constexpr std::uint32_t kFewVectors = 5;

template <int kCount>
struct KnownSubsets {
  using Members = std::array<std::uint8_t, kCount>;

  constexpr KnownSubsets() {
    for (std::uint8_t size = kCount; size <= kFewVectors; ++size) {
      std::size_t count = 0;
      for (std::uint8_t i = 0; i + 1 < size; ++i)
        for (std::uint8_t j = i + 1; j < size; ++j) {
          if constexpr (kCount == 2) of_size[size][count++] = {i, j};
          if constexpr (kCount == 3)
            for (std::uint8_t k = j + 1; k < size; ++k) of_size[size][count++] = {i, j, k};
        }
    }
  }

  std::array<std::array<Members, num_subsets(kFewVectors, kCount, 100)>, kFewVectors + 1> of_size{};
};
template <int kCount>
constexpr KnownSubsets<kCount> kKnownSubsets;

[[gnu::always_inline]] inline double square_of(const LorentzVector& sum) {
  return sum.energy * sum.energy - sum.x * sum.x - sum.y * sum.y - sum.z * sum.z;
}

// The root of a negative square is negative.
[[gnu::always_inline]] inline void take_roots(double* squares, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    squares[i] = std::copysign(std::sqrt(std::fabs(squares[i])), squares[i]);
}

template <int kCount>
struct Masses {
  [[gnu::always_inline]] static inline void run(const KernelCall& call,
                                                const SubsetArguments<kCount>& subsets,
                                                const std::uint32_t* const& offsets, double* const& result) {
    ComponentArrays arrays;
    for (std::size_t entry = 0; entry < call.length; ++entry) {
      const LorentzVector* vectors = call.inputs[0].data<LorentzVector>() + subsets.first(entry);
      const std::uint32_t size = subsets.size(entry);
      double* out = result + offsets[entry];
      if (size <= kFewVectors) {
        const auto& known = kKnownSubsets<kCount>.of_size[size];
        const std::uint32_t number = offsets[entry + 1] - offsets[entry];
        for (std::uint32_t i = 0; i < number; ++i) out[i] = square_of(sum_of(vectors, known[i]));
        continue;
      }
      arrays.read(vectors, size);
      for_each_row<kCount>(
          size, [&](const auto& prefix, std::uint32_t begin) __attribute__((always_inline)) {
            write_squares(arrays, begin, size, sum_of(vectors, prefix), out);
            out += size - begin;
          });
    }
    take_roots(result, offsets[call.length]);
  }
};

template <int kCount>
ColumnView masses(const KernelCall& call) {
  const SubsetArguments<kCount> subsets(call.inputs[0], call.inputs[1], allows_none(call.inputs[2]));
  const std::uint32_t* offsets = subsets.lay_out(call, kCount - 1);
  auto* const result = call.results.values.reserve<double>(offsets[call.length]);
  run_kernel<Masses<kCount>>(call, subsets, offsets, result);
  return list_result(call, result, offsets);
}

template <typename T, int kCount>
ColumnView member_of_one(const KernelCall& call) {
  const SubsetArguments<kCount> subsets(call.inputs[0], call.inputs[1], allows_none(call.inputs[2]));
  const std::uint32_t member = member_number(call.inputs[3]);
  const FlatValues<std::int64_t> ranks(call.inputs[4]);
  T* result = call.results.values.reserve<T>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t index = subsets.at(entry, ranks[entry], member)[member];
    store_value(result, entry, load_value<T>(call.inputs[0].values, subsets.first(entry) + index));
  }
  return flat_result(call, result);
}

template <int kCount>
ColumnView sum_of_one(const KernelCall& call) {
  const SubsetArguments<kCount> subsets(call.inputs[0], call.inputs[1], allows_none(call.inputs[2]));
  const FlatValues<std::int64_t> ranks(call.inputs[3]);
  auto* result = call.results.values.reserve<LorentzVector>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const LorentzVector* vectors = call.inputs[0].data<LorentzVector>() + subsets.first(entry);
    store_value(result, entry, sum_of(vectors, subsets.at(entry, ranks[entry], kCount - 1)));
  }
  return flat_result(call, result);
}

template <int kCount>
ColumnView indexes_of_one(const KernelCall& call) {
  const SubsetArguments<kCount> subsets(call.inputs[0], call.inputs[0], allows_none(call.inputs[1]));
  const FlatValues<std::int64_t> ranks(call.inputs[2]);
  auto* result = call.results.values.reserve<std::uint64_t>(call.length * kCount);
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  offsets[0] = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const auto members = subsets.at(entry, ranks[entry], kCount - 1);
    std::copy(members.begin(), members.end(), result + entry * kCount);
    offsets[entry + 1] = offsets[entry] + kCount;
  }
  return list_result(call, result, offsets);
}

}  // namespace

ColumnKernel members_of_subsets(ScalarType scalar, std::uint64_t count) {
  return visit_moved(scalar, [count](auto tag) -> ColumnKernel {
    using T = typename decltype(tag)::type;
    return count == 2 ? members<T, 2> : members<T, 3>;
  });
}

ColumnKernel sums_of_subsets(std::uint64_t count) { return count == 2 ? sums<2, true> : sums<3, true>; }

ColumnKernel sums_of_first_two() { return sums<3, false>; }

ColumnKernel masses_of_subsets(std::uint64_t count) { return count == 2 ? masses<2> : masses<3>; }

ColumnKernel member_of_subset(ScalarType scalar, std::uint64_t count) {
  return visit_moved(scalar, [count](auto tag) -> ColumnKernel {
    using T = typename decltype(tag)::type;
    return count == 2 ? member_of_one<T, 2> : member_of_one<T, 3>;
  });
}

ColumnKernel sum_of_subset(std::uint64_t count) { return count == 2 ? sum_of_one<2> : sum_of_one<3>; }

ColumnKernel subset_of_rank(std::uint64_t count) {
  return count == 2 ? indexes_of_one<2> : indexes_of_one<3>;
}

}  // namespace skimline
