// SPDX-License-Identifier: BSD-3-Clause
// What a value is computed from.
#pragma once

#include <string>

namespace skimline {

/// What a value, or a set of entries, is computed from, by names of columns, never by those of definitions:
/// equal texts mean equal values of equal columns.
struct ValueContent {
  std::string text;
  bool uses_entry = false;  ///< the number of the entry, which is not in the columns
  bool uses_file = false;   ///< the name of the file, the same
  bool is_known = true;     ///< false if it calls a function of which nothing but its name is known
};

/// Adds what is computed from `part` too.
void append(ValueContent& whole, const ValueContent& part);

}  // namespace skimline
