// SPDX-License-Identifier: BSD-3-Clause
// The expected hashes are those of histograms that ROOT 6.40 streamed: TH1D("h", "title;x [GeV];Events", ...)
// with Sumw2(), Fill(0.2, 2.5) and Fill(0.9). Other kinds are compared with ROOT in test_histograms.py.
#include "skimline/io/histogram_writer.h"

#include "filled_histogram.h"
#include "temporary_folder.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"

#include <limits>

#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;
using histograms::Storage;

constexpr HistogramFormat kPlain{.compression = {CompressionAlgorithm::kNone, 0}, .has_exact_sums = false};

Histogram two_fills(Axis axis) {
  axis.label = "x";
  return filled_histogram({axis}, Storage::kWeighted, {{0.2, 0.9}, {2.5, 1}});
}

Axis three_bins() {
  Axis axis = Axis::regular(3, 0, 1);
  axis.unit = "GeV";
  return axis;
}

Axis letters() { return Axis::categories(std::vector<std::string>{"a", "b"}); }

std::uint64_t hash_of(const RootObject& object) {
  return XXH3_64bits(object.payload.data(), object.payload.size());
}

TEST(HistogramWriter, StreamsRegularAxisAsRoot) {
  const RootObject object = root_object(two_fills(three_bins()), kPlain);
  EXPECT_EQ(object.class_name, "TH1D");
  EXPECT_EQ(object.name, "h");
  EXPECT_EQ(object.title, "title");
  EXPECT_EQ(object.payload.size(), 623U);
  EXPECT_EQ(hash_of(object), 0xdff24ef946cab019U);
}

TEST(HistogramWriter, StreamsVariableAxisAsRoot) {
  const RootObject object = root_object(two_fills(Axis::variable({0, 0.1, 0.5, 1})), kPlain);
  EXPECT_EQ(object.payload.size(), 649U);
  EXPECT_EQ(hash_of(object), 0x9237b63ae598bf37U);
}

TEST(HistogramWriter, TakesLongTitles) {
  Histogram histogram = two_fills(three_bins());
  const std::size_t short_size = root_object(histogram, kPlain).payload.size();
  histogram.title = std::string(300, 't');
  EXPECT_EQ(root_object(histogram, kPlain).payload.size(), short_size - 5 + 300 + 4);
}

TEST(HistogramWriter, NamesClassesByAxesStorageAndCells) {
  const std::vector<Axis> axes(5, Axis::regular(2, 0, 1));
  const auto name = [&](std::size_t num_axes, Storage storage, CellType cells) {
    return root_class(std::span(axes).first(num_axes), storage, cells);
  };
  EXPECT_EQ(name(1, Storage::kCount, CellType::kDouble), "TH1D");
  EXPECT_EQ(name(2, Storage::kWeighted, CellType::kFloat), "TH2F");
  EXPECT_EQ(name(3, Storage::kCount, CellType::kInt), "TH3I");
  EXPECT_EQ(name(4, Storage::kCount, CellType::kFloat), "THnSparseT<TArrayD>");
  EXPECT_EQ(name(1, Storage::kProfile, CellType::kFloat), "TProfile");
  EXPECT_EQ(name(3, Storage::kProfile, CellType::kDouble), "TProfile3D");
  EXPECT_THROW(name(4, Storage::kProfile, CellType::kDouble), ConfigError);
}

