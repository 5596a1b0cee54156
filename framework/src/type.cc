// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/type.h"

namespace skimline {

std::string_view name_of(ScalarType scalar) {
  constexpr std::string_view kNames[kNumScalarTypes] = {
      "bool",          "std::int8_t",  "std::uint8_t",  "std::int16_t", "std::uint16_t", "std::int32_t",
      "std::uint32_t", "std::int64_t", "std::uint64_t", "float",        "double"};
  return kNames[static_cast<std::size_t>(scalar)];
}

std::string name_of(Type type) {
  std::string name(name_of(type.scalar));
  for (int depth = 0; depth < type.depth; ++depth) name = "list of " + name;
  return name;
}

}  // namespace skimline
