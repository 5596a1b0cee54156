// SPDX-License-Identifier: BSD-3-Clause
#include "columns/type_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace skimline::io {
namespace {

constexpr int kMaxTypeDepth = 16;
constexpr std::size_t kMaxLength = 4096;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == '*'))
    text.remove_suffix(1);
  return text;
}

std::string_view without_namespaces(std::string_view text) {
  constexpr std::array<std::string_view, 7> kPrefixes = {
      "const ", "std::", "__cxx11::", "__1::", "struct ", "ROOT::VecOps::", "class "};
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const std::string_view prefix : kPrefixes) {
      if (!text.starts_with(prefix)) continue;
      text = trimmed(text.substr(prefix.size()));
      is_changed = true;
    }
  }
  return text;
}

TypeName parse(std::string_view text, int depth) {
  TypeName type;
  type.is_pointer =
      text.find_last_not_of(' ') != std::string_view::npos && text[text.find_last_not_of(' ')] == '*';
  text = without_namespaces(trimmed(text));
  const std::size_t open = text.find('<');
  if (open == std::string_view::npos || text.back() != '>' || depth > kMaxTypeDepth) {
    type.name = text;
    return type;
  }
  type.name = trimmed(text.substr(0, open));
  int level = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const bool is_end = level == 0 && (text[i] == ',' || i + 1 == text.size());
    if (is_end) {
      type.arguments.push_back(parse(text.substr(begin, i - begin), depth + 1));
      begin = i + 1;
    } else if (text[i] == '<') {
      ++level;
    } else if (text[i] == '>') {
      --level;
    }
  }
  return type;
}

struct NamedNumber {
  std::string_view name;
  ScalarType scalar;
};

constexpr NamedNumber kNumbers[] = {
    {"bool", ScalarType::kBool},
    {"Bool_t", ScalarType::kBool},
    {"char", ScalarType::kInt8},
    {"Char_t", ScalarType::kInt8},
    {"signed char", ScalarType::kInt8},
    {"int8_t", ScalarType::kInt8},
    {"unsigned char", ScalarType::kUInt8},
    {"UChar_t", ScalarType::kUInt8},
    {"Byte_t", ScalarType::kUInt8},
    {"uint8_t", ScalarType::kUInt8},
    {"short", ScalarType::kInt16},
    {"Short_t", ScalarType::kInt16},
    {"int16_t", ScalarType::kInt16},
    {"unsigned short", ScalarType::kUInt16},
    {"UShort_t", ScalarType::kUInt16},
    {"uint16_t", ScalarType::kUInt16},
    {"int", ScalarType::kInt32},
    {"Int_t", ScalarType::kInt32},
    {"int32_t", ScalarType::kInt32},
    {"unsigned", ScalarType::kUInt32},
    {"unsigned int", ScalarType::kUInt32},
    {"UInt_t", ScalarType::kUInt32},
    {"uint32_t", ScalarType::kUInt32},
    {"long", ScalarType::kInt64},
    {"Long_t", ScalarType::kInt64},
    {"long long", ScalarType::kInt64},
    {"Long64_t", ScalarType::kInt64},
    {"int64_t", ScalarType::kInt64},
    {"unsigned long", ScalarType::kUInt64},
    {"ULong_t", ScalarType::kUInt64},
    {"unsigned long long", ScalarType::kUInt64},
    {"ULong64_t", ScalarType::kUInt64},
    {"uint64_t", ScalarType::kUInt64},
    {"size_t", ScalarType::kUInt64},
    {"float", ScalarType::kFloat},
    {"Float_t", ScalarType::kFloat},
    {"double", ScalarType::kDouble},
    {"Double_t", ScalarType::kDouble},
};

template <std::size_t kSize>
bool is_one_of(const std::string& name, const std::array<std::string_view, kSize>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string TypeName::text() const {
  if (arguments.empty()) return name;
  std::string result = name + "<";
  for (const TypeName& argument : arguments)
    result += (&argument == &arguments.front() ? "" : ",") + argument.text();
  return result + ">";
}

TypeName parse_type_name(std::string_view text) {
  if (text.size() > kMaxLength) return {std::string(text), {}, false};
  return parse(text, 0);
}

std::optional<ScalarType> number_called(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                   [&](const NamedNumber& number) { return number.name == name; });
  if (found == std::end(kNumbers)) return std::nullopt;
  return found->scalar;
}

bool is_sequence(const TypeName& type) {
  constexpr std::array<std::string_view, 9> kNames = {
      "vector",       "list", "deque", "set", "multiset", "unordered_set", "unordered_multiset",
      "forward_list", "RVec"};
  return !type.arguments.empty() && is_one_of(type.name, kNames);
}

bool is_map(const TypeName& type) {
  constexpr std::array<std::string_view, 4> kNames = {"map", "multimap", "unordered_map",
                                                      "unordered_multimap"};
  return type.arguments.size() >= 2 && is_one_of(type.name, kNames);
}

bool is_collection(const TypeName& type) {
  return is_sequence(type) || is_map(type) || type.name == "bitset";
}

}  // namespace skimline::io
