// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/bit_fields.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace skimline {
namespace {

using Fields = std::vector<BitField>;

constexpr unsigned kMaxBits = 64;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool may_be_in_name(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Takes digits from the front of a text.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || text.empty() || !is_decimal(text.front())) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::string_view take_name(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && may_be_in_name(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

// What stands behind the first `mark`; nothing without one.
std::optional<std::string_view> behind(std::string_view text, std::string_view mark) {
  const std::size_t found = text.find(mark);
  if (found == std::string_view::npos) return std::nullopt;
  return text.substr(found + mark.size());
}

void add(Fields& fields, std::string_view name, std::uint64_t first, std::uint64_t width) {
  if (!name.empty() && first < kMaxBits && width <= kMaxBits - first)
    fields.push_back({std::string(name), static_cast<unsigned>(first), static_cast<unsigned>(width)});
}

// "(MinPtCut,GsfEleDEtaInCut), 3 bits per cut"
Fields equal_fields(std::string_view text) {
  const std::size_t open = text.find('('), close = text.find(')', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  std::string_view rest = text.substr(close + 1);
  if (!rest.starts_with(",")) return {};
  rest = trimmed(rest.substr(1));
  const std::optional<std::uint64_t> width = take_number(rest);
  if (!width || *width == 0 || *width > kMaxBits || !trimmed(rest).starts_with("bit")) return {};
  Fields fields;
  std::string_view names = text.substr(open + 1, close - open - 1);
  for (std::uint64_t number = 0; number < kMaxBits && !names.empty(); ++number) {
    const std::size_t comma = names.find(',');
    add(fields, trimmed(names.substr(0, comma)), number * *width, *width);
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  return fields;
}

// "0 : isPrompt, 1 : isDecayedLeptonHadron", or with `sign` '=' the values of the bits, "1 = VLoose, 2 =
// Loose".
Fields numbered_fields(std::string_view text, char sign) {
  Fields fields;
  while (true) {
    text = trimmed(text);
    const std::optional<std::uint64_t> number = take_number(text);
    text = trimmed(text);
    if (!number || !text.starts_with(sign)) return fields;
    text = trimmed(text.substr(1));
    const std::string_view name = take_name(text);
    if (sign != '=')
      add(fields, name, *number, 1);
    else if (std::has_single_bit(*number))
      add(fields, name, static_cast<unsigned>(std::countr_zero(*number)), 1);
    const std::size_t comma = text.find_first_of(",;");
    if (comma == std::string_view::npos) return fields;
    text.remove_prefix(comma + 1);
  }
}

// "bit1 is loose (always false in 2017), bit2 is tight": counted from 1.
Fields counted_fields(std::string_view text) {
  Fields fields;
  while (const auto rest = behind(text, "bit")) {
    text = *rest;
    const std::optional<std::uint64_t> number = take_number(text);
    if (!number || *number == 0 || !text.starts_with(" is ")) continue;
    text = trimmed(text.substr(4));
    add(fields, take_name(text), *number - 1, 1);
  }
  return fields;
}

// The one that a bit belongs to.
const BitField* field_of(const std::vector<BitField>& fields, unsigned bit) {
  for (const BitField& field : fields)
    if (bit >= field.first && bit - field.first < field.width) return &field;
  return nullptr;
}

}  // namespace

std::vector<BitField> bit_fields(std::string_view description) {
  if (const auto rest = behind(description, "bitmap"))
    if (Fields fields = equal_fields(*rest); !fields.empty()) return fields;
  for (const std::string_view mark :
       {"bits are:", "bits are :", "bits:", "2^(", "bits of what the event passes:"})
    if (const auto rest = behind(description, mark))
      if (Fields fields = numbered_fields(*rest, ':'); !fields.empty()) return fields;
  if (const auto rest = behind(description, "bitmask"))
    if (Fields fields = numbered_fields(*rest, '='); !fields.empty()) return fields;
  return counted_fields(description);
}

std::optional<BitDifference> bit_difference(std::string_view first, std::string_view second) {
  if (first == second) return std::nullopt;
  const std::vector<BitField> of_first = bit_fields(first), of_second = bit_fields(second);
  if (of_first.empty() || of_second.empty()) return std::nullopt;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const BitField *here = field_of(of_first, bit), *there = field_of(of_second, bit);
    const bool are_equal = here != nullptr && there != nullptr ? *here == *there : here == there;
    if (!are_equal) return BitDifference{bit, here ? here->name : "", there ? there->name : ""};
  }
  return std::nullopt;
}

std::string text_of(const BitDifference& difference, std::string_view column, std::string_view first_place,
                    std::string_view second_place) {
  const std::string bit = "bit " + std::to_string(difference.bit) + " of \"" + std::string(column) + "\" ";
  const auto said = [&](const std::string& name, std::string_view place) {
    return bit + (name.empty() ? "has no name" : "is \"" + name + "\"") + " in " + std::string(place);
  };
  return said(difference.first, first_place) + ", and " + said(difference.second, second_place);
}

std::optional<std::string> other_bits(const ColumnInfo& column) {
  std::string_view first = column.description;
  for (const std::string& other : column.other_descriptions) {
    if (bit_fields(first).empty()) first = other;
    if (const auto difference = bit_difference(first, other))
      return text_of(*difference, column.name, "some", "others");
  }
  return std::nullopt;
}

}  // namespace skimline
