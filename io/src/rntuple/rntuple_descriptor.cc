// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_descriptor.h"

#include <array>
#include <string_view>

namespace skimline::io {
namespace {

struct KnownType {
  std::string_view name;
  std::uint16_t bits;  // 0 where the column record decides
};

constexpr std::array<KnownType, 0x1E> kKnownTypes = {{
    {"Bit", 1},          {"Byte", 8},          {"Char", 8},          {"Int8", 8},         {"UInt8", 8},
    {"Int16", 16},       {"UInt16", 16},       {"Int32", 32},        {"UInt32", 32},      {"Int64", 64},
    {"UInt64", 64},      {"Real16", 16},       {"Real32", 32},       {"Real64", 64},      {"Index32", 32},
    {"Index64", 64},     {"Switch", 96},       {"SplitInt16", 16},   {"SplitUInt16", 16}, {"SplitInt32", 32},
    {"SplitUInt32", 32}, {"SplitInt64", 64},   {"SplitUInt64", 64},  {"SplitReal16", 16}, {"SplitReal32", 32},
    {"SplitReal64", 64}, {"SplitIndex32", 32}, {"SplitIndex64", 64}, {"Real32Trunc", 0},  {"Real32Quant", 0},
}};

const KnownType* find_known(ColumnType type) {
  const auto number = static_cast<std::size_t>(type);
  return number < kKnownTypes.size() ? &kKnownTypes[number] : nullptr;
}

}  // namespace

std::uint64_t ColumnRange::num_elements() const {
  std::uint64_t sum = 0;
  for (const PageInfo& page : pages) sum += page.num_elements;
  return sum;
}

std::vector<std::string> RNTupleDescriptor::field_paths() const {
  std::vector<std::string> paths;
  for (std::uint32_t id = 0; id < fields.size(); ++id)
    paths.push_back(is_top_level(id) ? fields[id].name : paths[fields[id].parent] + "." + fields[id].name);
  return paths;
}

std::uint64_t RNTupleDescriptor::num_entries() const {
  return clusters.empty() ? 0 : clusters.back().first_entry + clusters.back().num_entries;
}

std::optional<std::uint16_t> fixed_bits(ColumnType type) {
  const KnownType* known = find_known(type);
  if (known == nullptr || known->bits == 0) return std::nullopt;
  return known->bits;
}

std::string column_type_name(ColumnType type) {
  if (const KnownType* known = find_known(type)) return std::string(known->name);
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto number = static_cast<std::uint16_t>(type);
  std::string digits;
  for (int shift = 12; shift >= 0; shift -= 4)
    if (!digits.empty() || shift <= 4 || (number >> shift) != 0) digits += kDigits[(number >> shift) & 15];
  return "type 0x" + digits;
}

}  // namespace skimline::io
