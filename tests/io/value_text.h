// SPDX-License-Identifier: BSD-3-Clause
// Values of columns as JSON, for tests in Python. Bytes of strings that are not printable ASCII are escaped
// as if they were Latin-1.
#pragma once

#include "skimline/framework/column.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace skimline::io {

inline std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    const bool is_plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    is_plain ? result.push_back(c) : void(result += escaped);
  }
  return result + "\"";
}

inline std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  const std::string written = text;
  return written.find_first_of(".e") == std::string::npos ? written + ".0" : written;
}

inline std::string value_at(const ColumnView& view, std::size_t index) {
  if (view.type.scalar == ScalarType::kString) return quoted(view.data<std::string_view>()[index]);
  return visit_scalar(view.type.scalar, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T value = view.data<T>()[index];
    if constexpr (std::is_same_v<T, bool>)
      return value ? "true" : "false";
    else if constexpr (std::is_floating_point_v<T>)
      return number(value);
    else
      return std::to_string(value);
  });
}

// What is numbered `index` at a depth of lists: 0 is an entry.
inline std::string item_at(const ColumnView& view, std::size_t index, int depth) {
  if (depth == view.type.depth) return value_at(view, index);
  const std::uint32_t* offsets = view.offsets_at(depth);
  std::string items;
  for (std::uint32_t i = offsets[index]; i < offsets[index + 1]; ++i)
    items += (items.empty() ? "" : ",") + item_at(view, i, depth + 1);
  return "[" + items + "]";
}

}  // namespace skimline::io
