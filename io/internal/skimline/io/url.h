// SPDX-License-Identifier: BSD-3-Clause
// Which names are URLs, and their parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skimline::io {

/// Whether a name has the form scheme://..., be it known or not.
bool is_url(std::string_view name);

/// "scheme://user:password@host:port/path?query"; what is missing is empty.
struct Url {
  std::string scheme;  ///< in small letters
  std::string user, password;
  std::string host;   ///< with the port
  std::string path;   ///< with the slash in front
  std::string query;  ///< without the question mark

  /// Scheme and host.
  std::string origin() const { return scheme + "://" + host; }
  /// Without user and password.
  std::string without_user() const;
};

/// Returns nothing for what has not the form of one.
std::optional<Url> parse_url(std::string_view text);

/// The same text for URLs that name one file: by other names of a scheme, with the usual port or without, as
/// another user, with other spellings of the path. What asks for parts of a file is left alone.
std::string canonical_url(std::string_view text);

/// Letters in lower case.
std::string lower_case(std::string_view text);

/// Bytes other than letters, digits and `kept` as %XX.
std::string percent_encoded(std::string_view text, std::string_view kept);

/// The contrary; a % that begins no such thing stays.
std::string percent_decoded(std::string_view text);

/// Of a path as the user typed it only what no URL may have is encoded: what is encoded already stays.
std::string path_as_sent(std::string_view path);

}  // namespace skimline::io
