// SPDX-License-Identifier: BSD-3-Clause
// What is written is compared with boost-histogram in test_uhi_json.py.
#include "record/uhi_json.h"

#include "skimline/framework/error.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::Histogram;
using histograms::Storage;

Histogram named(const char* name) {
  return empty_histogram(name, "", {Axis::regular(2, 0, 1)}, Storage::kWeighted);
}

TEST(UhiJson, RefusesNamesThatAreNone) {
  EXPECT_THROW(to_uhi_json(std::vector{named("")}), ConfigError);
  EXPECT_THROW(to_uhi_json(std::vector{named("uhi_schema")}), ConfigError);
  EXPECT_THROW(to_uhi_json(std::vector{named("a"), named("b"), named("a")}), ConfigError);
  EXPECT_NO_THROW(to_uhi_json(std::vector{named("a"), named("A"), named("d/a")}));
}

TEST(UhiJson, RefusesNumbersThatJsonHasNot) {
  for (const double number :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    for (const std::size_t sum : {0U, 1U}) {
      Histogram histogram = named("h");
      histogram.sums[sum][1] = number;
      EXPECT_THROW(to_uhi_json(std::vector{histogram}), ConfigError);
    }
}

TEST(UhiJson, IsAnEmptyObjectForNoHistogram) { EXPECT_EQ(to_uhi_json({}), "{\n}\n"); }

}  // namespace
}  // namespace skimline::skims