TEST(HistogramWriter, RefusesWhatCellsCannotHold) {
  const auto refusal = [](std::vector<double> weights, CellType cells) -> std::string {
    const std::vector<double> positions(weights.size(), 0.5);
    const Histogram histogram =
        filled_histogram({three_bins()}, Storage::kWeighted, {positions, std::move(weights)});
    try {
      root_object(histogram, {.cells = cells});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({2147483647}, CellType::kInt), "");
  EXPECT_EQ(refusal({-2147483647}, CellType::kInt), "");
  EXPECT_EQ(refusal({3.4e38}, CellType::kFloat), "");
  EXPECT_EQ(refusal({2147483648}, CellType::kInt),
            "histogram \"h\": cell 2 holds 2147483648, which does not fit a cell of type int");
  EXPECT_NE(refusal({0.5}, CellType::kInt), "");
  EXPECT_NE(refusal({2147483647, 1}, CellType::kInt), "");
  EXPECT_NE(refusal({3.5e38}, CellType::kFloat), "");
}

TEST(HistogramWriter, NeedsALongKeyWhereTheObjectHasReferences) {
  EXPECT_FALSE(root_object(two_fills(three_bins())).has_long_key);
  EXPECT_TRUE(
      root_object(filled_histogram({letters(), three_bins()}, Storage::kCount, {{}, {}})).has_long_key);
  const std::vector<Axis> axes(4, three_bins());
  EXPECT_TRUE(root_object(filled_histogram(axes, Storage::kCount, {{}, {}, {}, {}})).has_long_key);
}

TEST(HistogramWriter, CompressesObjectsOfMoreThan256Bytes) {
  const RootObject plain = root_object(two_fills(three_bins()), kPlain);
  const RootObject object = root_object(two_fills(three_bins()), {.has_exact_sums = false});
  EXPECT_EQ(object.object_size, plain.payload.size());
  ASSERT_LT(object.payload.size(), plain.payload.size());
  std::vector<std::byte> raw(object.object_size);
  decompress_block(object.payload, raw);
  EXPECT_EQ(raw, plain.payload);
}

TEST(HistogramWriter, WritesTheSameBytesWithAnyNumberOfThreads) {
  std::vector<Histogram> histograms;
  for (int i = 0; i < 500; ++i) {
    std::vector<double> positions, weights;
    for (int j = 0; j < i % 50; ++j) {
      positions.push_back(0.013 * j * i);
      weights.push_back(0.1 * j - 1);
    }
    histograms.push_back(
        filled_histogram({Axis::regular(1 + i, 0, 10)}, Storage::kWeighted, {positions, weights}));
    histograms.back().name = "d" + std::to_string(i % 3) + "/h" + std::to_string(i);
  }
  std::vector<std::uint64_t> hashes;
  const TemporaryFolder folder;
  for (const int threads : {1, 2, 7}) {
    const std::string path = folder.path(std::to_string(threads) + ".root");
    RootFileWriter file(path);
    oneapi::tbb::task_arena(threads).execute([&] { write_histograms(file, histograms); });
    std::vector<std::byte> bytes(file.commit());
    InputFile(path).read(0, bytes);
    hashes.push_back(XXH3_64bits(bytes.data(), bytes.size()));
    const RootFile written(path);
    ASSERT_EQ(written.keys().size(), histograms.size());
    for (const Histogram& histogram : histograms) ASSERT_NE(written.find(histogram.name), nullptr);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(HistogramWriter, ReportsTheFirstFaultInOrder) {
  std::vector<Histogram> histograms;
  for (int i = 0; i < 3000; ++i) {
    histograms.push_back(two_fills(three_bins()));
    histograms.back().name = "h" + std::to_string(i);
  }
  for (Histogram& histogram : histograms) histogram.sums[0] = {0, 1, 2, 3, 0};
  for (const std::size_t faulty : {2000U, 900U}) histograms[faulty].sums[0][1] = 0.5;
  const TemporaryFolder folder;
  RootFileWriter file(folder.path("fault.root"));
  try {
    write_histograms(file, histograms, {.cells = CellType::kInt});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("\"h900\""), std::string::npos) << error.what();
  }
}

TEST(HistogramWriter, RefusesObjectsThatRootCannotRead) {
  Histogram histogram = two_fills(three_bins());
  histogram.axes = {Axis::regular(100'000'000, 0, 1)};
  for (int i = 0; i < 2; ++i) histogram.sums[i].resize(histogram.num_cells());
  EXPECT_THROW(root_object(histogram), ConfigError);
}

}  // namespace
}  // namespace skimline::io
