// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/field_size.h"

#include <algorithm>

namespace skimline::io {

FieldSize& FieldSize::operator+=(const FieldSize& other) {
  stored += other.stored;
  in_memory += other.in_memory;
  largest_page = std::max(largest_page, other.largest_page);
  return *this;
}

}  // namespace skimline::io
