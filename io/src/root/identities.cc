// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/identities.h"

#include <cstddef>

namespace skimline::io {

bool is_null_uuid(std::string_view uuid) { return uuid.find_first_not_of("0-") == std::string_view::npos; }

bool is_distinctive(std::string_view uuid) {
  constexpr std::string_view kOfUproot3 = "30d5f5ea-7e0b-11e8-a244-7e531facbeef";
  return !is_null_uuid(uuid) && uuid != kOfUproot3;
}

std::string_view without_cycle(std::string_view name) {
  const std::size_t mark = name.rfind(';');
  if (mark == std::string_view::npos || mark + 1 == name.size()) return name;
  const bool is_number = name.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
  return is_number ? name.substr(0, mark) : name;
}

}  // namespace skimline::io
