// SPDX-License-Identifier: BSD-3-Clause
// What the StreamerInfo record says about members of classes.
#pragma once

#include "root/element_type.h"

#include <cstdint>
#include <span>

namespace skimline::io {

/// A member or, with the type name "BASE", a base class; sizes are those in memory, of base classes 0.
struct StreamerElement {
  const char* name;
  const char* comment;
  std::int32_t type;  // an ElementType; of arrays that another member counts kPointerArray more
  std::int32_t size;
  const char* type_name;
};

struct StreamerClass {
  const char* name;
  std::int32_t version;
  std::uint32_t checksum;
  std::span<const StreamerElement> elements;
};

}  // namespace skimline::io
