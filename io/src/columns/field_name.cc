// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/field_name.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace skimline::io {
namespace {

bool is_legal(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != '.' && c != '/' && c != '\\' && c != 0x7f;
}

// Bytes of the UTF-8 character that a text begins with; 0 if it is none.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::size_t length = byte(0) < 0x80                      ? 1
                             : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                             : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                             : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                 : 0;
  if (length > text.size()) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xc0) != 0x80) return 0;
  const bool is_overlong =
      length > 2 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90));
  const bool is_beyond =
      length > 2 && ((byte(0) == 0xed && byte(1) > 0x9f) || (byte(0) == 0xf4 && byte(1) > 0x8f));
  return is_overlong || is_beyond ? 0 : length;
}

}  // namespace

bool is_legal_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_legal);
}

std::string problem_of_path(const std::string& path, const std::string& what) {
  constexpr std::size_t kMaxNameLength = 254;
  bool is_legal = path.find(';') == std::string::npos;
  std::size_t begin = 0;
  for (std::size_t slash; (slash = path.find('/', begin)) != std::string::npos; begin = slash + 1) {
    const std::string_view folder = std::string_view(path).substr(begin, slash - begin);
    is_legal = is_legal && !folder.empty() && folder != "." && folder != "..";
  }
  const std::string name = path.substr(begin);
  if (is_legal && is_legal_name(name) && name.size() <= kMaxNameLength) return {};
  return "\"" + path + "\" cannot be the name of " + what;
}

std::string legal_name(const std::string& name) {
  std::string legal;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t length = length_of_character(std::string_view(name).substr(at));
    const bool is_kept = length > 1 || (length == 1 && is_legal(name[at]));
    legal += is_kept ? name.substr(at, length) : "_";
    at += std::max<std::size_t>(length, 1);
  }
  return legal.empty() ? "_" : legal;
}

}  // namespace skimline::io
