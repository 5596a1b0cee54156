// SPDX-License-Identifier: BSD-3-Clause
// Which compilation of a kernel runs. All give the same bits: no operation is fused or reordered.
#pragma once

#include <optional>
#include <string_view>

#if defined(__x86_64__) && !defined(SKIMLINE_SANITIZED)
#define SKIMLINE_HAS_AVX2_KERNELS 1
#else
#define SKIMLINE_HAS_AVX2_KERNELS 0
#endif

namespace skimline {

/// What kernels are compiled for, each with what is named before it. The baseline of x86-64 has SSE2.
enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

/// The environment variable that names the most that kernels may use: "sse2", "avx2" or "avx512".
inline constexpr const char* kInstructionSetVariable = "SKIMLINE_INSTRUCTIONS";

/// Returns what has that name there, or nothing.
std::optional<InstructionSet> instruction_set_called(std::string_view name);

/// Returns what the processor has, and the environment did not forbid when it was asked first.
InstructionSet instruction_set();

#if SKIMLINE_HAS_AVX2_KERNELS
inline bool use_avx2() {
  static const bool is_used = instruction_set() >= InstructionSet::kAvx2;
  return is_used;
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
