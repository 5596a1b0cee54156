// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/shown_text.h"

#include <cstdint>

namespace skimline::skims {
namespace {

constexpr std::string_view kNoPicture = "\xEF\xBF\xBD";  // U+FFFD

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
  bool is_valid = false;
};

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The least code that takes so many bytes: the same in more bytes is no UTF-8.
constexpr std::uint32_t kLeastCode[] = {0, 0, 0x80, 0x800, 0x10000};

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || at + length > text.size()) return {};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[at + i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeastCode[length] || code > 0x10FFFF || is_surrogate) return {};
  return {code, length, true};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// Marks of direction, separators of lines and paragraphs, and what has no width.
bool misleads(std::uint32_t code) {
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0x61C || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

std::string picture_of(std::uint32_t code) {
  if (code >= 0x80) return std::string(kNoPicture);
  const auto last = static_cast<char>(code == 0x7F ? 0xA1 : 0x80 + code);
  return std::string("\xE2\x90") + last;  // U+2400 and what follows
}

std::string replaced(std::string_view text, std::string_view kept_controls) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const std::string_view bytes = text.substr(at, character.length);
    if (!character.is_valid || misleads(character.code))
      result += kNoPicture;
    else if (is_control(character.code) && kept_controls.find(bytes) == std::string_view::npos)
      result += picture_of(character.code);
    else
      result += bytes;
    at += character.length;
  }
  return result;
}

}  // namespace

std::string shown(std::string_view text) { return replaced(text, ""); }

ShownText::ShownText(std::string_view lines) : text_(replaced(lines, "\n\t")) {}

}  // namespace skimline::skims
