// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/external_function.h"

#include "expression/syntax.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <string_view>

namespace skimline {
namespace {

// Results that are bool come in a register of which only the lowest byte is one.
template <typename Result>
using Returned = std::conditional_t<std::is_same_v<Result, bool>, unsigned char, Result>;

template <typename Parameter, std::size_t>
using Repeated = Parameter;

template <typename Parameter, typename Result, std::size_t... kIndex>
ElementFunction::Call loop_over(const void* address, std::index_sequence<kIndex...>) {
  const auto function =
      reinterpret_cast<Returned<Result> (*)(Repeated<Parameter, kIndex>...)>(const_cast<void*>(address));
  return [function](std::size_t count, [[maybe_unused]] const void* const* arguments, void* results) {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<Returned<Result>*>(results)[i] =
          function(static_cast<const Parameter*>(arguments[kIndex])[i]...);
  };
}

template <typename Parameter, typename Result, std::size_t kCount = 0>
ElementFunction::Call loop_over(const void* address, std::size_t count) {
  if (count == kCount) return loop_over<Parameter, Result>(address, std::make_index_sequence<kCount>());
  if constexpr (kCount < kMaxElementParameters)
    return loop_over<Parameter, Result, kCount + 1>(address, count);
  else
    return nullptr;
}

template <typename Parameter>
ElementFunction::Call loop_over(const void* address, std::size_t count, ScalarType result) {
  if (result == ScalarType::kBool) return loop_over<Parameter, bool>(address, count);
  return result == scalar_type_of<Parameter> ? loop_over<Parameter, Parameter>(address, count) : nullptr;
}

ElementFunction::Call loop_over(const void* address, ScalarType parameter, std::size_t count,
                                ScalarType result) {
  switch (parameter) {
    case ScalarType::kDouble:
      return loop_over<double>(address, count, result);
    case ScalarType::kFloat:
      return loop_over<float>(address, count, result);
    case ScalarType::kInt32:
      return loop_over<std::int32_t>(address, count, result);
    case ScalarType::kInt64:
      return loop_over<std::int64_t>(address, count, result);
    default:
      return nullptr;
  }
}

std::string list_of(const std::vector<ScalarType>& scalars) {
  std::string list;
  for (const ScalarType scalar : scalars) list += (list.empty() ? "" : ", ") + std::string(name_of(scalar));
  return list;
}

std::string list_of(const ElementFunction& function) {
  if (function.names.empty()) return list_of(function.parameters);
  std::string list;
  for (std::size_t i = 0; i < function.names.size(); ++i)
    list += (i == 0 ? "" : ", ") + std::string(name_of(function.parameters[i])) + " " + function.names[i];
  return list;
}

std::string list_of_names(std::size_t count) {
  std::string list;
  for (std::size_t i = 1; i <= count; ++i) list += (i == 1 ? "x" : ", x") + std::to_string(i);
  return list;
}

void require_address(const void* address) {
  if (!address) throw Error("a function cannot be at address 0");
}

bool is_name(const std::string& name) {
  try {
    const SyntaxPointer call = parse(name + "()");
    return call->kind == SyntaxKind::kCall && !call->is_member && call->operands.empty() &&
           call->name == name;
  } catch (const ExpressionError&) {
    return false;
  }
}

void check(const std::string& name, const ElementFunction& function) {
  if (!function.call) throw SchemaError("the function \"" + name + "\" has nothing to call");
  const auto& parameters = function.parameters;
  const auto is_argument = [](ScalarType type) { return is_number(type) || type == ScalarType::kString; };
  if (!is_number(function.result) || !std::all_of(parameters.begin(), parameters.end(), is_argument))
    throw SchemaError("the function \"" + name + "\" must take numbers or strings and return numbers");
  if (!function.names.empty() && function.names.size() != parameters.size())
    throw SchemaError("the function \"" + name + "\" must name all of its parameters or none");
}

void check(const std::string& name, const BatchFunction& function) {
  if (!function.call) throw SchemaError("the function \"" + name + "\" has nothing to call");
  if (!is_number(function.result.scalar) || function.result.depth < 0 || function.result.depth > kMaxDepth)
    throw SchemaError("the function \"" + name + "\" must return numbers or lists of them, not " +
                      name_of(function.result));
}

}  // namespace

std::string signature_of(const ExternalFunction& function) {
  const auto* element = std::get_if<ElementFunction>(&function.body);
  return function.name + "(" +
         (element ? list_of(*element)
                  : list_of_names(std::get<BatchFunction>(function.body).num_parameters)) +
         ")";
}

void check(const ExternalFunction& function) {
  if (!is_name(function.name))
    throw SchemaError("\"" + function.name + "\" is no name that a function can have");
  std::visit([&](const auto& body) { check(function.name, body); }, function.body);
}

ElementFunction element_function_at(const void* address, std::vector<ScalarType> parameters,
                                    ScalarType result) {
  require_address(address);
  const ScalarType parameter = parameters.empty() ? result : parameters.front();
  const bool is_mixed = std::count(parameters.begin(), parameters.end(), parameter) !=
                        static_cast<std::ptrdiff_t>(parameters.size());
  ElementFunction::Call call = is_mixed ? nullptr : loop_over(address, parameter, parameters.size(), result);
  // Nothing is passed, so that any type will do.
  if (parameters.empty() && result == ScalarType::kBool) call = loop_over<double, bool>(address, 0);
  if (!call)
    throw Error("a function " + std::string(name_of(result)) + "(" + list_of(parameters) +
                ") cannot be called value by value, only up to " + std::to_string(kMaxElementParameters) +
                " parameters that are all double, float, std::int32_t or std::int64_t, and a result of the "
                "same type or bool: others have to take arrays");
  return {std::move(parameters), result, std::move(call)};
}

ElementFunction array_function_at(const void* address, std::vector<ScalarType> parameters,
                                  ScalarType result) {
  require_address(address);
  const auto function =
      reinterpret_cast<void (*)(std::int64_t, const void* const*, void*)>(const_cast<void*>(address));
  return {std::move(parameters), result,
          [function](std::size_t count, const void* const* arguments, void* results) {
            function(static_cast<std::int64_t>(count), arguments, results);
          }};
}

}  // namespace skimline
