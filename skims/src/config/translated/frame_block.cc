// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_block.h"

#include "base/text_table.h"

#include <cmath>

namespace skimline::skims {

std::optional<std::string> FrameBlock::text(const char* key) const {
  const JsonValue* found = find(key);
  return found && is(*found, JsonKind::kString, in_quotes(key)) ? std::optional(found->text) : std::nullopt;
}

std::string FrameBlock::required_text(const char* key) const {
  const std::optional<Text> found = object_.required_text(key);
  return found ? found->value : "";
}

std::optional<std::vector<std::string>> FrameBlock::texts(const char* key) const {
  const JsonValue* found = find(key);
  if (!found || !is(*found, JsonKind::kList, in_quotes(key))) return std::nullopt;
  std::vector<std::string> texts;
  for (const JsonValue& item : found->items)
    if (is(item, JsonKind::kString, "each item of " + in_quotes(key))) texts.push_back(item.text);
  return texts;
}

std::optional<std::int64_t> FrameBlock::integer(const char* key) const {
  const JsonValue* found = find(key);
  return found ? integer(*found, in_quotes(key)) : std::nullopt;
}

std::optional<std::int64_t> FrameBlock::integer(const JsonValue& value, const std::string& what) const {
  if (!is(value, JsonKind::kInteger, what)) return std::nullopt;
  if (std::abs(value.number) > kLargestInteger) {
    diagnostics_.add(value.location, what + " is too large");
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value.number);
}

bool FrameBlock::is(const JsonValue& value, JsonKind kind, const std::string& what) const {
  if (value.kind == kind) return true;
  diagnostics_.add(value.location, what + " must be " + name_of(kind) + ", got " + name_of(value.kind));
  return false;
}

}  // namespace skimline::skims
