// SPDX-License-Identifier: BSD-3-Clause
#include "columns/column_default.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

// The value as a T, if a T holds it: integers and reals as each other if nothing is lost, reals rounded to
// float.
template <typename T>
std::optional<T> converted(std::int64_t value) {
  if constexpr (std::is_same_v<T, bool>) {
    return std::nullopt;
  } else if constexpr (std::is_floating_point_v<T>) {
    const T real = static_cast<T>(value);
    // 2^63 is a T that no std::int64_t is.
    return real < static_cast<T>(0x1p63) && static_cast<std::int64_t>(real) == value ? std::optional(real)
                                                                                     : std::nullopt;
  } else {
    return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
  }
}

template <typename T>
std::optional<T> converted(double value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    const bool is_in_range = !std::isfinite(value) || std::isfinite(static_cast<float>(value));
    return is_in_range ? std::optional(static_cast<float>(value)) : std::nullopt;
  } else {
    if (!(std::abs(value) < 0x1p63) || std::trunc(value) != value) return std::nullopt;
    return converted<T>(static_cast<std::int64_t>(value));
  }
}

template <typename T>
std::optional<T> converted(bool value) {
  return std::is_same_v<T, bool> ? std::optional(static_cast<T>(value)) : std::nullopt;
}

template <typename T>
std::optional<T> converted(const std::string&) {
  return std::nullopt;
}

std::string described(const DefaultScalar& value) {
  struct Describe {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return significant_digits(number, 17); }
    std::string operator()(const std::string& text) const { return "\"" + text + "\""; }
  };
  return std::visit(Describe{}, value);
}

DefaultScalar scalar_of(const DefaultValue& value) {
  return std::visit(
      [](const auto& each) -> DefaultScalar {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, DefaultList>)
          return false;
        else
          return each;
      },
      value);
}

std::string described(const DefaultValue& value) {
  const auto* list = std::get_if<DefaultList>(&value);
  if (!list) return described(scalar_of(value));
  std::string text;
  for (const DefaultScalar& each : list->values) text += (text.empty() ? "" : ", ") + described(each);
  return "[" + text + "]";
}

Type natural_type_of(const DefaultScalar& value) {
  if (std::holds_alternative<bool>(value)) return flat(ScalarType::kBool);
  if (std::holds_alternative<double>(value)) return flat(ScalarType::kDouble);
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return flat(std::in_range<std::int32_t>(*number) ? ScalarType::kInt32 : ScalarType::kInt64);
  return flat(ScalarType::kString);
}

// That of the first value that holds all: true among numbers, or a text, does not fit any.
Type natural_type_of(const DefaultList& list) {
  if (list.values.empty()) return jagged(ScalarType::kDouble);
  ScalarType scalar = natural_type_of(list.values.front()).scalar;
  for (const DefaultScalar& value : list.values) {
    const ScalarType own = natural_type_of(value).scalar;
    const bool are_numbers = own != ScalarType::kBool && own != ScalarType::kString &&
                             scalar != ScalarType::kBool && scalar != ScalarType::kString;
    if (are_numbers) scalar = std::max(scalar, own);
  }
  return jagged(scalar);
}

std::vector<DefaultScalar> values_of(const DefaultValue& value) {
  const auto* list = std::get_if<DefaultList>(&value);
  return list ? list->values : std::vector{scalar_of(value)};
}

// What would be right, if it is not only another value.
std::string advice(const DefaultValue& value, Type type) {
  const bool is_list = std::holds_alternative<DefaultList>(value);
  if (is_list && !type.is_jagged()) return ", which is one value per entry";
  if (!is_list && type.is_jagged()) return ": give a list, such as []";
  return type.depth > 1 ? ": only [] can" : "";
}

}  // namespace

Type ColumnDefault::natural_type(const DefaultValue& value) {
  if (const auto* list = std::get_if<DefaultList>(&value)) return natural_type_of(*list);
  return natural_type_of(scalar_of(value));
}

ColumnDefault::ColumnDefault(const std::string& name, const DefaultValue& value, Type type,
                             const std::string& path)
    : type_(type) {
  const std::vector<DefaultScalar> values = values_of(value);
  length_ = values.size();
  const bool is_list = std::holds_alternative<DefaultList>(value);
  const bool is_held =
      is_list == type.is_jagged() && (type.depth < 2 || values.empty()) &&
      std::all_of(values.begin(), values.end(), [this](const DefaultScalar& each) { return hold(each); });
  if (!is_held)
    throw SchemaError("column \"" + name + "\" is " + name_of(type) + " in " + path + ": " +
                      described(value) + " cannot be its default" + advice(value, type));
}

// Returns whether the type has such a value, which then is the next one of an entry.
bool ColumnDefault::hold(const DefaultScalar& value) {
  if (type_.scalar == ScalarType::kString) {
    const auto* text = std::get_if<std::string>(&value);
    if (text) texts_.push_back(*text);
    return text != nullptr;
  }
  return visit_scalar(type_.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::optional<T> number = std::visit([](const auto& each) { return converted<T>(each); }, value);
    if (!number) return false;
    values_.resize(values_.size() + sizeof(T));
    std::memcpy(values_.data() + values_.size() - sizeof(T), &*number, sizeof(T));
    return true;
  });
}

void ColumnDefault::add_offsets(std::size_t count, ColumnBuffer& scratch, ColumnView& view) const {
  auto* offsets = scratch.offsets.reserve<std::uint32_t>(count + 1);
  for (std::size_t i = 0; i <= count; ++i) offsets[i] = static_cast<std::uint32_t>(i * length_);
  view.offsets = offsets;
  for (int level = 1; level < type_.depth; ++level) {
    auto* inner = scratch.offsets_at(level).reserve<std::uint32_t>(1);
    inner[0] = 0;
    view.offsets_at(level) = inner;
  }
}

ColumnView ColumnDefault::view(std::size_t count, ColumnBuffer& scratch) const {
  ColumnView view{type_, count};
  if (type_.is_jagged()) add_offsets(count, scratch, view);
  if (type_.scalar == ScalarType::kString) {
    auto* values = scratch.values.reserve<std::string_view>(count * length_);
    for (std::size_t i = 0; i < count; ++i) std::copy(texts_.begin(), texts_.end(), values + i * length_);
    view.values = values;
    return view;
  }
  const std::size_t bytes = count * values_.size();
  auto* values = static_cast<std::byte*>(scratch.values.reserve_bytes(bytes));
  std::size_t filled = std::min(bytes, values_.size());
  if (filled > 0) std::memcpy(values, values_.data(), filled);
  while (filled < bytes) {  // twice as much each time
    const std::size_t more = std::min(filled, bytes - filled);
    std::memcpy(values + filled, values, more);
    filled += more;
  }
  view.values = values;
  return view;
}

}  // namespace skimline::io
