// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/byte_size_reader.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace skimline::skims {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr Unit kUnits[] = {{"GiB", 1 << 30},   {"MiB", 1 << 20}, {"KiB", 1 << 10},
                           {"GB", 1000000000}, {"MB", 1000000},  {"kB", 1000}};

std::optional<std::uint64_t> bytes_of(const std::string& text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return std::nullopt;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  for (const Unit& unit : kUnits)
    if (rest == unit.name && count <= std::numeric_limits<std::uint64_t>::max() / unit.bytes)
      return count * unit.bytes;
  return std::nullopt;
}

std::optional<std::uint64_t> bytes_of(const JsonValue& value) {
  constexpr double kMaximum = 1e15;  // doubles below hold every whole number
  if (value.kind == JsonKind::kString) return bytes_of(value.text);
  if (value.kind != JsonKind::kInteger && value.kind != JsonKind::kReal) return std::nullopt;
  if (!(value.number >= 0 && value.number <= kMaximum) || value.number != std::floor(value.number))
    return std::nullopt;
  return static_cast<std::uint64_t>(value.number);
}

std::string text_of(std::uint64_t bytes) {
  for (const Unit& unit : kUnits)
    if (bytes % unit.bytes == 0) return std::to_string(bytes / unit.bytes) + " " + std::string(unit.name);
  return std::to_string(bytes) + " bytes";
}

}  // namespace

std::optional<std::uint64_t> byte_size_of(const std::string& text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc{} && end == text.data() + text.size()) return count;
  return bytes_of(text);
}

std::optional<std::uint64_t> read_byte_size(const JsonValue& value, const std::string& what,
                                            ByteLimits limits, Diagnostics& diagnostics) {
  const std::optional<std::uint64_t> bytes = bytes_of(value);
  if (bytes && *bytes >= limits.least && *bytes <= limits.most) return bytes;
  diagnostics.add(value.location, what + " must be from " + text_of(limits.least) + " to " +
                                      text_of(limits.most) +
                                      ": a whole number of bytes, or a text such as \"64 MiB\"");
  return std::nullopt;
}

}  // namespace skimline::skims
