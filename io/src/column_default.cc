// SPDX-License-Identifier: BSD-3-Clause
#include "column_default.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

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

std::string described(const DefaultValue& value) {
  struct Describe {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const {
      char text[32];
      std::snprintf(text, sizeof text, "%.17g", number);
      return text;
    }
    std::string operator()(const std::string& text) const { return "\"" + text + "\""; }
  };
  return std::visit(Describe{}, value);
}

}  // namespace

Type ColumnDefault::natural_type(const DefaultValue& value) {
  if (std::holds_alternative<bool>(value)) return flat(ScalarType::kBool);
  if (std::holds_alternative<double>(value)) return flat(ScalarType::kDouble);
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return flat(std::in_range<std::int32_t>(*number) ? ScalarType::kInt32 : ScalarType::kInt64);
  return flat(ScalarType::kString);
}

ColumnDefault::ColumnDefault(const std::string& name, const DefaultValue& value, Type type,
                             const std::string& path)
    : type_(type) {
  if (type.is_jagged())
    throw SchemaError("column \"" + name + "\" is " + name_of(type) + " in " + path +
                      ": only columns with one value per entry can have a default");
  bool is_held = false;
  if (type.scalar == ScalarType::kString) {
    const auto* text = std::get_if<std::string>(&value);
    is_held = text != nullptr;
    if (text) text_ = *text;
  } else {
    is_held = visit_scalar(type.scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::optional<T> number = std::visit([](const auto& each) { return converted<T>(each); }, value);
      if (number) std::memcpy(number_.data(), &*number, sizeof(T));
      return number.has_value();
    });
  }
  if (!is_held)
    throw SchemaError("column \"" + name + "\" is " + name_of(type) + " in " + path + ": " +
                      described(value) + " cannot be its default");
}

ColumnView ColumnDefault::view(std::size_t count, ColumnBuffer& scratch) const {
  ColumnView view{type_, count};
  const auto fill = [&](const auto& value) {
    auto* values = scratch.values.reserve<std::decay_t<decltype(value)>>(count);
    std::fill_n(values, count, value);
    view.values = values;
  };
  if (type_.scalar == ScalarType::kString) {
    fill(std::string_view(text_));
  } else {
    visit_scalar(type_.scalar, [&](auto tag) {
      typename decltype(tag)::type value{};
      std::memcpy(&value, number_.data(), sizeof value);
      fill(value);
    });
  }
  return view;
}

}  // namespace skimline::io
