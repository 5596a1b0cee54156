// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/type.h"

namespace skimline {

std::string_view name_of(ScalarType scalar) {
  constexpr std::string_view kNames[kNumScalarTypes] = {
      "bool",         "std::int8_t",   "std::uint8_t",  "std::int16_t",  "std::uint16_t",
      "std::int32_t", "std::uint32_t", "std::int64_t",  "std::uint64_t", "float",
      "double",       "string",        "Lorentz vector"};
  return kNames[static_cast<std::size_t>(scalar)];
}

std::string name_of(Type type) {
  constexpr std::string_view kLists[kMaxDepth + 1] = {"", "list of ", "list of lists of ",
                                                      "list of lists of lists of "};
  return std::string(kLists[type.depth]).append(name_of(type.scalar));
}

}  // namespace skimline
