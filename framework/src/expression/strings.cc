// SPDX-License-Identifier: BSD-3-Clause
// Comparing and searching strings.
#include "expression/strings.h"

#include "expression/function_registry.h"
#include "expression/numbers_in_strings.h"
#include "expression/operators.h"

#include <algorithm>
#include <functional>
#include <type_traits>

#include <re2/re2.h>

namespace skimline {
namespace {

using String = std::string_view;

String string_at(const Operand& operand, std::size_t i) {
  return static_cast<const String*>(operand.values)[operand.is_constant ? 0 : i];
}

template <typename Compare, typename R>
void comparison_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<R*>(results)[i] =
        static_cast<R>(Compare{}(string_at(operands[0], i), string_at(operands[1], i)));
}

template <typename Compare>
Loop comparison_loop(bool on_lists) {
  return on_lists ? comparison_loop<Compare, std::int32_t> : comparison_loop<Compare, bool>;
}

Loop comparison_loop(Operator op, bool on_lists) {
  switch (op) {
    case Operator::kEqual:
      return comparison_loop<std::equal_to<>>(on_lists);
    case Operator::kNotEqual:
      return comparison_loop<std::not_equal_to<>>(on_lists);
    case Operator::kLess:
      return comparison_loop<std::less<>>(on_lists);
    case Operator::kLessEqual:
      return comparison_loop<std::less_equal<>>(on_lists);
    case Operator::kGreater:
      return comparison_loop<std::greater<>>(on_lists);
    case Operator::kGreaterEqual:
      return comparison_loop<std::greater_equal<>>(on_lists);
    default:
      return nullptr;
  }
}

// Computes a flag for every string of a flat column or a list.
template <typename R, typename Test>
ColumnView flags_of_strings(const KernelCall& call, Test test) {
  const ColumnView& strings = call.inputs[0];
  const std::size_t count = strings.is_constant ? call.length : strings.num_values();
  const Operand operand{strings.values, strings.is_constant};
  R* result = call.results.values.reserve<R>(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<R>(test(string_at(operand, i)));
  return {call.type, call.length, result, strings.offsets, false};
}

template <typename Test>
ColumnView flags_of_strings(const KernelCall& call, Test test) {
  return call.type.is_jagged() ? flags_of_strings<std::int32_t>(call, test)
                               : flags_of_strings<bool>(call, test);
}

re2::StringPiece piece(String text) { return {text.data(), text.size()}; }

ColumnView whole_matches(const KernelCall& call) {
  const auto& regex = *static_cast<const RE2*>(call.state);
  return flags_of_strings(call, [&](String text) { return RE2::FullMatch(piece(text), regex); });
}

ColumnView partial_matches(const KernelCall& call) {
  const auto& regex = *static_cast<const RE2*>(call.state);
  return flags_of_strings(call, [&](String text) { return RE2::PartialMatch(piece(text), regex); });
}

// The time for one character grows with the size of the compiled expression.
constexpr int kMaxProgramSize = 10000;

std::shared_ptr<const RE2> compiled(String pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(piece(pattern), options);
  if (!regex->ok()) throw ArgumentFault{1, "not a regular expression: " + regex->error()};
  if (regex->ProgramSize() > kMaxProgramSize) throw ArgumentFault{1, "the regular expression is too large"};
  return regex;
}

template <ColumnKernel kKernel>
std::optional<Operation> choose_regex(Arguments arguments) {
  if (arguments.size() != 2 || arguments[0].type.scalar != ScalarType::kString) return std::nullopt;
  const Constant* pattern = arguments[1].constant;
  if (!pattern || pattern->scalar != ScalarType::kString)
    throw ArgumentFault{1, "the regular expression must be a text in quotes"};
  Operation operation;
  operation.kernel = kKernel;
  operation.operand_scalars = {ScalarType::kString, ScalarType::kString};
  operation.result = arguments[0].type.is_jagged() ? ScalarType::kInt32 : ScalarType::kBool;
  operation.result_depth = arguments[0].type.depth;
  operation.state = compiled(pattern->as<String>());
  return operation;
}

struct StartsWith {
  bool operator()(String text, String part) const { return text.starts_with(part); }
};
struct EndsWith {
  bool operator()(String text, String part) const { return text.ends_with(part); }
};
struct Contains {
  bool operator()(String text, String part) const { return text.find(part) != String::npos; }
};

template <typename Test>
std::optional<Operation> choose_test(Arguments arguments) {
  const auto is_string = [](const Argument& each) { return each.type.scalar == ScalarType::kString; };
  if (arguments.size() != 2 || !std::all_of(arguments.begin(), arguments.end(), is_string))
    return std::nullopt;
  const bool on_lists = arguments[0].type.is_jagged() || arguments[1].type.is_jagged();
  Operation operation;
  operation.loop = comparison_loop<Test>(on_lists);
  operation.operand_scalars = {ScalarType::kString, ScalarType::kString};
  operation.result = on_lists ? ScalarType::kInt32 : ScalarType::kBool;
  return operation;
}

void length_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<std::uint64_t*>(results)[i] = string_at(operands[0], i).size();
}

std::optional<Operation> choose_length(Arguments arguments) {
  if (arguments.size() != 1 || arguments[0].type.scalar != ScalarType::kString) return std::nullopt;
  return loop_operation(length_loop, {ScalarType::kString}, ScalarType::kUInt64);
}

template <typename T>
void number_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) try {
      static_cast<T*>(results)[i] = number_in<T>(string_at(operands[0], i));
    } catch (const NoNumber& no) {
      throw EntryFault{i, no.problem};
    }
}

