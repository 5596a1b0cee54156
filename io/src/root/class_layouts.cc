// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/class_layouts.h"

#include <algorithm>

namespace skimline::io {

const ClassLayout* ClassLayouts::find(std::string_view name, int version) const {
  const auto found = std::find_if(layouts_.begin(), layouts_.end(), [&](const ClassLayout& layout) {
    return layout.version == version && layout.name == name;
  });
  return found == layouts_.end() ? nullptr : &*found;
}

const ClassLayout* ClassLayouts::find_checksum(std::string_view name, std::uint32_t checksum) const {
  const auto found = std::find_if(layouts_.begin(), layouts_.end(), [&](const ClassLayout& layout) {
    return layout.checksum == checksum && layout.name == name;
  });
  return found == layouts_.end() ? nullptr : &*found;
}

}  // namespace skimline::io
