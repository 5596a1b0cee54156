// SPDX-License-Identifier: BSD-3-Clause
#include "expression/external_calls.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {
namespace {

// A bool that is neither 0 nor 1 would not be one to the loops that read it.
void make_bools(void* values, std::size_t count) {
  auto* bytes = static_cast<unsigned char*>(values);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
}

// Errors of entries and files are ours alone: of another one, the evaluator would look for the entry in its
// batch, and a job would leave out an input.
template <typename Work>
void call_foreign(const Work& work) {
  try {
    work();
  } catch (const ElementError&) {
    throw;
  } catch (const EvaluationError& error) {
    throw Error(error.what());
  } catch (const FileError& error) {
    throw Error(error.what());
  }
}

// The arguments of an element-wise call as arrays; constants are written out once per value.
class Arrays {
 public:
  Arrays(std::span<const ColumnView> inputs, std::size_t count) {
    written_.reserve(inputs.size());
    for (const ColumnView& input : inputs)
      arrays_.push_back(input.is_constant ? written_out(input, count) : input.values);
  }
  const void* const* data() const { return arrays_.data(); }

 private:
  const void* written_out(const ColumnView& constant, std::size_t count) {
    const std::size_t size = size_of(constant.type.scalar);
    std::vector<std::byte>& bytes = written_.emplace_back(count * size);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(bytes.data() + i * size, constant.values, size);
    return bytes.data();
  }

  std::vector<std::vector<std::byte>> written_;
  std::vector<const void*> arrays_;
};

ColumnView call_on_elements(const KernelCall& call) {
  const auto& body = std::get<ElementFunction>(static_cast<const ExternalFunction*>(call.state)->body);
  ColumnView result = flat_result(call, nullptr);
  const auto is_list = [](const ColumnView& input) { return input.type.is_jagged(); };
  if (const auto list = std::find_if(call.inputs.begin(), call.inputs.end(), is_list);
      list != call.inputs.end())
    result = shaped_like(*list, call.type);
  const std::size_t count = result.num_values();
  void* values = call.results.values.reserve_bytes(count * size_of(call.type.scalar));
  result.values = values;
  if (count == 0) return result;
  const Arrays arguments(call.inputs, count);
  try {
    call_foreign([&] { body.call(count, arguments.data(), values); });
  } catch (const ElementError& error) {
    throw EntryFault{result.entry_holding_value(std::min(error.index(), count - 1)), error.what()};
  }
  if (call.type.scalar == ScalarType::kBool) make_bools(values, count);
  return result;
}

ColumnView call_on_columns(const KernelCall& call) {
  const auto& function = *static_cast<const ExternalFunction*>(call.state);
  BatchResult result(call.results, call.type);
  call_foreign([&] { std::get<BatchFunction>(function.body).call(call.inputs, call.length, result); });
  try {
    return result.checked(call.length);
  } catch (const Error& error) {
    throw Error("the function \"" + function.name + "\" returned " + error.what());
  }
}

int deepest(Arguments arguments) {
  int depth = 0;
  for (const Argument& argument : arguments) depth = std::max(depth, argument.type.depth);
  return depth;
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// Offsets of `num_lists` lists over `num_values` values.
void check_offsets(std::span<const std::uint32_t> offsets, std::size_t num_lists, std::size_t num_values) {
  if (offsets.size() != num_lists + 1)
    throw Error(counted(offsets.size(), "offset") + " for " + counted(num_lists, "list") +
                ", which need one more than lists");
  if (offsets.front() != 0)
    throw Error("offsets that begin with " + std::to_string(offsets.front()) + " instead of 0");
  if (!std::is_sorted(offsets.begin(), offsets.end())) throw Error("offsets that decrease");
  if (offsets.back() != num_values)
    throw Error("offsets that end with " + std::to_string(offsets.back()) + " for " +
                counted(num_values, "value"));
}

void refuse_second(const void* reserved) {
  if (reserved) throw Error("a part of the result of a function is reserved twice");
}

// What an element-wise function wants instead of an argument, if it does not take it.
std::string_view wanted_instead(const ElementFunction& function, std::size_t parameter, ScalarType given) {
  const ScalarType wanted = function.parameters[parameter];
  if (wanted == ScalarType::kString) return given == wanted ? "" : "a string";
  if (!is_number(given)) return "a number";
  const bool is_truncated = is_integer(wanted) && is_floating(given);
  return is_truncated && function.refuses_truncation ? "an integer" : "";
}

void check_arguments(const ElementFunction& function, Arguments arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ScalarType given = arguments[i].type.scalar;
    const std::string_view wanted = wanted_instead(function, i, given);
    if (!wanted.empty())
      throw ArgumentFault{i, "\"" + function.names[i] + "\" must be " + std::string(wanted) + ", not a " +
                                 std::string(name_of(given))};
  }
}

bool takes(const ElementFunction& function, Arguments arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!wanted_instead(function, i, arguments[i].type.scalar).empty()) return false;
  return true;
}

}  // namespace

