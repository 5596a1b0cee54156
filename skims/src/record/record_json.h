// SPDX-License-Identifier: BSD-3-Clause
// JSON of records: configs, which may be large, stay texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace skimline::skims {

/// What is nested deeper than configs may be is not read.
inline constexpr std::size_t kMaxRecordDepth = 64;

/// Returns a JSON text without blanks, its numbers and texts written in one way and its keys in their order.
/// Throws Error if it is no JSON or nested too deeply.
std::string compact_text(std::string_view json);

/// Returns JSON with its keys in their order, of which none is looked up. Throws Error as compact_text.
nlohmann::ordered_json ordered_json_of(std::string_view json);

/// The parts of a record's text.
struct RecordParts {
  nlohmann::json rest;               ///< all but the configs; null in their place
  std::vector<std::string> configs;  ///< as compact_text returns them
  bool has_configs = false;          ///< whether there is a list of them
};

/// Takes the text of a record apart. Throws Error as compact_text.
RecordParts record_parts(std::string_view text);

}  // namespace skimline::skims
