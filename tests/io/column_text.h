// SPDX-License-Identifier: BSD-3-Clause
// What a column of a TTree makes of entries, as text.
#pragma once

#include "basket_bytes.h"
#include "ttree/tree_columns.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace skimline::io {

inline std::string text_of_value(const ColumnView& view, std::size_t index) {
  if (view.type.scalar == ScalarType::kString)
    return "\"" + std::string(view.data<std::string_view>()[index]) + "\"";
  return visit_scalar(view.type.scalar, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T value = view.data<T>()[index];
    if constexpr (!std::is_floating_point_v<T>) return std::to_string(+value);
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    return text;
  });
}

/// Entry `index` if `depth` is 0, or the list with that number.
inline std::string text_of_item(const ColumnView& view, std::size_t index, int depth = 0) {
  if (depth == view.type.depth) return text_of_value(view, index);
  const std::uint32_t* offsets = view.offsets_at(depth);
  std::string text = "[";
  for (std::uint32_t i = offsets[index]; i < offsets[index + 1]; ++i)
    text += (i == offsets[index] ? "" : ",") + text_of_item(view, i, depth + 1);
  return text + "]";
}

inline std::string text_of(const ColumnView& view) {
  std::string text;
  for (std::size_t i = 0; i < view.length; ++i) text += (i == 0 ? "" : " ") + text_of_item(view, i);
  return text;
}

/// Decodes entries, given in hexadecimal. Offsets are needed only if their sizes differ.
inline std::string decoded_column(const TreeColumns& columns, const std::string& name,
                                  const std::vector<std::string>& entries, bool has_offsets = false) {
  const auto column = std::find_if(columns.columns.begin(), columns.columns.end(),
                                   [&](const TreeColumn& one) { return one.name == name; });
  if (column == columns.columns.end()) throw std::runtime_error("no column " + name);
  Bytes data;
  std::vector<std::uint32_t> offsets{0};
  for (const std::string& entry : entries) {
    append(data, from_hex(entry));
    offsets.push_back(static_cast<std::uint32_t>(data.size()));
  }
  BasketEntries basket;
  // So that a sanitizer sees reads behind the end.
  data.shrink_to_fit();
  basket.data = data;
  basket.num_entries = static_cast<std::uint32_t>(entries.size());
  if (has_offsets) basket.offsets = offsets;
  BufferPool pool(0);
  const DecodedBasket decoded = column->decoder->decode(basket, pool);
  if (decoded.view.type != column->type) throw std::runtime_error("another type than the column's");
  return text_of(decoded.view);
}

}  // namespace skimline::io
