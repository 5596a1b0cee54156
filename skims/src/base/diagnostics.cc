// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/diagnostics.h"

#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

namespace skimline::skims {
namespace {

// Of more mistakes, the rest is counted only: nobody reads them, and each takes a look at its line.
constexpr std::size_t kMostShown = 200;

// Of the names that there are.
constexpr std::size_t kMostListed = 100;

// Bytes from one place of a text that is counted to the next.
constexpr std::size_t kCountedApart = 1024;

// Longer lines are shown in part, so that a config on a single line stays readable.
constexpr std::size_t kShownBefore = 80;
constexpr std::size_t kShownLength = 140;

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::size_t count_characters(std::string_view bytes) {
  return static_cast<std::size_t>(
      std::count_if(bytes.begin(), bytes.end(), std::not_fn(continues_character)));
}

// The begin of the line, or a place that is further than `length` before the offset.
std::size_t line_begin(std::string_view text, std::size_t offset, std::size_t length) {
  const std::size_t from = offset - std::min(offset, length + 1);
  const std::size_t newline = text.substr(from, offset - from).rfind('\n');
  return newline == std::string_view::npos ? from : from + newline + 1;
}

// The end of the line, or a place that is further than `length` behind the offset.
std::size_t line_end(std::string_view text, std::size_t offset, std::size_t length) {
  const std::string_view behind = text.substr(offset, length + 2);
  const std::size_t newline = offset + std::min(behind.find('\n'), behind.size());
  return newline > offset && text[newline - 1] == '\r' ? newline - 1 : newline;
}

std::size_t back_to_character(std::string_view text, std::size_t offset, std::size_t begin) {
  while (offset > begin && offset < text.size() && continues_character(text[offset])) --offset;
  return offset;
}

// Blanks as wide as `before`, tabs kept, so that the mark stands below its character.
std::string indentation(std::string_view before) {
  std::string blanks;
  for (const char byte : before)
    if (!continues_character(byte)) blanks += byte == '\t' ? '\t' : ' ';
  return blanks;
}

// A sign is as wide as what it stands for. Tabs stay, as in the line below.
std::string shown_source(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t tab = std::min(text.find('\t', at), text.size());
    line += shown(text.substr(at, tab - at));
    if (tab < text.size()) line += '\t';
    at = tab + 1;
  }
  return line;
}

std::string marked_line(std::string_view text, Location location) {
  const std::size_t at = std::min(location.begin, text.size());
  std::size_t begin = line_begin(text, at, kShownBefore);
  std::size_t end = std::max(line_end(text, at, kShownLength), at);
  if (at - begin > kShownBefore) begin = back_to_character(text, at - kShownBefore, begin);
  if (end - begin > kShownLength) end = back_to_character(text, begin + kShownLength, at);
  const std::size_t marked_end = std::clamp(location.end, at, end);
  const std::size_t width = std::max<std::size_t>(count_characters(text.substr(at, marked_end - at)), 1);
  return "  " + shown_source(text.substr(begin, end - begin)) + "\n  " +
         indentation(text.substr(begin, at - begin)) + "^" + std::string(width - 1, '~');
}

std::size_t utf8_length(unsigned code_point) {
  return code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

// One character of a JSON string token: how many bytes it takes there and how many in the value.
struct Step {
  std::size_t in_token = 1;
  std::size_t in_value = 1;
};

Step step_at(std::string_view token, std::size_t position) {
  if (token[position] != '\\' || position + 1 >= token.size()) return {};
  if (token[position + 1] != 'u') return {2, 1};
  const unsigned code_unit =
      static_cast<unsigned>(std::stoul("0" + std::string(token.substr(position + 2, 4)), nullptr, 16));
  const bool is_surrogate = code_unit >= 0xD800 && code_unit < 0xDC00;
  return is_surrogate ? Step{12, 4} : Step{6, utf8_length(code_unit)};
}

// Offset in the token of byte `offset` of the value.
std::size_t token_offset(std::string_view token, std::size_t offset) {
  std::size_t position = 1, decoded = 0;
  while (position + 1 < token.size()) {
    const Step step = step_at(token, position);
    if (decoded + step.in_value > offset) break;
    position += step.in_token;
    decoded += step.in_value;
  }
  return std::min(position, token.size() - 1);
}

// A part of a config's text. The newline behind it belongs to none.
struct PartView {
  const std::string& path;
  std::string_view text;
  std::size_t begin = 0;
};

PartView part_at(const ConfigText& source, std::size_t offset) {
  if (source.parts.empty()) return {source.path, source.text, 0};
  const std::size_t number = part_of(source, {offset, offset});
  const ConfigPart& part = source.parts[number];
  const std::size_t end =
      number + 1 < source.parts.size() ? source.parts[number + 1].begin - 1 : source.text.size();
  return {part.path, std::string_view(source.text).substr(part.begin, end - part.begin), part.begin};
}

struct LineAndColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};

CountedPlace counted_on(const CountedPlace& from, std::string_view passed) {
  const std::size_t newline = passed.rfind('\n');
  const bool is_same_line = newline == std::string_view::npos;
  return {from.offset + passed.size(),
          from.line + static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n')),
          is_same_line ? from.characters + count_characters(passed)
                       : count_characters(passed.substr(newline + 1))};
}

// Of the places that are counted in the part, the last before the offset.
CountedPlace counted_before(const ConfigText& source, const PartView& part, std::size_t offset) {
  const auto behind =
      std::upper_bound(source.counted.begin(), source.counted.end(), offset,
                       [](std::size_t wanted, const CountedPlace& place) { return wanted < place.offset; });
  if (behind == source.counted.begin() || std::prev(behind)->offset < part.begin) return {part.begin};
  return *std::prev(behind);
}

LineAndColumn place_of(const ConfigText& source, const PartView& part, std::size_t offset) {
  offset = std::min(offset, part.begin + part.text.size());
  const CountedPlace before = counted_before(source, part, offset);
  const CountedPlace place =
      counted_on(before, std::string_view(source.text).substr(before.offset, offset - before.offset));
  return {place.line, place.characters + 1};
}

// Quotes are short, and messages as long as a list of names may be: what is quoted may have any length.
constexpr std::size_t kLongestQuote = 400;
constexpr std::size_t kLongestMessage = 8000;

// The text with its middle left out if it is longer.
std::string without_middle(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  const std::size_t first_end = back_to_character(text, longest / 2, 0);
  const std::size_t last_begin = back_to_character(text, text.size() - longest / 4, 0);
  return std::string(text.substr(0, first_end)) + " ... (" + std::to_string(last_begin - first_end) +
         " bytes) ... " + std::string(text.substr(last_begin));
}

// Cuts what lies between quotation marks. Where the quoted text has such marks itself, they may be taken for
// those of the message: then it is cut with all of that.
std::string shortened(std::string_view message) {
  std::string result;
  bool is_quote = false;
  for (std::size_t at = 0; at <= message.size(); is_quote = !is_quote) {
    const std::size_t end = std::min(message.find('"', at), message.size());
    const std::string_view text = message.substr(at, end - at);
    result += is_quote ? without_middle(text, kLongestQuote) : std::string(text);
    if (end < message.size()) result += '"';
    at = end + 1;
  }
  return without_middle(result, kLongestMessage);
}

std::string place_text(const PartView& part, LineAndColumn place) {
  return shown(part.path) + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

// Notes the places of a text that is appended, from which others are counted.
void count_places(ConfigText& source, std::size_t begin) {
  CountedPlace place{begin};
  for (; place.offset + kCountedApart <= source.text.size(); source.counted.push_back(place))
    place = counted_on(place, std::string_view(source.text).substr(place.offset, kCountedApart));
}

}  // namespace

std::size_t append_part(ConfigText& source, ConfigPart part, std::string_view text) {
  if (!source.parts.empty()) source.text += '\n';
  part.begin = source.text.size();
  source.parts.push_back(std::move(part));
  source.text += text;
  count_places(source, source.parts.back().begin);
  return source.parts.back().begin;
}

ConfigText text_of_one_part(std::string path, std::string_view text) {
  ConfigText source{std::move(path), {}, {}};
  append_part(source, {.path = source.path}, text);
  return source;
}

std::size_t part_of(const ConfigText& source, Location location) {
  const auto behind =
      std::upper_bound(source.parts.begin(), source.parts.end(), location.begin,
                       [](std::size_t offset, const ConfigPart& part) { return offset < part.begin; });
  return behind == source.parts.begin() ? 0 : static_cast<std::size_t>(behind - source.parts.begin()) - 1;
}

bool is_included(const ConfigText& source, Location location) {
  return !source.parts.empty() && source.parts[part_of(source, location)].is_included;
}

std::string place_text(const ConfigText& source, Location location) {
  const PartView part = part_at(source, location.begin);
  return place_text(part, place_of(source, part, location.begin));
}

Location inside_string(const ConfigText& source, const Text& string, std::size_t offset, std::size_t length) {
  const auto [begin, end] = string.location;
  if (end > source.text.size() || end <= begin) return string.location;
  const std::string_view token = std::string_view(source.text).substr(begin, end - begin);
  // A setting of the command line needs no quotes.
  if (token == string.value) return {begin + offset, begin + offset + std::max<std::size_t>(length, 1)};
  if (token.size() < 2 || token.front() != '"' || token.find("${") != std::string_view::npos)
    return string.location;
  const std::size_t first = token_offset(token, offset);
  const std::size_t last = length == 0 ? first + 1 : token_offset(token, offset + length);
  return {begin + first, begin + std::max(last, first + 1)};
}

std::string marked_message(const ConfigText& source, Location location, std::string_view kind,
                           const std::string& message) {
  const PartView part = part_at(source, location.begin);
  return place_text(part, place_of(source, part, location.begin)) + ": " + std::string(kind) + ": " +
         shown(shortened(message)) + "\n" +
         marked_line(part.text,
                     {location.begin - part.begin, std::max(location.end, part.begin) - part.begin});
}

void Diagnostics::add(Location location, std::string message) {
  const auto behind = settled_.upper_bound(location.begin);
  const bool is_settled = behind != settled_.begin() && location.end <= std::prev(behind)->second;
  if (!is_settled) errors_.push_back({location, std::move(message)});
}

void Diagnostics::settle(Location value) {
  const auto behind = settled_.upper_bound(value.begin);
  if (behind != settled_.begin() && value.end <= std::prev(behind)->second) return;
  auto inner = settled_.lower_bound(value.begin);
  while (inner != settled_.end() && inner->second <= value.end) inner = settled_.erase(inner);
  settled_.emplace(value.begin, value.end);
}

std::string Diagnostics::meant(std::string_view name, const std::vector<std::string>& known) {
  return may_suggest() ? did_you_mean(name, known) : std::string();
}

std::string Diagnostics::meant_or_all(std::string_view name, const std::vector<std::string>& known) {
  if (known.empty()) return "; there are none";
  if (!may_suggest()) return {};
  if (std::string nearest = did_you_mean(name, known); !nearest.empty()) return nearest;
  std::string list;
  for (const std::string& each : std::span(known).first(std::min(known.size(), kMostListed)))
    list += (list.empty() ? "\"" : ", \"") + each + "\"";
  if (known.size() > kMostListed) list += " and " + std::to_string(known.size() - kMostListed) + " more";
  return "; there are " + list;
}

void Diagnostics::add_if_everywhere(Location location, std::string message) {
  errors_if_everywhere_.push_back({location, std::move(message)});
}

void Diagnostics::add(Location location, std::string message, Location other, std::string other_message) {
  errors_.push_back({location, std::move(message), Note{other, std::move(other_message)}});
}

void Diagnostics::add(const Text& text, const ExpressionError& error) {
  add(inside_string(*source_, text, error.offset(), error.length()), error.problem());
}

std::string Diagnostics::format() const {
  std::vector<Entry> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry& a, const Entry& b) { return a.location.begin < b.location.begin; });
  std::string formatted;
  for (const Entry& entry : std::span(sorted).first(std::min(sorted.size(), kMostShown))) {
    if (!formatted.empty()) formatted += "\n";
    formatted += marked_message(*source_, entry.location, "error", entry.message);
    if (entry.note)
      formatted += "\n" + marked_message(*source_, entry.note->location, "note", entry.note->message);
  }
  if (sorted.size() > kMostShown)
    formatted += "\n" + shown(source_->path) + ": error: and " + std::to_string(sorted.size() - kMostShown) +
                 " more mistakes";
  return formatted;
}

void Diagnostics::throw_if_any() const {
  if (!empty()) throw MarkedError(format());
}

}  // namespace skimline::skims
