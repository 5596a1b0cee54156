// SPDX-License-Identifier: BSD-3-Clause
// The expected hashes are those of histograms that ROOT 6.40 streamed: TH1D("h", "title;x [GeV];Events", ...)
// with Sumw2(), Fill(0.2, 2.5) and Fill(0.9).
#include "skimline/io/th1_writer.h"

#include <gtest/gtest.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;

Histogram filled_histogram(Axis axis) {
  Histogram histogram{.name = "h", .title = "title", .axis = std::move(axis)};
  histogram.axis.label = "x";
  histogram.entries = 2;
  histogram.sum_weights = 3.5;
  histogram.sum_weights_squared = 7.25;
  histogram.sum_weights_x = 2.5 * 0.2 + 0.9;
  histogram.sum_weights_x_squared = 2.5 * 0.2 * 0.2 + 0.9 * 0.9;
  return histogram;
}

std::uint64_t hash_of(const RootObject& object) {
  return XXH3_64bits(object.payload.data(), object.payload.size());
}

TEST(Th1Writer, StreamsRegularAxisAsRoot) {
  Histogram histogram = filled_histogram(Axis::regular(3, 0, 1));
  histogram.axis.unit = "GeV";
  histogram.contents = {0, 2.5, 0, 1, 0};
  histogram.variances = {0, 6.25, 0, 1, 0};
  const RootObject object = th1d_object(histogram);
  EXPECT_EQ(object.class_name, "TH1D");
  EXPECT_EQ(object.name, "h");
  EXPECT_EQ(object.title, "title");
  EXPECT_EQ(object.payload.size(), 623U);
  EXPECT_EQ(hash_of(object), 0xdff24ef946cab019U);
}

TEST(Th1Writer, StreamsVariableAxisAsRoot) {
  Histogram histogram = filled_histogram(Axis::variable({0, 0.1, 0.5, 1}));
  histogram.contents = {0, 0, 2.5, 1, 0};
  histogram.variances = {0, 0, 6.25, 1, 0};
  const RootObject object = th1d_object(histogram);
  EXPECT_EQ(object.payload.size(), 649U);
  EXPECT_EQ(hash_of(object), 0x9237b63ae598bf37U);
}

TEST(Th1Writer, TakesLongNames) {
  Histogram histogram = filled_histogram(Axis::regular(3, 0, 1));
  histogram.contents.resize(5);
  histogram.variances.resize(5);
  const std::size_t short_size = th1d_object(histogram).payload.size();
  histogram.title = std::string(300, 't');
  EXPECT_EQ(th1d_object(histogram).payload.size(), short_size - 5 + 300 + 4);
}

}  // namespace
}  // namespace skimline::io
