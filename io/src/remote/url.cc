// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/url.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

namespace skimline::io {
namespace {

constexpr std::string_view kSchemeEnd = "://";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_letter_or_digit(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9');
}

int hex_value(char letter) {
  const std::size_t value = kHexDigits.find(static_cast<char>(std::toupper(letter)));
  return value == std::string_view::npos ? -1 : static_cast<int>(value);
}

// What servers of a scheme and its other names take for the same.
struct Spelling {
  std::string_view name;
  std::string_view meaning;
  std::string_view usual_port;
};

constexpr Spelling kSpellings[] = {{"http", "http", ":80"},     {"dav", "http", ":80"},
                                   {"https", "https", ":443"},  {"davs", "https", ":443"},
                                   {"root", "root", ":1094"},   {"xroot", "root", ":1094"},
                                   {"roots", "roots", ":1094"}, {"xroots", "roots", ":1094"}};

}  // namespace

bool is_url(std::string_view name) {
  const std::size_t end = name.find(kSchemeEnd);
  if (end == std::string_view::npos || end == 0) return false;
  const std::string_view scheme = name.substr(0, end);
  return std::all_of(scheme.begin(), scheme.end(), [](char letter) {
    return is_letter_or_digit(letter) || letter == '+' || letter == '-';
  });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

std::string Url::without_user() const { return origin() + path + (query.empty() ? "" : "?" + query); }

std::optional<Url> parse_url(std::string_view text) {
  if (!is_url(text)) return std::nullopt;
  Url url;
  const std::size_t scheme_end = text.find(kSchemeEnd);
  url.scheme = lower_case(text.substr(0, scheme_end));
  text.remove_prefix(scheme_end + kSchemeEnd.size());
  const std::size_t authority_end = std::min(text.find_first_of("/?"), text.size());
  std::string_view authority = text.substr(0, authority_end);
  text.remove_prefix(authority_end);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    const std::size_t colon = std::min(user.find(':'), user.size());
    url.user = percent_decoded(user.substr(0, colon));
    if (colon < user.size()) url.password = percent_decoded(user.substr(colon + 1));
    authority.remove_prefix(at + 1);
  }
  url.host = authority;
  const std::size_t path_end = std::min(text.find('?'), text.size());
  url.path = text.substr(0, path_end);
  if (path_end < text.size()) url.query = text.substr(path_end + 1);
  return url;
}

std::string canonical_url(std::string_view text) {
  std::optional<Url> url = parse_url(text);
  if (!url) return std::string(text);
  const auto* spelling = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                      [&](const Spelling& each) { return each.name == url->scheme; });
  if (spelling == std::end(kSpellings)) return std::string(text);
  url->scheme = spelling->meaning;
  url->host = lower_case(url->host);
  if (url->host.ends_with(spelling->usual_port))
    url->host.resize(url->host.size() - spelling->usual_port.size());
  url->path = std::filesystem::path(percent_decoded(url->path)).lexically_normal().string();
  return url->without_user();
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
  std::string encoded;
  for (const char letter : text) {
    if (is_letter_or_digit(letter) || kept.find(letter) != std::string_view::npos) {
      encoded += letter;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    encoded += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_code = text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0 &&
                         hex_value(text[at + 2]) >= 0;
    if (!is_code) {
      decoded += text[at];
      continue;
    }
    decoded += static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
    at += 2;
  }
  return decoded;
}

std::string path_as_sent(std::string_view path) { return percent_encoded(path, "%/-._~!$&'()*+,;=:@"); }

}  // namespace skimline::io
