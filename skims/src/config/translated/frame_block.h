// SPDX-License-Identifier: BSD-3-Clause
// One block of a config of FastFrames, whose values have the types that FastFrames asks for.
#pragma once

#include "config/json/object_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// As ObjectReader, but that texts may be empty. Values of other types are mistakes, and then as if they were
/// not there.
class FrameBlock {
 public:
  FrameBlock(const JsonValue& value, std::string what, const std::vector<const char*>& allowed,
             Diagnostics& diagnostics)
      : object_(value, std::move(what), allowed, diagnostics), diagnostics_(diagnostics) {}

  bool is_object() const { return object_.is_object(); }
  const JsonValue* find(const char* key) const { return object_.find(key); }
  const JsonValue* require(const char* key) const { return object_.require(key); }
  bool flag(const char* key, bool otherwise) const { return object_.flag(key, otherwise); }

  std::optional<std::string> text(const char* key) const;
  std::string text(const char* key, const std::string& otherwise) const {
    return text(key).value_or(otherwise);
  }
  /// A name, or another text that must be there and not be empty; else the result is.
  std::string required_text(const char* key) const;
  std::optional<std::vector<std::string>> texts(const char* key) const;
  std::optional<std::int64_t> integer(const char* key) const;
  /// The same of any value, which messages call `what`.
  std::optional<std::int64_t> integer(const JsonValue& value, const std::string& what) const;

 private:
  bool is(const JsonValue& value, JsonKind kind, const std::string& what) const;

  ObjectReader object_;
  Diagnostics& diagnostics_;
};

}  // namespace skimline::skims
