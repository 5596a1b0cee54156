// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_source.h"

#include <algorithm>

namespace skimline::io {

FieldSize& FieldSize::operator+=(const FieldSize& other) {
  stored += other.stored;
  in_memory += other.in_memory;
  largest_page = std::max(largest_page, other.largest_page);
  return *this;
}

const char* name_of(DataFormat format) { return format == DataFormat::kRNTuple ? "RNTuple" : "TTree"; }

}  // namespace skimline::io
