// SPDX-License-Identifier: BSD-3-Clause
// JSON of other programs, whose objects have each key once.
#pragma once

#include "skimline/framework/error.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Returns the value of a text, discarded if that is no JSON. Throws Error for keys that an object has twice:
/// the parser takes the last of them without a word.
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
  Json json = Json::parse(text, look, false);
  if (!json.is_discarded() && !repeated.empty())
    throw Error("an object has the key \"" + repeated + "\" twice");
  return json;
}

}  // namespace skimline::skims
