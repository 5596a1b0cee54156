// SPDX-License-Identifier: BSD-3-Clause
// Random numbers: the published answers of Philox, the distributions, and what they depend on.
#include "expression/normal_quantile.h"
#include "expression/philox.h"
#include "random_events.h"

#include <algorithm>
#include <utility>

namespace skimline {
namespace {

using testing::fault_of;
using testing::MemorySource;
using testing::Rows;
using testing::values_of;

// The known answers that Random123 publishes for philox4x32 with 10 rounds.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The first answer again: its words 1 and 0 make the uniform number, 3 and 2 the normal one.
TEST(RandomNumbers, AreMadeOfTheBitsOfPhilox) {
  MemorySource source;
  source.add<std::uint64_t>("seed", std::vector<std::uint64_t>{0, 0x299f31d0a4093822});
  source.add<std::uint32_t>("run", std::vector<std::uint32_t>{0, 0x85a308d3});
  source.add<std::uint64_t>("event", std::vector<std::uint64_t>{0, 0x0370734413198a2e});
  source.add<std::uint32_t>("i", std::vector<std::uint32_t>{0, 0x243f6a88});
  const auto uniform = [](std::uint64_t bits) { return static_cast<double>(bits >> 11) / 0x1p53; };
  EXPECT_EQ(values_of(source, "rndm(seed, run, event, i)"),
            (Rows{{uniform(0xe169c58d6627e8d5)}, {uniform(0x94fdccebd16cfe09)}}));
  const Rows normal = values_of(source, "rndm_normal(seed, run, event, i)");
  const double probability = std::erfc(-normal[0][0] / std::sqrt(2.)) / 2;
  EXPECT_NEAR(probability, uniform(0x9b00dbd8bc57ac4c), 1e-15);
}

class ManyNumbers : public ::testing::Test {
 protected:
  static constexpr std::size_t kEvents = 20000;

  ManyNumbers() : source_(4096) {
    source_.add<std::uint32_t>("run", std::vector<std::uint32_t>(kEvents, 1));
    std::vector<std::vector<float>> jets(kEvents);
    for (std::size_t i = 0; i < kEvents; ++i) jets[i].resize(i % 5);
    source_.add<float>("pt", jets);
  }
  static std::vector<double> joined(const Rows& rows) {
    std::vector<double> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    return values;
  }

  MemorySource source_;
};

TEST_F(ManyNumbers, FollowTheirDistributions) {
  std::vector<double> uniform = joined(values_of(source_, "rndm(1, run, entry_, Enumerate(pt))"));
  ASSERT_EQ(uniform.size(), 2 * kEvents);
  std::sort(uniform.begin(), uniform.end());
  EXPECT_EQ(std::adjacent_find(uniform.begin(), uniform.end()), uniform.end());
  EXPECT_GE(uniform.front(), 0);
  EXPECT_LT(uniform.back(), 1);
  std::vector<double> normal = joined(values_of(source_, "rndm_normal(1, run, entry_, Enumerate(pt))"));
  std::sort(normal.begin(), normal.end());
  // Kolmogorov-Smirnov: a distance beyond 2.5 / sqrt(n) has a probability below 1e-5.
  const auto size = static_cast<double>(uniform.size());
  double distance = 0, normal_distance = 0;
  for (std::size_t i = 0; i < uniform.size(); ++i) {
    const double fraction = (static_cast<double>(i) + 0.5) / size;
    distance = std::max(distance, std::abs(uniform[i] - fraction));
    normal_distance =
        std::max(normal_distance, std::abs(std::erfc(-normal[i] / std::sqrt(2.)) / 2 - fraction));
  }
  EXPECT_LT(distance, 2.5 / std::sqrt(size));
  EXPECT_LT(normal_distance, 2.5 / std::sqrt(size));
}

TEST_F(ManyNumbers, DependOnEveryArgumentAndNothingElse) {
  const Rows numbers = values_of(source_, "rndm(1, run, entry_, 3)");
  for (const char* text : {"rndm(2, run, entry_, 3)", "rndm(1, run + 1, entry_, 3)",
                           "rndm(1, run, entry_ + 1, 3)", "rndm(1, run, entry_, 4)",
                           "rndm(4294967297, run, entry_, 3)", "rndm(1, run, entry_ + 4294967296, 3)"}) {
    const Rows others = values_of(source_, text);
    for (std::size_t i = 0; i < kEvents; ++i) EXPECT_NE(others[i], numbers[i]) << text;
  }
  const Rows selected = values_of(source_, "rndm(1, run, entry_, 3)", "size(pt) == 2");
  ASSERT_EQ(selected.size(), kEvents / 5);
  for (std::size_t i = 0; i < selected.size(); ++i) EXPECT_EQ(selected[i], numbers[5 * i + 2]);
}

TEST(RandomNumbers, RefuseWhatWouldRepeat) {
  MemorySource source;
  source.add<std::int64_t>("n", std::vector<std::int64_t>{0, -1});
  EXPECT_EQ(fault_of(source, "rndm(n, n, n, 1)"),
            "run -1 is not between 0 and 4294967295 in a random number "
            "in \"rndm(n, n, n, 1)\" at entry 1");
  EXPECT_EQ(fault_of(source, "rndm(n, 1, n, n + 4294967296)"),
            "index 4294967296 is not between 0 and 4294967295 in a random number in \"rndm(n, 1, n, n + "
            "4294967296)\" at entry 0");
  EXPECT_THROW(PlanBuilder(source.schema()).type_of_expression("rndm(1, 2, 3.5, 4)"), ExpressionError);
}

// Back through the distribution function, whose relative error the tail amplifies by about x * x.
TEST(NormalQuantile, InvertsTheDistribution) {
  for (double p = 1e-300; p < 0.6; p *= 1.01) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(std::erfc(-x / std::sqrt(2.)) / 2 / p, 1, 1.2e-15 * (4 + x * x)) << p;
  }
  for (double p = 0.5; p < 1; p += 0x1p-10) EXPECT_EQ(normal_quantile(p), -normal_quantile(1 - p)) << p;
  EXPECT_EQ(normal_quantile(0), -HUGE_VAL);
  EXPECT_EQ(normal_quantile(1), HUGE_VAL);
  EXPECT_TRUE(std::isnan(normal_quantile(-1e-300)));
  EXPECT_TRUE(std::isnan(normal_quantile(1.0000001)));
  EXPECT_TRUE(std::isnan(normal_quantile(std::nan(""))));
}

// By the same steps in fractions, each rounded once. With the logarithm of the maths library the first three
// have other bits, where it has been seen.
TEST(NormalQuantile, HasTheSameBitsEverywhereInItsTails) {
  for (const auto& [p, expected] : {std::pair{0x1.27e8a5aa3c818p-4, -0x1.7593b214515ep+0},
                                    {0x1.5a09dccb4384p-7, -0x1.2725369f88e49p+1},
                                    {0x1.3170e10c167d8p-4, -0x1.714c65b886a29p+0},
                                    {0x1p-53, -0x1.06b48528cea51p+3},
                                    {1e-300, -0x1.286074064c26ep+5},
                                    {0x1p-1074, -0x1.33bd3f27fcd02p+5},
                                    {1e-12, -0x1.c234fba57a32ap+2},
                                    {0.01, -0x1.29c5c4630ff0ep+1}})
    EXPECT_EQ(normal_quantile(p), expected) << p;
}

}  // namespace
}  // namespace skimline
