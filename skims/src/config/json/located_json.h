// SPDX-License-Identifier: BSD-3-Clause
// JSON in which every key and every value knows its place in the text.
#pragma once

#include "base/key_index.h"

#include "skimline/skims/diagnostics.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Beyond this, not every integer of a text reaches JsonValue::number: 2^53.
inline constexpr double kLargestInteger = 9007199254740992;

enum class JsonKind { kNull, kBool, kInteger, kReal, kString, kList, kObject };

/// One value of a JSON text. Lists and objects hold their values in the order of the text.
struct JsonValue {
  JsonKind kind = JsonKind::kNull;
  Location location;  ///< the token; of lists and objects from the opening to the closing bracket
  bool boolean = false;
  double number = 0;       ///< integers too
  std::string text;        ///< of strings; numbers as they are written
  std::vector<Text> keys;  ///< of objects, one for each item
  std::vector<JsonValue> items;

  /// Returns the value of a key, or nullptr; of what is no object, too.
  const JsonValue* find(std::string_view key) const;
  JsonValue* find(std::string_view key);
  /// Removes a key and returns its value, if it is there.
  std::optional<JsonValue> take(std::string_view key);

 private:
  mutable KeyIndex index_;
};

/// Whether a number is the one that is written, if that is whole: larger ones are rounded.
bool is_exact(const JsonValue& number);

/// Returns the kind as messages call it: "a string", "a list".
std::string name_of(JsonKind kind);

/// Parses JSON with comments (`//` and `/* */`) and trailing commas, which begins at byte `begin` of the
/// config's text. Adds syntax errors, keys that appear twice and nesting beyond 64 levels to `diagnostics`
/// and then returns a value that is not complete.
JsonValue parse_located_json(const std::string& text, Diagnostics& diagnostics, std::size_t begin = 0);

/// The same without comments and trailing commas.
JsonValue parse_plain_json(const std::string& text, Diagnostics& diagnostics, std::size_t begin = 0);

/// Whether a text is JSON, without comments and trailing commas.
bool is_plain_json(const std::string& text);

/// Whether a text is UTF-8, as JSON has to be.
bool is_unicode(const std::string& text);

/// Returns a value as JSON without blanks, and without those keys of it that are left out.
std::string compact_json(const JsonValue& value, std::initializer_list<std::string_view> left_out = {});

}  // namespace skimline::skims
