// SPDX-License-Identifier: BSD-3-Clause
// Which compilation of a kernel runs. All give the same bits: no operation is fused or reordered.
#pragma once

#if defined(__x86_64__) && !defined(SKIMLINE_SANITIZED)
#define SKIMLINE_HAS_AVX2_KERNELS 1
#else
#define SKIMLINE_HAS_AVX2_KERNELS 0
#endif

namespace skimline {

#if SKIMLINE_HAS_AVX2_KERNELS
inline bool use_avx2() {
  static const bool is_there = __builtin_cpu_supports("avx2") != 0;
  return is_there;
}

/// Calls the kernel compiled for AVX2 where the machine has it. `Kernel` has a static, always-inlined `run`.
template <typename Kernel, typename... Arguments>
[[gnu::target("avx2")]] void run_with_avx2(const Arguments&... arguments) {
  Kernel::run(arguments...);
}

template <typename Kernel, typename... Arguments>
void run_kernel(const Arguments&... arguments) {
  if (use_avx2())
    run_with_avx2<Kernel>(arguments...);
  else
    Kernel::run(arguments...);
}
#else
template <typename Kernel, typename... Arguments>
void run_kernel(const Arguments&... arguments) {
  Kernel::run(arguments...);
}
#endif

}  // namespace skimline
