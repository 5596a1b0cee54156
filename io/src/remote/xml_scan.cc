// SPDX-License-Identifier: BSD-3-Clause
#include "remote/xml_scan.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace skimline::io {
namespace {

std::string utf8_of(unsigned code) {
  constexpr unsigned kSurrogates = 0xD800, kBehindSurrogates = 0xE000, kBehindAll = 0x110000;
  if (code == 0 || (code >= kSurrogates && code < kBehindSurrogates) || code >= kBehindAll) return {};
  const auto byte = [](unsigned bits) { return static_cast<char>(bits); };
  const auto later = [&](unsigned shift) { return byte(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), later(0)};
  if (code < 0x10000) return {byte(0xE0 | code >> 12), later(6), later(0)};
  return {byte(0xF0 | code >> 18), later(12), later(6), later(0)};
}

// Empty for what stands for none.
std::string letter_of(std::string_view entity) {
  constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
  for (const auto& [name, letter] : kNamed)
    if (entity == name) return std::string(letter);
  if (!entity.starts_with('#')) return {};
  const bool is_hex = entity.starts_with("#x");
  entity.remove_prefix(is_hex ? 2 : 1);
  unsigned code = 0;
  const auto [end, fault] =
      std::from_chars(entity.data(), entity.data() + entity.size(), code, is_hex ? 16 : 10);
  const bool is_number = fault == std::errc() && end == entity.data() + entity.size();
  return is_number ? utf8_of(code) : std::string();
}

std::string decoded(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('&'), text.size());
    plain += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::size_t end = text.find(';');
    const std::string letter =
        text.empty() || end == std::string_view::npos ? std::string() : letter_of(text.substr(1, end - 1));
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

// Takes what is in front of an ending, and it. Returns nothing if it is missing.
std::optional<std::string_view> take_up_to(std::string_view& xml, std::string_view ending) {
  const std::size_t end = xml.find(ending);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = xml.substr(0, end);
  xml.remove_prefix(end + ending.size());
  return taken;
}

// How what begins so ends that is neither text nor a tag.
std::string_view ending_of(std::string_view xml) {
  for (const auto& [begin, end] : {std::pair<std::string_view, std::string_view>{"<![CDATA[", "]]>"},
                                   {"<!--", "-->"},
                                   {"<?", "?>"},
                                   {"<!", ">"}})
    if (xml.starts_with(begin)) return end;
  return {};
}

}  // namespace

bool scan_xml(std::string_view xml, const std::function<void(std::string_view)>& begin,
              const std::function<void(std::string_view, const std::string&)>& end) {
  constexpr std::string_view kPlainText = "<![CDATA[";
  std::size_t num_begun = 0, num_ended = 0;
  for (std::string text;;) {
    const std::size_t next = std::min(xml.find('<'), xml.size());
    text += decoded(xml.substr(0, next));
    xml.remove_prefix(next);
    if (xml.empty()) return num_begun > 0 && num_begun == num_ended;
    if (const std::string_view ending = ending_of(xml); !ending.empty()) {
      const bool is_text = xml.starts_with(kPlainText);
      if (is_text) xml.remove_prefix(kPlainText.size());
      const std::optional<std::string_view> inside = take_up_to(xml, ending);
      if (!inside) return false;
      if (is_text) text += *inside;
      continue;
    }
    xml.remove_prefix(1);
    const std::optional<std::string_view> tag = take_up_to(xml, ">");
    if (!tag) return false;
    if (tag->starts_with('/')) {
      ++num_ended;
      end(local_name(tag->substr(1)), text);
    } else {
      ++num_begun;
      begin(local_name(*tag));
      if (tag->ends_with('/')) {
        ++num_ended;
        end(local_name(*tag), {});
      }
    }
    text.clear();
  }
}

}  // namespace skimline::io
