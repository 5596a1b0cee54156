// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/exact_sums_record.h"

#include "filled_histogram.h"
#include "root/record_key.h"
#include "temporary_folder.h"

#include "skimline/io/format_error.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"

#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;
using histograms::Storage;
using Bytes = std::vector<std::byte>;

Axis unusual_axis() {
  Axis axis = Axis::regular(7, -3, 0.5, {.underflow = false, .overflow = true, .circular = true});
  axis.label = "\u03c6";
  axis.unit = "rad";
  return axis;
}

std::vector<Axis> every_axis() {
  return {unusual_axis(), Axis::variable({-1, 0, 0.25, 3}, {.underflow = true, .overflow = false}),
          Axis::integer(-2147483648, -2147483646), Axis::categories(std::vector<std::int64_t>{5, -7}, true),
          Axis::categories(std::vector<std::int64_t>{3, 9223372036854775807, 1})};
}

std::vector<std::vector<double>> random_columns(std::size_t num_axes, std::size_t num_others) {
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> columns(num_axes + num_others);
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (int fill = 0; fill < 3000; ++fill) {
      const double uniform = std::uniform_real_distribution<double>(-4, 4)(random);
      columns[i].push_back(i < num_axes ? uniform : uniform * std::pow(10, fill % 37 - 18));
    }
  return columns;
}

std::vector<Histogram> random_histograms() {
  std::vector<Histogram> histograms;
  for (const Storage storage : {Storage::kCount, Storage::kWeighted, Storage::kProfile})
    for (const auto& axes : {every_axis(), {unusual_axis()}, {unusual_axis(), Axis::regular(5, -4, 4)}}) {
      const std::size_t others = storage == Storage::kCount ? 0 : storage == Storage::kWeighted ? 1 : 2;
      histograms.push_back(filled_histogram(axes, storage, random_columns(axes.size(), others)));
    }
  return histograms;
}

Bytes record_of(const Bytes& payload) {
  RecordKey key = blob_key(payload.size());
  key.offset = 12345;
  ByteWriter out;
  key.write(out);
  out.raw(payload);
  return std::move(out).take();
}

const Bytes kObject{std::byte{1}, std::byte{2}, std::byte{3}};

Bytes record_of(const Histogram& histogram) { return record_of(exact_sums_payload(histogram, kObject)); }

