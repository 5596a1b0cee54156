// SPDX-License-Identifier: BSD-3-Clause
// Kernels on vectors of 8 doubles where the machine has AVX-512, else of 4.
#pragma once

#include "skimline/framework/instruction_set.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skimline::histograms {

template <int kLanes>
struct VectorTypes;

template <>
struct VectorTypes<4> {
  using Floats = float __attribute__((vector_size(16)));
  using Doubles = double __attribute__((vector_size(32)));
  using Integers = std::int64_t __attribute__((vector_size(32)));
  using Bits = std::uint64_t __attribute__((vector_size(32)));
};

template <>
struct VectorTypes<8> {
  using Floats = float __attribute__((vector_size(32)));
  using Doubles = double __attribute__((vector_size(64)));
  using Integers = std::int64_t __attribute__((vector_size(64)));
  using Bits = std::uint64_t __attribute__((vector_size(64)));
};

/// Vectors of `kLanes` doubles, and of their bits.
template <int kLanes>
struct Vectors {
  using Doubles = typename VectorTypes<kLanes>::Doubles;
  using Integers = typename VectorTypes<kLanes>::Integers;

  static constexpr Integers kMagnitudeBits = Integers{} + 0x7fffffffffffffff;

  [[gnu::always_inline]] static inline void load(const double* memory, Doubles& values) {
    std::memcpy(&values, memory, sizeof values);
  }
  [[gnu::always_inline]] static inline void load(const float* memory, Doubles& values) {
    typename VectorTypes<kLanes>::Floats floats;
    std::memcpy(&floats, memory, sizeof floats);
    values = __builtin_convertvector(floats, Doubles);
  }
  /// Loads the first `count` lanes; the others are 0.
  template <typename Real>
  [[gnu::always_inline]] static inline void load(const Real* memory, std::size_t count, Doubles& values) {
    values = Doubles{};
    for (std::size_t lane = 0; lane < count; ++lane) values[lane] = memory[lane];
  }
  [[gnu::always_inline]] static inline void store(const Doubles& values, double* memory) {
    std::memcpy(memory, &values, sizeof values);
  }
  /// Keeps the larger magnitude in each lane; NaN counts as none.
  [[gnu::always_inline]] static inline void keep_larger(const Doubles& values, Doubles& largest) {
    const Doubles magnitude = (Doubles)((Integers)values & kMagnitudeBits);
    largest = magnitude > largest ? magnitude : largest;
  }
  [[gnu::always_inline]] static inline void keep_largest(const Doubles& largest, double& total) {
    for (int lane = 0; lane < kLanes; ++lane) total = largest[lane] > total ? largest[lane] : total;
  }
};

#if SKIMLINE_HAS_AVX2_KERNELS
inline bool use_avx512() {
  static const bool is_used = instruction_set() >= InstructionSet::kAvx512;
  return is_used;
}

// clang has no words for the width that gcc is to prefer, and ignores all of them.
#ifdef __clang__
#define SKIMLINE_AVX512 "avx512f,avx512dq,avx512vl"
#else
#define SKIMLINE_AVX512 "avx512f,avx512dq,avx512vl,prefer-vector-width=512"
#endif

template <template <int> class Kernel, typename... Arguments>
[[gnu::target(SKIMLINE_AVX512)]] void run_with_avx512(const Arguments&... arguments) {
  Kernel<8>::run(arguments...);
}

/// Calls the kernel for the widest vectors of the machine. `Kernel<lanes>` has a static, always-inlined
/// `run`; what it computes must not depend on the number of lanes.
template <template <int> class Kernel, typename... Arguments>
void run_vector_kernel(const Arguments&... arguments) {
  if (use_avx512())
    run_with_avx512<Kernel>(arguments...);
  else
    run_kernel<Kernel<4>>(arguments...);
}
#else
template <template <int> class Kernel, typename... Arguments>
void run_vector_kernel(const Arguments&... arguments) {
  run_kernel<Kernel<4>>(arguments...);
}
#endif

}  // namespace skimline::histograms
