// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/object_reader.h"

#include "base/text_table.h"

#include <algorithm>

namespace skimline::skims {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  return list;
}

bool has_kind(const JsonValue& value, JsonKind kind, const std::string& what, Diagnostics& diagnostics) {
  if (value.kind == kind) return true;
  diagnostics.add(value.location, what + " must be " + name_of(kind) + ", got " + name_of(value.kind));
  return false;
}

void report_unknown(const Text& key, const std::vector<std::string>& allowed, Diagnostics& diagnostics) {
  const std::string meant = did_you_mean(key.value, allowed);
  diagnostics.add(key.location, "unknown key \"" + key.value + "\"" +
                                    (meant.empty() ? "; allowed here: " + quoted_list(allowed) : meant));
}

}  // namespace

std::optional<Text> read_text(const JsonValue& value, const std::string& what, Diagnostics& diagnostics) {
  if (!has_kind(value, JsonKind::kString, what, diagnostics)) return std::nullopt;
  if (value.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    diagnostics.add(value.location, what + " must not be empty");
    return std::nullopt;
  }
  return Text{value.text, value.location};
}

std::vector<Text> read_texts(const JsonValue& value, const std::string& what, Diagnostics& diagnostics) {
  std::vector<Text> texts;
  if (!has_kind(value, JsonKind::kList, what, diagnostics)) return texts;
  if (value.items.empty()) diagnostics.add(value.location, what + " must not be empty");
  for (const JsonValue& item : value.items)
    if (auto text = read_text(item, "each item of " + what, diagnostics)) texts.push_back(std::move(*text));
  return texts;
}

std::optional<double> read_number(const JsonValue& value, const std::string& what, Diagnostics& diagnostics) {
  if (value.kind == JsonKind::kInteger) return value.number;
  if (!has_kind(value, JsonKind::kReal, what, diagnostics)) return std::nullopt;
  return value.number;
}

std::optional<std::vector<double>> read_numbers(const JsonValue& value, const std::string& what,
                                                Diagnostics& diagnostics) {
  if (!has_kind(value, JsonKind::kList, what, diagnostics)) return std::nullopt;
  std::vector<double> numbers;
  for (const JsonValue& item : value.items) {
    const auto number = read_number(item, "each item of " + what, diagnostics);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

ObjectReader::ObjectReader(const JsonValue& value, std::string what, const std::vector<const char*>& allowed,
                           Diagnostics& diagnostics)
    : value_(value),
      what_(std::move(what)),
      diagnostics_(diagnostics),
      is_object_(has_kind(value, JsonKind::kObject, what_, diagnostics)) {
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  for (const Text& key : value.keys)
    if (std::find(names.begin(), names.end(), key.value) == names.end())
      report_unknown(key, names, diagnostics);
}

const JsonValue* ObjectReader::find(const char* key) const { return value_.find(key); }

const JsonValue* ObjectReader::require(const char* key) const {
  const JsonValue* found = value_.find(key);
  if (!found && is_object_) diagnostics_.add(opening(), what_ + " needs the key " + in_quotes(key));
  return found;
}

std::optional<Text> ObjectReader::text(const char* key) const {
  const JsonValue* found = find(key);
  return found ? read_text(*found, in_quotes(key), diagnostics_) : std::nullopt;
}

std::optional<Text> ObjectReader::required_text(const char* key) const {
  const JsonValue* found = require(key);
  return found ? read_text(*found, in_quotes(key), diagnostics_) : std::nullopt;
}

std::vector<Text> ObjectReader::texts(const char* key) const {
  const JsonValue* found = find(key);
  return found ? read_texts(*found, in_quotes(key), diagnostics_) : std::vector<Text>{};
}

bool ObjectReader::flag(const char* key, bool otherwise) const {
  const JsonValue* found = find(key);
  if (!found || !has_kind(*found, JsonKind::kBool, in_quotes(key), diagnostics_)) return otherwise;
  return found->boolean;
}

std::optional<std::size_t> ObjectReader::choice(const char* key,
                                                const std::vector<const char*>& names) const {
  const std::optional<Text> found = text(key);
  if (!found) return std::nullopt;
  const auto name = std::find(names.begin(), names.end(), found->value);
  if (name != names.end()) return static_cast<std::size_t>(name - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string meant = did_you_mean(found->value, known);
  diagnostics_.add(found->location, in_quotes(key) + " cannot be \"" + found->value + "\"" +
                                        (meant.empty() ? "; it may be " + quoted_list(known) : meant));
  return std::nullopt;
}

}  // namespace skimline::skims