template <typename T>
std::optional<Operation> choose_number(Arguments arguments) {
  if (arguments.size() != 1 || arguments[0].type.scalar != ScalarType::kString) return std::nullopt;
  const ScalarType result = std::is_same_v<T, float>          ? ScalarType::kFloat
                            : std::is_same_v<T, double>       ? ScalarType::kDouble
                            : std::is_same_v<T, std::int32_t> ? ScalarType::kInt32
                            : std::is_same_v<T, std::int64_t> ? ScalarType::kInt64
                                                              : ScalarType::kUInt64;
  Operation operation = loop_operation(number_loop<T>, {ScalarType::kString}, result);
  operation.can_fail = true;
  return operation;
}

}  // namespace

std::optional<Operation> length_of_string(Arguments arguments) {
  if (arguments.size() != 1 || arguments[0].type.is_jagged()) return std::nullopt;
  return choose_length(arguments);
}

std::optional<Operation> string_operation(Operator op, ScalarType a, ScalarType b, bool on_lists) {
  Operation operation;
  operation.loop = a == b ? comparison_loop(op, on_lists) : nullptr;
  if (!operation.loop) return std::nullopt;
  operation.operand_scalars = {a, b};
  operation.result = on_lists ? ScalarType::kInt32 : ScalarType::kBool;
  return operation;
}

std::span<const Function> string_functions() {
  static constexpr Function kFunctions[] = {
      {"regex_match", "regex_match(strings, \"pattern\")", choose_regex<whole_matches>},
      {"regex_search", "regex_search(strings, \"pattern\")", choose_regex<partial_matches>},
      {"starts_with", "starts_with(strings, text)", choose_test<StartsWith>},
      {"ends_with", "ends_with(strings, text)", choose_test<EndsWith>},
      {"length", "length(strings)", choose_length},
      {"contains", "contains(strings, text)", choose_test<Contains>},
      {"stoi", "stoi(strings)", choose_number<std::int32_t>},
      {"stol", "stol(strings)", choose_number<std::int64_t>},
      {"stoll", "stoll(strings)", choose_number<std::int64_t>},
      {"stoul", "stoul(strings)", choose_number<std::uint64_t>},
      {"stoull", "stoull(strings)", choose_number<std::uint64_t>},
      {"stof", "stof(strings)", choose_number<float>},
      {"stod", "stod(strings)", choose_number<double>},
  };
  return kFunctions;
}

}  // namespace skimline
