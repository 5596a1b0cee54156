// SPDX-License-Identifier: BSD-3-Clause
// Mistakes in a config, each with its place in the file, collected so that all are shown at once.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/suggestion_limit.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// One of the texts that a config is made of: the config itself, a file that it includes, or a setting of the
/// command line.
struct ConfigPart {
  std::string path;          ///< as messages give it
  bool is_included = false;  ///< a file that another one includes
  bool is_argument = false;  ///< of the command line, and no file
  std::size_t begin = 0;     ///< in the text of all
};

/// A place in a part of a config, from which those behind it are counted.
struct CountedPlace {
  std::size_t offset = 0;      ///< in the text of all
  std::size_t line = 1;        ///< of the part
  std::size_t characters = 0;  ///< of this line that are before it
};

/// The texts of a config, one behind the other with a newline in between, the config itself first.
struct ConfigText {
  std::string path;               ///< of the config itself
  std::string text;               ///< of all parts
  std::vector<ConfigPart> parts;  ///< in the order of the text; the config itself is all if there are none
  std::vector<CountedPlace> counted = {};  ///< a few in each part, in their order
};

/// Appends a text to those of a config and returns where it begins.
std::size_t append_part(ConfigText& source, ConfigPart part, std::string_view text);

/// Returns a text that is all of a config.
ConfigText text_of_one_part(std::string path, std::string_view text);

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

/// Returns the number of the part that holds the location.
std::size_t part_of(const ConfigText& source, Location location);

/// Whether the location is in a file that another one includes.
bool is_included(const ConfigText& source, Location location);

/// Returns `path:line:column`, as editors count: from 1; columns are characters, not bytes.
std::string place_text(const ConfigText& source, Location location);

/// Returns the place of the characters [offset, offset + length) of a string value; escape sequences in the
/// token are counted as the characters they stand for. It is the whole token where variables are put in.
Location inside_string(const ConfigText& source, const Text& string, std::size_t offset, std::size_t length);

/// Returns `path:line:column: kind: message`, the source line, and a line that marks the place.
std::string marked_message(const ConfigText& source, Location location, std::string_view kind,
                           const std::string& message);

/// Mistakes in lines of their own, with what they are in marked below. What comes from others in them has
/// gone through shown().
class MarkedError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// Collects errors of one config. Not thread-safe.
class Diagnostics {
 public:
  explicit Diagnostics(std::shared_ptr<const ConfigText> source) : source_(std::move(source)) {}

  void add(Location location, std::string message);
  /// Adds a mistake between two places; `other_message` says what is at the other one.
  void add(Location location, std::string message, Location other, std::string other_message);
  /// Adds a mistake in the expression that `text` holds, pointing at the characters at fault.
  void add(const Text& text, const ExpressionError& error);

  /// Adds what is a mistake only if all samples have it, such as a pattern that matches nothing.
  void add_if_everywhere(Location location, std::string message);

  /// Takes no mistakes in a value any more: those that come follow from the ones that it has.
  void settle(Location value);

  /// Whether to look for what one more name may be meant for.
  bool may_suggest() { return suggestions_.take(); }
  /// " (did you mean \"Jet_pt\"?)" for a name that is none of those known, or nothing if none is near or
  /// may_suggest() is false.
  std::string meant(std::string_view name, const std::vector<std::string>& known);
  /// The same, or where none is near what names there are: "; there are \"a\", \"b\"", "; there are none".
  std::string meant_or_all(std::string_view name, const std::vector<std::string>& known);

  struct Note {
    Location location;
    std::string message;
  };
  struct Entry {
    Location location;
    std::string message;
    std::optional<Note> note = std::nullopt;  ///< another place that has to do with it
  };
  /// In the order in which they were added.
  const std::vector<Entry>& entries() const { return errors_; }
  /// What add_if_everywhere() was given, which is no mistake yet.
  const std::vector<Entry>& entries_if_everywhere() const { return errors_if_everywhere_; }
  bool empty() const { return errors_.empty(); }
  std::size_t size() const { return errors_.size(); }

  /// Returns all errors in the order of the text, as `path:line:column: error: message` followed by the
  /// source line and a line that marks the place.
  std::string format() const;

  /// Throws MarkedError with format() if there is any error.
  void throw_if_any() const;

 private:
  std::shared_ptr<const ConfigText> source_;
  std::vector<Entry> errors_, errors_if_everywhere_;
  std::map<std::size_t, std::size_t> settled_;  // begins and ends, none in another
  SuggestionLimit suggestions_;
};

}  // namespace skimline::skims
