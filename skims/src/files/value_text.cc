// SPDX-License-Identifier: BSD-3-Clause
#include "files/value_text.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

template <typename Number>
std::string json_number(Number value) {
  std::string text = number_text(value);
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return "\"" + text + "\"";
  return text;
}

// Number `i` of what is `level` lists deep.
std::string text_at(const ColumnView& view, int level, std::size_t i) {
  if (level == view.type.depth) return element_text(view, i);
  const std::uint32_t* offsets = view.offsets_at(level);
  std::string text = "[";
  for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k)
    text += (k == offsets[i] ? "" : ", ") + text_at(view, level + 1, k);
  return text + "]";
}

}  // namespace

std::string quoted_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string element_text(const ColumnView& view, std::size_t element) {
  const std::size_t place = view.is_constant ? 0 : element;
  if (view.type.scalar == ScalarType::kString) return quoted_text(view.data<std::string_view>()[place]);
  return visit_scalar(view.type.scalar, [&](auto tag) {
    return json_number(view.data<typename decltype(tag)::type>()[place]);
  });
}

std::string value_text(const ColumnView& view, std::size_t entry) { return text_at(view, 0, entry); }

std::string shortened(const std::string& text, std::size_t most) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80) continue;
    if (++length == most && text.size() - i > 1) {
      std::size_t next = i + 1;
      while (next < text.size() && (text[next] & 0xC0) == 0x80) ++next;
      return next == text.size() ? text : text.substr(0, i) + "…";
    }
  }
  return text;
}

}  // namespace skimline::skims
