// SPDX-License-Identifier: BSD-3-Clause
#include "report/html_config.h"

#include "report/html_text.h"

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 90;  // of what stands in one line

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string marked(const char* kind, const std::string& text) {
  return "<span class=\"" + std::string(kind) + "\">" + html(text) + "</span>";
}

bool is_short(const Json& json) { return dumped(json).size() <= kWidth; }

std::string marked(const Json& json, std::size_t indent);

// In one line if it fits, else an item in each.
std::string items_of(const Json& json, std::size_t indent) {
  const bool is_line = is_short(json);
  const std::string end = is_line ? "" : "\n" + std::string(indent, ' ');
  std::string text;
  for (const auto& [key, item] : json.items()) {
    if (!text.empty()) text += is_line ? ", " : ",";
    if (!is_line) text += end + "  ";
    if (json.is_object()) text += marked("k", dumped(Json(key))) + ": ";
    text += marked(item, indent + 2);
  }
  return (json.is_object() ? "{" : "[") + text + end + (json.is_object() ? "}" : "]");
}

std::string marked(const Json& json, std::size_t indent) {
  if (json.is_structured()) return json.empty() ? dumped(json) : items_of(json, indent);
  return marked(json.is_string() ? "s" : "n", dumped(json));
}

}  // namespace

std::string html_of_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? html(text) : marked(json, 0);
}

}  // namespace skimline::skims
