// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that depend on their arguments only: the same for every thread, machine and order of events.
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/normal_quantile.h"
#include "expression/philox.h"

#include <limits>
#include <string>

namespace skimline {
namespace {

constexpr std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }
constexpr std::uint32_t high(std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); }

std::uint32_t checked(std::int64_t number, const char* name, std::size_t i) {
  if (number < 0 || number > std::numeric_limits<std::uint32_t>::max())
    throw EntryFault{i, std::string(name) + " " + std::to_string(number) +
                            " is not between 0 and 4294967295 in a random number"};
  return static_cast<std::uint32_t>(number);
}

// The 64 bits at `half` of the 128 that belong to the arguments: key seed, counter index, run, event.
template <int kHalf>
std::uint64_t random_bits(const Operand* operands, std::size_t i) {
  const auto seed = value_at<std::uint64_t>(operands[0], i);
  const auto event = value_at<std::uint64_t>(operands[2], i);
  const PhiloxCounter counter = {checked(value_at<std::int64_t>(operands[3], i), "index", i),
                                 checked(value_at<std::int64_t>(operands[1], i), "run", i), low(event),
                                 high(event)};
  const PhiloxCounter bits = philox4x32(counter, {low(seed), high(seed)});
  return bits[2 * kHalf] | static_cast<std::uint64_t>(bits[2 * kHalf + 1]) << 32;
}

void uniform_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<double*>(results)[i] = static_cast<double>(random_bits<0>(operands, i) >> 11) * 0x1p-53;
}

// The middles of 2^52 equal intervals: never 0 nor 1.
void normal_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double middle = static_cast<double>(random_bits<1>(operands, i) >> 12) + 0.5;
    static_cast<double*>(results)[i] = normal_quantile(middle * 0x1p-52);
  }
}

void quantile_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<double*>(results)[i] = normal_quantile(value_at<double>(operands[0], i));
}

template <Loop kLoop>
std::optional<Operation> choose_random(Arguments arguments) {
  if (arguments.size() != 4) return std::nullopt;
  for (const Argument& each : arguments)
    if (!is_integer(each.type.scalar)) return std::nullopt;
  Operation operation = loop_operation(
      kLoop, {ScalarType::kUInt64, ScalarType::kInt64, ScalarType::kUInt64, ScalarType::kInt64},
      ScalarType::kDouble);
  operation.can_fail = true;
  return operation;
}

std::optional<Operation> choose_quantile(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  return loop_operation(quantile_loop, {ScalarType::kDouble}, ScalarType::kDouble);
}

}  // namespace

std::span<const Function> random_functions() {
  static constexpr Function kFunctions[] = {
      {"rndm", "rndm(seed, run, event, index)", choose_random<uniform_loop>},
      {"rndm_normal", "rndm_normal(seed, run, event, index)", choose_random<normal_loop>},
      {"normal_quantile", "normal_quantile(p)", choose_quantile},
  };
  return kFunctions;
}

}  // namespace skimline
