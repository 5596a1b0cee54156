// SPDX-License-Identifier: BSD-3-Clause
// Names of triggers, and random numbers.
#include "comparison.h"

#include <random>
#include <regex>
#include <string>

namespace skimline::bench {
namespace {

constexpr std::string_view kPattern = "^HLT_(Iso)?Mu[0-9]+";
constexpr std::string_view kPart = "Mu17";

std::vector<ColumnView> names_and_pattern(const Batch& b) {
  return {list_view(b.few, b.few.names), {flat(ScalarType::kString), kBatch, &kPattern, nullptr, true}};
}
std::vector<ColumnView> names_and_part(const Batch& b) {
  return {list_view(b.few, b.few.names), {flat(ScalarType::kString), kBatch, &kPart, nullptr, true}};
}
std::vector<ColumnView> seeds(const Batch& b) {
  return {constant_view<std::uint64_t{1}>(), constant_view<std::int64_t{1}>(), flat_view(b.event),
          constant_view<std::int64_t{0}>()};
}

template <typename Test>
void test_names(const Particles& particles, std::int32_t* values, std::uint32_t* offsets, Test test) {
  for (std::size_t event = 0; event < kBatch; ++event) {
    for (std::uint32_t i = particles.offsets[event]; i < particles.offsets[event + 1]; ++i)
      values[i] = test(particles.names[i]);
    offsets[event + 1] = particles.offsets[event + 1];
  }
}

void add_texts() {
  const auto pattern = std::make_shared<const std::regex>(std::string(kPattern), std::regex::optimize);
  add<std::int32_t>({"regex_search", kPerFew, called("regex_search", names_and_pattern, kPattern),
                     [pattern](const Batch& b, std::int32_t* values, std::uint32_t* offsets) {
                       test_names(b.few, values, offsets, [&](std::string_view name) {
                         return std::regex_search(name.begin(), name.end(), *pattern);
                       });
                     }});
  add<std::int32_t>({"contains", kPerFew, called("contains", names_and_part),
                     [](const Batch& b, std::int32_t* values, std::uint32_t* offsets) {
                       test_names(b.few, values, offsets, [](std::string_view name) {
                         return name.find(kPart) != std::string_view::npos;
                       });
                     }});
}

// The loop draws from one sequence, so that its numbers depend on the order of events; ours do not.
void add_random_numbers() {
  const auto generator = std::make_shared<std::mt19937_64>(1);
  add<double>({"rndm", kPerEntry, called("rndm", seeds),
               [generator](const Batch&, double* values, std::uint32_t*) {
                 std::uniform_real_distribution<double> uniform;
                 for (std::size_t i = 0; i < kBatch; ++i) values[i] = uniform(*generator);
               },
               kUnrelated});
  add<double>({"rndm_normal", kPerEntry, called("rndm_normal", seeds),
               [generator](const Batch&, double* values, std::uint32_t*) {
                 std::normal_distribution<double> normal;
                 for (std::size_t i = 0; i < kBatch; ++i) values[i] = normal(*generator);
               },
               kUnrelated});
}

}  // namespace

void add_texts_and_random_numbers() {
  add_texts();
  add_random_numbers();
}

}  // namespace skimline::bench
