// SPDX-License-Identifier: BSD-3-Clause
// Compares functions of floats with the exact results, for every float:
//
//   framework_maths_truth [STRIDE [FUNCTION...]]
//
// With a stride of 1, all 2^32, which takes minutes, for the error and gamma functions up to an hour; those
// of two arguments are tried for 100 million random ones over the stride. Writes what differs, a line for
// each function, and has exit code 4 if anything does.
#include "maths/truth.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

namespace skimline::testing {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 32;
constexpr std::uint64_t kPairs = 100'000'000;
constexpr int kShown = 5;

// Counts differences, and shows the first ones.
class Differences {
 public:
  explicit Differences(const char* name) : name_(name) {}

  void compare(float x, float y, float result, float expected) {
    ++number_;
    if (std::isnan(result) && std::isnan(expected)) return;
    if (std::bit_cast<std::uint32_t>(result) == std::bit_cast<std::uint32_t>(expected)) return;
    if (differing_++ < kShown)
      std::printf("%s of %a and %a is %a instead of %a\n", name_, static_cast<double>(x),
                  static_cast<double>(y), static_cast<double>(result), static_cast<double>(expected));
  }

  bool finish() const {
    std::printf("%-7s %llu of %llu differ\n", name_, static_cast<unsigned long long>(differing_),
                static_cast<unsigned long long>(number_));
    std::fflush(stdout);
    return differing_ == 0;
  }

 private:
  const char* name_;
  std::uint64_t number_ = 0, differing_ = 0;
};

bool try_floats(const UnaryFunction& function, std::uint64_t stride) {
  FloatTruth truth;
  Differences differences(function.name);
  constexpr std::size_t kBlock = 4096;
  std::vector<float> values, results(kBlock);
  for (std::uint64_t bits = 0; bits < kAll;) {
    values.clear();
    for (; bits < kAll && values.size() < kBlock; bits += stride)
      values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (function.of_array) function.of_array(values.data(), values.size(), results.data());
    for (std::size_t i = 0; i < values.size(); ++i)
      differences.compare(values[i], 0, function.of_array ? results[i] : function.of_float(values[i]),
                          truth.quickly(function, values[i]));
  }
  return differences.finish();
}

bool try_pairs(const BinaryFunction& function, std::uint64_t stride) {
  FloatTruth truth;
  Differences differences(function.name);
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < kPairs; i += stride) {
    const std::uint64_t bits = random();
    float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    float y = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32));
    // Half of them of a size that is usual.
    if (i % 2 == 0) {
      x = std::ldexp(static_cast<float>(bits & 0xffffff), -20);
      y = std::ldexp(static_cast<float>(bits >> 40), -20) * (bits >> 30 & 1 ? 1.f : -1.f);
    }
    differences.compare(x, y, function.of_float(x, y), truth.of(function, x, y));
  }
  return differences.finish();
}

int run(std::uint64_t stride, const std::vector<std::string_view>& names) {
  const auto is_wanted = [&](std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  bool is_right = true;
  for (const UnaryFunction& function : unary_functions())
    if (is_wanted(function.name)) is_right &= try_floats(function, stride);
  for (const BinaryFunction& function : binary_functions())
    if (is_wanted(function.name)) is_right &= try_pairs(function, stride);
  return is_right ? 0 : 4;
}

}  // namespace
}  // namespace skimline::testing

int main(int argc, char** argv) {
  const std::uint64_t stride = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  if (stride == 0) {
    std::fprintf(stderr, "framework_maths_truth: the stride is a number from 1 on\n");
    return 2;
  }
  return skimline::testing::run(stride, {argv + std::min(argc, 2), argv + argc});
}
