// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/config_path.h"

#include <algorithm>
#include <charconv>

namespace skimline::skims {
namespace {

constexpr std::size_t kMaximumParts = 64;

// Position behind a part in quotes that begins at `begin`, or npos if it does not end.
std::size_t end_of_quoted(const std::string& text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return std::string::npos;
}

// The string that a JSON token stands for, or nothing if it is none.
std::optional<std::string> unquoted(const std::string& token) {
  if (!is_plain_json(token)) return std::nullopt;
  Diagnostics mistakes(nullptr);
  const JsonValue value = parse_plain_json(token, mistakes);
  if (value.kind != JsonKind::kString || !mistakes.empty()) return std::nullopt;
  return value.text;
}

bool needs_quotes(const std::string& name) {
  return name.empty() || name.find_first_of(".=\"") != std::string::npos;
}

std::string json_text(const std::string& name) {
  JsonValue value;
  value.kind = JsonKind::kString;
  value.text = name;
  return compact_json(value);
}

// The number of an item of `list`, or nothing and an error.
std::optional<std::size_t> item_number(const JsonValue& list, const ConfigPath& path, std::size_t part,
                                       Diagnostics& diagnostics) {
  const std::string& name = path[part].value;
  const std::string where = part == 0 ? "the config" : "\"" + to_text(path, part) + "\"";
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = end == name.data() + name.size() && !name.empty();
  if (is_number && fault == std::errc() && number < list.items.size()) return number;
  const std::string last = std::to_string(std::max<std::size_t>(list.items.size(), 1) - 1);
  const std::string problem = list.items.empty()
                                  ? " is a list without items and has no \"" + name + "\""
                                  : " is a list of " + std::to_string(list.items.size()) +
                                        ", whose items are called 0" + (last == "0" ? "" : " to " + last) +
                                        ", not \"" + name + "\"";
  diagnostics.add(path[part].location, where + problem);
  return std::nullopt;
}

JsonValue& made_or_found(JsonValue& object, const Text& key) {
  if (JsonValue* found = object.find(key.value)) return *found;
  object.keys.push_back(key);
  JsonValue& made = object.items.emplace_back();
  made.kind = JsonKind::kObject;
  made.location = key.location;
  return made;
}

}  // namespace

std::optional<ConfigPath> parse_path(const Text& path, const ConfigText& source, Diagnostics& diagnostics) {
  const std::string& text = path.value;
  const auto fail = [&](std::size_t begin, std::size_t length, const std::string& message) {
    diagnostics.add(inside_string(source, path, begin, length), message);
    return std::nullopt;
  };
  ConfigPath parts;
  for (std::size_t begin = 0;;) {
    const bool is_quoted = begin < text.size() && text[begin] == '"';
    std::size_t end = is_quoted ? end_of_quoted(text, begin) : text.find('.', begin);
    if (is_quoted && end == std::string::npos)
      return fail(begin, text.size() - begin, "this quoted part of the path does not end");
    end = std::min(end, text.size());
    std::string name = text.substr(begin, end - begin);
    if (name.empty()) return fail(begin, 0, "a part of the path is missing: write \"key.key.0.key\"");
    if (is_quoted) {
      const std::optional<std::string> plain = unquoted(name);
      if (!plain) return fail(begin, end - begin, "this quoted part of the path is no JSON string");
      name = *plain;
    }
    parts.push_back({std::move(name), inside_string(source, path, begin, end - begin)});
    if (parts.size() > kMaximumParts)
      return fail(begin, end - begin, "the path is too deep (more than 64 parts)");
    if (end == text.size()) return parts;
    if (text[end] != '.') return fail(end, 1, "expected \".\" behind the quoted part of the path");
    begin = end + 1;
  }
}

std::string to_text(const ConfigPath& path, std::size_t num_parts) {
  std::string text;
  for (std::size_t i = 0; i < num_parts; ++i)
    text += (i == 0 ? "" : ".") + (needs_quotes(path[i].value) ? json_text(path[i].value) : path[i].value);
  return text;
}

void set_value(JsonValue& root, const ConfigPath& path, JsonValue value, Diagnostics& diagnostics) {
  JsonValue* at = &root;
  for (std::size_t part = 0; part < path.size(); ++part) {
    if (at->kind == JsonKind::kObject) {
      at = &made_or_found(*at, path[part]);
    } else if (at->kind == JsonKind::kList) {
      const auto number = item_number(*at, path, part, diagnostics);
      if (!number) return;
      at = &at->items[*number];
    } else {
      const std::string where = part == 0 ? "the config" : "\"" + to_text(path, part) + "\"";
      diagnostics.add(path[part].location,
                      where + " is " + name_of(at->kind) + " and has no \"" + path[part].value + "\" in it");
      return;
    }
  }
  *at = std::move(value);
}

}  // namespace skimline::skims
