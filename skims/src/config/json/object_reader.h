// SPDX-License-Identifier: BSD-3-Clause
// Takes one JSON object of a config apart and reports what is missing, unknown or of the wrong type.
#pragma once

#include "config/json/located_json.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns the string behind `value`, or nothing and an error if it is not one or is blank. `what` names it.
std::optional<Text> read_text(const JsonValue& value, const std::string& what, Diagnostics& diagnostics);

/// Returns the strings of a list that must not be empty, or of a single string.
std::vector<Text> read_texts(const JsonValue& value, const std::string& what, Diagnostics& diagnostics);

/// Returns the number behind `value`, or nothing and an error.
std::optional<double> read_number(const JsonValue& value, const std::string& what, Diagnostics& diagnostics);

/// Returns the numbers of a list.
std::optional<std::vector<double>> read_numbers(const JsonValue& value, const std::string& what,
                                                Diagnostics& diagnostics);

/// Reads the values of one object by key. Keys outside `allowed` are errors, found at construction.
class ObjectReader {
 public:
  ObjectReader(const JsonValue& value, std::string what, const std::vector<const char*>& allowed,
               Diagnostics& diagnostics);

  /// Returns the value of a key, or nullptr.
  const JsonValue* find(const char* key) const;
  /// The same, with an error if the key is missing.
  const JsonValue* require(const char* key) const;

  std::optional<Text> text(const char* key) const;
  std::optional<Text> required_text(const char* key) const;
  std::vector<Text> texts(const char* key) const;
  /// True or false; `otherwise` without the key.
  bool flag(const char* key, bool otherwise) const;
  /// The number of the name that the key has for a value, or nothing; an error if it is none of them.
  std::optional<std::size_t> choice(const char* key, const std::vector<const char*>& names) const;

  bool is_object() const { return is_object_; }
  Diagnostics& diagnostics() const { return diagnostics_; }
  /// The place to point at when something is missing: the opening bracket.
  Location opening() const { return {value_.location.begin, value_.location.begin + 1}; }

 private:
  const JsonValue& value_;
  std::string what_;
  Diagnostics& diagnostics_;
  bool is_object_;
};

/// Calls `visit(name, value)` for every key of an object; an error if `value` is not one, or is empty.
template <typename Visitor>
void for_each_named(const JsonValue& value, const std::string& what, Diagnostics& diagnostics,
                    Visitor visit) {
  if (value.kind != JsonKind::kObject) {
    diagnostics.add(value.location, what + " must be an object, got " + name_of(value.kind));
  } else if (value.items.empty()) {
    diagnostics.add(value.location, what + " must not be empty");
  } else {
    for (std::size_t i = 0; i < value.items.size(); ++i) visit(value.keys[i], value.items[i]);
  }
}

}  // namespace skimline::skims
