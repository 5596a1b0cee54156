// SPDX-License-Identifier: BSD-3-Clause
// Mistakes in a config, each with its place in the file, collected so that all are shown at once.
#pragma once

#include "skimline/framework/error.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// The text of a config and the path messages give it.
struct ConfigText {
  std::string path;
  std::string text;
};

/// The bytes [begin, end) of a config's text.
struct Location {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A string of a config and the place of its token, quotes included.
struct Text {
  std::string value;
  Location location;
};

/// A place as editors count: from 1; columns are characters, not bytes.
struct LineAndColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Returns where byte `offset` of `text` is.
LineAndColumn line_and_column(std::string_view text, std::size_t offset);

/// Returns the place of the characters [offset, offset + length) of a string value; escape sequences in the
/// token are counted as the characters they stand for.
Location inside_string(const ConfigText& source, const Text& string, std::size_t offset, std::size_t length);

/// Returns `path:line:column: kind: message`, the source line, and a line that marks the place.
std::string marked_message(const ConfigText& source, Location location, std::string_view kind,
                           const std::string& message);

/// Collects errors of one config. Not thread-safe.
class Diagnostics {
 public:
  explicit Diagnostics(std::shared_ptr<const ConfigText> source) : source_(std::move(source)) {}

  void add(Location location, std::string message);
  /// Adds a mistake in the expression that `text` holds, pointing at the characters at fault.
  void add(const Text& text, const ExpressionError& error);

  struct Entry {
    Location location;
    std::string message;
  };
  /// In the order in which they were added.
  const std::vector<Entry>& entries() const { return errors_; }
  bool empty() const { return errors_.empty(); }
  std::size_t size() const { return errors_.size(); }

  /// Returns all errors in the order of the file, as `path:line:column: error: message` followed by the
  /// source line and a line that marks the place.
  std::string format() const;

  /// Throws ConfigError with format() if there is any error.
  void throw_if_any() const;

 private:
  std::shared_ptr<const ConfigText> source_;
  std::vector<Entry> errors_;
};

}  // namespace skimline::skims