std::string fault_of(const Bytes& record) {
  try {
    read_exact_sums(record, kObject);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

bool is_same_double(double left, double right) { return std::memcmp(&left, &right, sizeof left) == 0; }

void expect_equal(const std::vector<double>& left, const std::vector<double>& right) {
  EXPECT_TRUE(std::equal(left.begin(), left.end(), right.begin(), right.end(), is_same_double));
}

void expect_equal_statistics(const Histogram& left, const Histogram& right) {
  const histograms::Statistics &a = left.statistics, &b = right.statistics;
  expect_equal({a.weight, a.weight_squared, a.weighted_value, a.weighted_value_squared},
               {b.weight, b.weight_squared, b.weighted_value, b.weighted_value_squared});
  expect_equal(a.position, b.position);
  expect_equal(a.position_squared, b.position_squared);
  expect_equal(a.position_product, b.position_product);
}

void expect_equal_exact_sums(const Histogram& left, const Histogram& right) {
  ASSERT_TRUE(left.has_exact_sums && right.has_exact_sums);
  ASSERT_EQ(left.exact_cells.size(), right.exact_cells.size());
  for (std::size_t i = 0; i < left.exact_cells.size(); ++i) {
    EXPECT_EQ(left.exact_cells[i].window(), right.exact_cells[i].window());
    ASSERT_EQ(left.exact_cells[i].num_places(), right.exact_cells[i].num_places());
    for (int place = 0; place < left.exact_cells[i].num_places(); ++place) {
      EXPECT_EQ(left.exact_cells[i].low(place), right.exact_cells[i].low(place));
      EXPECT_EQ(left.exact_cells[i].high(place), right.exact_cells[i].high(place));
    }
  }
  ASSERT_EQ(left.exact_positions.size(), right.exact_positions.size());
  for (std::size_t i = 0; i < left.exact_positions.size(); ++i) {
    EXPECT_EQ(left.exact_positions[i].window(), right.exact_positions[i].window());
    EXPECT_TRUE(left.exact_positions[i].parts() == right.exact_positions[i].parts());
  }
}

void expect_equal_axes(const Histogram& left, const Histogram& right) {
  ASSERT_EQ(left.axes.size(), right.axes.size());
  for (std::size_t i = 0; i < left.axes.size(); ++i) {
    EXPECT_TRUE(have_same_bins(left.axes[i], right.axes[i]));
    EXPECT_EQ(left.axes[i].kind(), right.axes[i].kind());
    EXPECT_EQ(left.axes[i].flow(), right.axes[i].flow());
    EXPECT_EQ(left.axes[i].is_growing(), right.axes[i].is_growing());
    EXPECT_EQ(left.axes[i].label, right.axes[i].label);
    EXPECT_EQ(left.axes[i].unit, right.axes[i].unit);
  }
}

TEST(ExactSumsRecord, GivesBackTheHistogramThatWasWritten) {
  for (Histogram& histogram : random_histograms()) {
    histogram.value_title = "weights";
    histogram.num_nan = 3;
    histogram.num_bad_weights = 1ull << 63;
    const auto read = read_exact_sums(record_of(histogram), kObject);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->title, "title");
    EXPECT_EQ(read->value_title, "weights");
    EXPECT_EQ(read->storage, histogram.storage);
    EXPECT_EQ(read->entries, histogram.entries);
    EXPECT_EQ(read->num_nan, histogram.num_nan);
    EXPECT_EQ(read->num_bad_weights, histogram.num_bad_weights);
    for (std::size_t i = 0; i < num_sums(histogram.storage); ++i)
      expect_equal(read->sums[i], histogram.sums[i]);
    expect_equal_axes(*read, histogram);
    expect_equal_statistics(*read, histogram);
    expect_equal_exact_sums(*read, histogram);
  }
}

TEST(ExactSumsRecord, DoesNotSpeakForAnotherObject) {
  const Bytes record = record_of(random_histograms().front());
  Bytes changed = kObject;
  changed[1] = std::byte{0};
  EXPECT_TRUE(read_exact_sums(record, kObject));
  EXPECT_FALSE(read_exact_sums(record, changed));
  EXPECT_FALSE(read_exact_sums(record, std::span(kObject).first(2)));
}

TEST(ExactSumsRecord, IsDirectlyBehindEachObjectOfAFile) {
  std::vector<Histogram> histograms = random_histograms();
  histograms.erase(histograms.begin() + 6);  // a profile with five axes
  for (std::size_t i = 0; i < histograms.size(); ++i) histograms[i].name = "d/h" + std::to_string(i);
  const TemporaryFolder folder;
  const std::string path = folder.path("a.root");
  // The first file has them in front of the data and behind it.
  for (const bool has_data : {true, false}) {
    RootFileWriter file(path);
    if (has_data) file.reserve_blob(100);
    write_histograms(file, histograms);
    file.commit();
    const RootFile written(path);
    ASSERT_EQ(written.keys().size(), histograms.size());
    for (std::size_t i = 0; i < histograms.size(); ++i) {
      const RootKey& key = *written.find(histograms[i].name);
      Bytes front(kExactSumsFront), object(key.record_size - key.key_size);
      written.input().read(key.offset + key.record_size, front);
      Bytes record(exact_sums_record_size(front));
      ASSERT_GT(record.size(), kExactSumsFront);
      written.input().read(key.offset + key.key_size, object);
      written.input().read(key.offset + key.record_size, record);
      const auto read = read_exact_sums(record, object);
      ASSERT_TRUE(read);
      expect_equal_exact_sums(*read, histograms[i]);
    }
  }
}

TEST(ExactSumsRecord, IsOnlyABlobWithItsMark) {
  const Bytes record = record_of(random_histograms().front());
  EXPECT_EQ(exact_sums_record_size(record), record.size());
  EXPECT_EQ(exact_sums_record_size(std::span(record).first(kExactSumsFront)), record.size());
  for (std::size_t size = 0; size < 50; ++size)
    EXPECT_EQ(exact_sums_record_size(std::span(record).first(size)), 0U) << size;
  for (const std::size_t position : {0U, 4U, 8U, 15U, 33U, 34U, 40U, 41U, 42U, 49U}) {
    Bytes other = record;
    other[position] ^= std::byte{1};
    EXPECT_EQ(exact_sums_record_size(other), 0U) << position;
  }
}

TEST(ExactSumsRecord, RefusesEveryFlippedBitAndEveryCut) {
  const Bytes record = record_of(random_histograms()[1]);
  for (std::size_t bit = 8 * 50; bit < 8 * record.size(); ++bit) {
    Bytes damaged = record;
    damaged[bit / 8] ^= std::byte{1} << bit % 8;
    ASSERT_NE(fault_of(damaged), "") << bit;
  }
  for (std::size_t size = 0; size < record.size(); ++size)
    ASSERT_NE(fault_of({record.begin(), record.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
}

// What is left after the checksum: every byte of the body set to several values.
TEST(ExactSumsRecord, NeverTrustsAHostileBody) {
  constexpr std::size_t kHeader = 32, kChecksum = 8;
  for (Histogram& histogram : random_histograms()) {
    const Bytes payload = exact_sums_payload(histogram, kObject, {CompressionAlgorithm::kNone, 0});
    const std::size_t end = std::min(payload.size() - kChecksum, kHeader + 150);
    for (std::size_t i = kHeader; i < end; ++i)
      for (const int value : {0, 0x7F, 0xFF}) {
        Bytes hostile = payload;
        hostile[i] = static_cast<std::byte>(value);
        const std::uint64_t checksum = XXH3_64bits(hostile.data(), hostile.size() - kChecksum);
        std::memcpy(hostile.data() + hostile.size() - kChecksum, &checksum, kChecksum);
        try {
          const auto read = read_exact_sums(record_of(hostile), kObject);
          ASSERT_TRUE(read);
          ASSERT_EQ(read->contents().size(), read->num_cells());
        } catch (const FormatError&) {
        }
      }
  }
}

TEST(ExactSumsRecord, GivesBackHistogramsWithoutFills) {
  for (const Storage storage : {Storage::kCount, Storage::kWeighted, Storage::kProfile}) {
    const Histogram empty = empty_histogram(
        "h", "", {Axis::regular(1000, 0, 1), Axis::categories(std::vector<std::string>{}, true)}, storage);
    const auto read = read_exact_sums(record_of(empty), kObject);
    ASSERT_TRUE(read);
    expect_equal_exact_sums(*read, empty);
    EXPECT_EQ(read->contents(), empty.contents());
  }
}

TEST(ExactSumsRecord, RefusesOtherVersions) {
  Bytes payload = exact_sums_payload(random_histograms().front(), kObject);
  payload[8] = std::byte{3};
  const std::uint64_t checksum = XXH3_64bits(payload.data(), payload.size() - 8);
  std::memcpy(payload.data() + payload.size() - 8, &checksum, 8);
  EXPECT_EQ(fault_of(record_of(payload)), "exact sums have the unknown version 3");
}

}  // namespace
}  // namespace skimline::io