std::size_t num_parameters(const ExternalFunction& function) {
  if (const auto* element = std::get_if<ElementFunction>(&function.body)) return element->parameters.size();
  return std::get<BatchFunction>(function.body).num_parameters;
}

std::optional<Operation> choose_external(const std::shared_ptr<const ExternalFunction>& function,
                                         Arguments arguments) {
  Operation operation;
  if (const auto* element = std::get_if<ElementFunction>(&function->body)) {
    if (!element->names.empty()) check_arguments(*element, arguments);
    if (!takes(*element, arguments)) return std::nullopt;
    operation =
        kernel_operation(call_on_elements, element->parameters, {element->result, deepest(arguments)});
  } else {
    if (!are_numbers(arguments)) return std::nullopt;
    std::vector<ScalarType> scalars;
    for (const Argument& argument : arguments) scalars.push_back(argument.type.scalar);
    operation =
        kernel_operation(call_on_columns, std::move(scalars), std::get<BatchFunction>(function->body).result);
    operation.list_sizes = ListSizes::kFree;
  }
  operation.name = function->name;
  operation.can_fail = true;
  operation.external = function.get();
  operation.state = function;
  return operation;
}

void* BatchResult::reserve_values(std::size_t count) {
  refuse_second(values_);
  num_values_ = count;
  values_ = static_cast<unsigned char*>(buffer_.values.reserve_bytes_anyway(count * size_of(type_.scalar)));
  return values_;
}

std::uint32_t* BatchResult::reserve_offsets(std::size_t count, int level) {
  refuse_second(offsets_[level].data());
  auto* offsets = static_cast<std::uint32_t*>(
      buffer_.offsets_at(level).reserve_bytes_anyway(count * sizeof(std::uint32_t)));
  offsets_[level] = {offsets, count};
  depth_ = std::max(depth_, level + 1);
  return offsets;
}

ColumnView BatchResult::checked(std::size_t num_entries) const {
  if (depth_ != type_.depth)
    throw Error("a " + name_of(Type{type_.scalar, depth_}) + " per entry instead of a " + name_of(type_));
  if (depth_ == 0 && num_values_ != num_entries)
    throw Error(counted(num_values_, "value") + " for " + std::to_string(num_entries) +
                (num_entries == 1 ? " entry" : " entries"));
  ColumnView result{type_, num_entries, values_, nullptr, false};
  std::size_t num_lists = num_entries;
  for (int level = 0; level < depth_; ++level) {
    const std::size_t next = level + 1 < depth_ ? offsets_[level + 1].size() : num_values_ + 1;
    const std::size_t num_elements = next > 0 ? next - 1 : 0;
    check_offsets(offsets_[level], num_lists, num_elements);
    num_lists = num_elements;
    result.offsets_at(level) = offsets_[level].data();
  }
  if (type_.scalar == ScalarType::kBool) make_bools(values_, num_values_);
  return result;
}

}  // namespace skimline
