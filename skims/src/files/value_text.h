// SPDX-License-Identifier: BSD-3-Clause
// Values of columns as texts.
#pragma once

#include "base/text_table.h"

#include "skimline/framework/column.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace skimline::skims {

/// Returns a number exactly: of real ones as exact_number(), of integers all digits; "true" and "false".
template <typename T>
std::string number_text(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_floating_point_v<T>)
    return exact_number(value);
  else
    return std::to_string(value);
}

/// Returns the text in quotes, as JSON has it.
std::string quoted_text(std::string_view text);

/// Returns the value of one entry as JSON: 1.5, "text", [1, 2], [[1], []]. Numbers that are none are texts,
/// "nan" and "inf". Entries count from the begin of the view.
std::string value_text(const ColumnView& view, std::size_t entry);

/// Returns one value of those behind the entries, as JSON.
std::string element_text(const ColumnView& view, std::size_t element);

/// Cuts a text that is longer, with "…" at its end; characters are of UTF-8.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace skimline::skims
