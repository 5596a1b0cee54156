// SPDX-License-Identifier: BSD-3-Clause
// Random numbers of one entry, from Philox4x32-10 written out round by round.
#include "expression/normal_quantile.h"
#include "naive_functions.h"
#include "naive_operators.h"

#include <array>

namespace skimline::testing {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(first)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

std::int64_t integer(const NaiveCall& call, std::size_t index) {
  if (!is_integer(call.arguments[index].type.scalar)) throw NaiveRefusal("not an integer");
  return std::get<std::int64_t>(converted(call.context, call.arguments[index].scalar, ScalarType::kInt64));
}

Words random_words(const NaiveCall& call) {
  call.expect(4);
  const auto seed = static_cast<std::uint64_t>(integer(call, 0)),
             event = static_cast<std::uint64_t>(integer(call, 2));
  const std::int64_t run = integer(call, 1), index = integer(call, 3);
  for (const std::int64_t number : {run, index})
    if (number < 0 || number > 0xFFFFFFFF)
      call.context.fault("is not between 0 and 4294967295 in a random number");
  return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(run),
                 static_cast<std::uint32_t>(event), static_cast<std::uint32_t>(event >> 32)},
                static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

Value uniform(NaiveCall& call) {
  const Words words = random_words(call);
  const std::uint64_t bits = words[0] | std::uint64_t{words[1]} << 32;
  return flat_value(static_cast<double>(bits >> 11) / 9007199254740992.);
}

Value normal(NaiveCall& call) {
  const Words words = random_words(call);
  const std::uint64_t bits = words[2] | std::uint64_t{words[3]} << 32;
  return flat_value(normal_quantile((static_cast<double>(bits >> 12) + .5) / 4503599627370496.));
}

// The quantile itself is the engine's: an approximation, which other tests compare with exact values.
Value quantile(NaiveCall& call) {
  call.expect(1);
  return flat_value(normal_quantile(double_argument(call, 0)));
}

}  // namespace

std::span<const NaiveFunction> naive_random_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"rndm", NaiveShape::kValues, uniform},
      {"rndm_normal", NaiveShape::kValues, normal},
      {"normal_quantile", NaiveShape::kValues, quantile},
  };
  return kFunctions;
}

}  // namespace skimline::testing
