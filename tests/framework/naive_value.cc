// SPDX-License-Identifier: BSD-3-Clause
#include "naive_value.h"

#include <cstdio>
#include <cstring>

namespace skimline::testing {
namespace {

template <typename T>
bool same_bits(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

bool same_scalars(const Scalar& a, const Scalar& b) {
  return std::visit(
      [&](const auto& first) {
        using T = std::decay_t<decltype(first)>;
        const T& second = std::get<T>(b);
        if constexpr (std::is_same_v<T, std::string>)
          return first == second;
        else if constexpr (std::is_same_v<T, LorentzVector>)
          return same_bits(first.x, second.x) && same_bits(first.y, second.y) &&
                 same_bits(first.z, second.z) && same_bits(first.energy, second.energy);
        else
          return same_bits(first, second);
      },
      a);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string text_of(const Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>)
          return '"' + value + '"';
        else if constexpr (std::is_same_v<T, LorentzVector>)
          return "(" + number(value.x) + ", " + number(value.y) + ", " + number(value.z) + "; " +
                 number(value.energy) + ")";
        else if constexpr (std::is_floating_point_v<T>)
          return number(value);
        else
          return std::to_string(value);
      },
      scalar);
}

Scalar scalar_at(const ColumnView& column, std::size_t index) {
  if (column.type.scalar == ScalarType::kString) return std::string(column.data<std::string_view>()[index]);
  if (column.type.scalar == ScalarType::kLorentzVector) return column.data<LorentzVector>()[index];
  return visit_scalar(column.type.scalar,
                      [&](auto tag) -> Scalar { return column.data<typename decltype(tag)::type>()[index]; });
}

Value value_at(const ColumnView& column, int depth, std::size_t index) {
  if (depth == 0) return flat_value(scalar_at(column, column.is_constant ? 0 : index));
  const std::uint32_t* offsets = column.offsets_at(column.type.depth - depth);
  Value list{{column.type.scalar, depth}, {}, {}};
  for (std::size_t i = offsets[index]; i < offsets[index + 1]; ++i)
    list.elements.push_back(value_at(column, depth - 1, i));
  return list;
}

}  // namespace

ScalarType type_of(const Scalar& scalar) { return static_cast<ScalarType>(scalar.index()); }

Value flat_value(Scalar scalar) {
  const Type type = flat(type_of(scalar));
  return {type, std::move(scalar), {}};
}

Value list_value(Type type, std::vector<Value> elements) { return {type, {}, std::move(elements)}; }

Value default_value(Type type) {
  if (type.depth > 0) return {type, {}, {}};
  if (type.scalar == ScalarType::kString) return flat_value(std::string());
  if (type.scalar == ScalarType::kLorentzVector) return flat_value(LorentzVector());
  return visit_scalar(type.scalar, [](auto tag) { return flat_value(typename decltype(tag)::type{}); });
}

bool are_same(const Value& a, const Value& b) {
  if (a.type != b.type || a.elements.size() != b.elements.size()) return false;
  for (std::size_t i = 0; i < a.elements.size(); ++i)
    if (!are_same(a.elements[i], b.elements[i])) return false;
  return a.is_list() || same_scalars(a.scalar, b.scalar);
}

std::string text_of(const Value& value) {
  if (!value.is_list()) return text_of(value.scalar);
  std::string text;
  for (const Value& element : value.elements) text += (text.empty() ? "" : ", ") + text_of(element);
  return "{" + text + "}";
}

Value value_at(const ColumnView& column, std::size_t entry) {
  return value_at(column, column.type.depth, entry);
}

}  // namespace skimline::testing
