// SPDX-License-Identifier: BSD-3-Clause
// JSON of other programs, whose objects have each key once.
#pragma once

#include "skimline/framework/error.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Where the parser, which counts bytes from 1, has stopped.
inline std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return std::to_string(line) + ", column " + std::to_string(column);
}

/// Returns the value of a text. Throws Error if that is no JSON, and for keys that an object has twice: the
/// parser takes the last of them without a word.
template <typename Json>
Json parsed_json(std::string_view text) {
  std::vector<std::set<std::string>> open;
  std::string repeated;
  const auto look = [&](int /*depth*/, typename Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      open.pop_back();
    else if (event == Json::parse_event_t::key &&
             !open.back().insert(parsed.template get<std::string>()).second)
      repeated = parsed.template get<std::string>();
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, look);
  } catch (const typename Json::parse_error& error) {
    throw Error("is no JSON: line " + line_and_column(text, error.byte));
  } catch (const typename Json::out_of_range&) {
    throw Error("has a number that is larger than any double");
  }
  if (!repeated.empty()) throw Error("an object has the key \"" + repeated + "\" twice");
  return json;
}

}  // namespace skimline::skims
