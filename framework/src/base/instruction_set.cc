// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace skimline {
namespace {

struct NamedSet {
  std::string_view name;
  InstructionSet set;
};

constexpr std::array kSets{NamedSet{"sse2", InstructionSet::kBaseline},
                           NamedSet{"avx2", InstructionSet::kAvx2},
                           NamedSet{"avx512", InstructionSet::kAvx512}};

InstructionSet set_of_processor() {
#if SKIMLINE_HAS_AVX2_KERNELS
  if (__builtin_cpu_supports("avx2") == 0) return InstructionSet::kBaseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0;
  return has_avx512 ? InstructionSet::kAvx512 : InstructionSet::kAvx2;
#else
  return InstructionSet::kBaseline;
#endif
}

}  // namespace

std::optional<InstructionSet> instruction_set_called(std::string_view name) {
  const auto* const found =
      std::find_if(kSets.begin(), kSets.end(), [&](const NamedSet& each) { return each.name == name; });
  if (found == kSets.end()) return std::nullopt;
  return found->set;
}

InstructionSet instruction_set() {
  static const InstructionSet set = [] {
    const char* const wanted = std::getenv(kInstructionSetVariable);
    return std::min(set_of_processor(),
                    instruction_set_called(wanted ? wanted : "").value_or(InstructionSet::kAvx512));
  }();
  return set;
}

}  // namespace skimline
