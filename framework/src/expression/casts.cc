// SPDX-License-Identifier: BSD-3-Clause
#include "expression/casts.h"

#include <utility>

namespace skimline {
namespace {

using NamedType = std::pair<std::string_view, ScalarType>;

// Those of C++ and those of ROOT's RtypesCore.h.
constexpr NamedType kTypes[] = {
    {"bool", ScalarType::kBool},        {"int8_t", ScalarType::kInt8},     {"uint8_t", ScalarType::kUInt8},
    {"short", ScalarType::kInt16},      {"int16_t", ScalarType::kInt16},   {"uint16_t", ScalarType::kUInt16},
    {"int", ScalarType::kInt32},        {"int32_t", ScalarType::kInt32},   {"unsigned", ScalarType::kUInt32},
    {"uint32_t", ScalarType::kUInt32},  {"long", ScalarType::kInt64},      {"int64_t", ScalarType::kInt64},
    {"size_t", ScalarType::kUInt64},    {"uint64_t", ScalarType::kUInt64}, {"float", ScalarType::kFloat},
    {"double", ScalarType::kDouble},    {"char", ScalarType::kInt8},       {"Bool_t", ScalarType::kBool},
    {"Char_t", ScalarType::kInt8},      {"UChar_t", ScalarType::kUInt8},   {"Short_t", ScalarType::kInt16},
    {"UShort_t", ScalarType::kUInt16},  {"Int_t", ScalarType::kInt32},     {"UInt_t", ScalarType::kUInt32},
    {"Long_t", ScalarType::kInt64},     {"ULong_t", ScalarType::kUInt64},  {"Long64_t", ScalarType::kInt64},
    {"ULong64_t", ScalarType::kUInt64}, {"Float_t", ScalarType::kFloat},   {"Double_t", ScalarType::kDouble},
};

constexpr NamedType kLists[] = {
    {"RVecB", ScalarType::kBool},     {"RVecC", ScalarType::kInt8},   {"RVecD", ScalarType::kDouble},
    {"RVecF", ScalarType::kFloat},    {"RVecI", ScalarType::kInt32},  {"RVecL", ScalarType::kInt64},
    {"RVecLL", ScalarType::kInt64},   {"RVecU", ScalarType::kUInt32}, {"RVecUL", ScalarType::kUInt64},
    {"RVecULL", ScalarType::kUInt64},
};

template <std::size_t N>
std::optional<ScalarType> find_type(const NamedType (&types)[N], std::string_view name) {
  for (const auto& [spelling, scalar] : types)
    if (spelling == name) return scalar;
  return std::nullopt;
}

std::string_view without_std(std::string_view name) {
  return name.starts_with("std::") ? name.substr(5) : name;
}

// The integers that a sign may stand beside, without it and with "unsigned".
struct SignedPair {
  std::string_view name, with_sign, without_sign;
};
constexpr SignedPair kIntegers[] = {{"char", "int8_t", "uint8_t"},
                                    {"short", "short", "uint16_t"},
                                    {"int", "int", "unsigned"},
                                    {"long", "long", "uint64_t"}};

}  // namespace

std::optional<ScalarType> cast_target(std::string_view name) {
  if (name.starts_with("RVec<") && name.ends_with(">"))
    return find_type(kTypes, name.substr(5, name.size() - 6));
  const std::optional<ScalarType> scalar = find_type(kTypes, name);
  return scalar ? scalar : find_type(kLists, name);
}

bool is_list_cast(std::string_view name) { return name.starts_with("RVec") && cast_target(name); }

std::string takes_other(std::string_view cast, Type value) {
  if (is_number(value.scalar))
    return std::string(cast) + "(x) takes a list: write " + std::string(cast) + "{x} for one value, " +
           std::string(cast) + "(n, 0) for n zeros";
  return std::string(cast) + "(x) takes numbers, not " + name_of(value);
}

bool is_type_word(std::string_view word) {
  return word == "const" || word == "signed" || find_type(kTypes, without_std(word));
}

std::string type_of_words(const std::vector<std::string_view>& words) {
  std::vector<std::string_view> rest;
  for (const std::string_view word : words) rest.push_back(without_std(word));
  std::erase(rest, "const");
  if (rest.size() == 1 && find_type(kTypes, rest[0])) return std::string(rest[0]);
  const auto num_unsigned = std::erase(rest, "unsigned"), num_signed = std::erase(rest, "signed");
  if (num_unsigned + num_signed > 1) return {};
  if (rest.empty()) rest.emplace_back("int");
  // "long int", "short int" and "long long" are "long" and "short".
  if (rest.size() > 1 && rest[0] != "int" && rest.back() == "int") rest.pop_back();
  if (rest.size() == 2 && rest[0] == "long" && rest[1] == "long") rest.pop_back();
  if (rest.size() != 1) return {};
  for (const auto& [name, with_sign, without_sign] : kIntegers)
    if (name == rest[0]) return std::string(num_unsigned == 1 ? without_sign : with_sign);
  return {};
}

}  // namespace skimline
