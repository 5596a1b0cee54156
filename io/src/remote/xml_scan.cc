// SPDX-License-Identifier: BSD-3-Clause
#include "remote/xml_scan.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace skimline::io {
namespace {

// Only letters of ASCII come as numbers from the servers that there are.
std::string_view letter_of(std::string_view entity, char& memory) {
  constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
  for (const auto& [name, letter] : kNamed)
    if (entity == name) return letter;
  if (!entity.starts_with('#')) return {};
  const bool is_hex = entity.starts_with("#x");
  entity.remove_prefix(is_hex ? 2 : 1);
  unsigned code = 0;
  std::from_chars(entity.data(), entity.data() + entity.size(), code, is_hex ? 16 : 10);
  if (code == 0 || code > 127) return {};
  memory = static_cast<char>(code);
  return {&memory, 1};
}

std::string decoded(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('&'), text.size());
    plain += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::size_t end = text.find(';');
    char memory = 0;
    const std::string_view letter = text.empty() || end == std::string_view::npos
                                        ? std::string_view()
                                        : letter_of(text.substr(1, end - 1), memory);
    if (!letter.empty()) {
      plain += letter;
      text.remove_prefix(end + 1);
    } else if (!text.empty()) {
      plain += '&';
      text.remove_prefix(1);
    }
  }
  return plain;
}

std::string_view local_name(std::string_view tag) {
  tag = tag.substr(0, tag.find_first_of(" \t\r\n/"));
  const std::size_t colon = tag.find(':');
  return colon == std::string_view::npos ? tag : tag.substr(colon + 1);
}

}  // namespace

void scan_xml(std::string_view xml, const std::function<void(std::string_view)>& begin,
              const std::function<void(std::string_view, const std::string&)>& end) {
  for (;;) {
    const std::size_t tag_begin = xml.find('<');
    if (tag_begin == std::string_view::npos) return;
    const std::string_view text = xml.substr(0, tag_begin);
    const std::size_t tag_end = xml.find('>', tag_begin);
    if (tag_end == std::string_view::npos) return;
    const std::string_view tag = xml.substr(tag_begin + 1, tag_end - tag_begin - 1);
    xml.remove_prefix(tag_end + 1);
    if (tag.starts_with('?') || tag.starts_with('!')) continue;
    if (tag.starts_with('/')) {
      end(local_name(tag.substr(1)), decoded(text));
      continue;
    }
    begin(local_name(tag));
    if (tag.ends_with('/')) end(local_name(tag), {});
  }
}

}  // namespace skimline::io
