// SPDX-License-Identifier: BSD-3-Clause
// Histograms in versions of their classes that ROOT wrote before 6.14, and Geant4 writes to this day.
#include "histograms/object_sum.h"
#include "histograms/sparse_layout.h"
#include "storage/byte_reader.h"
#include "storage/byte_writer.h"

#include "skimline/io/histogram_writer.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using histograms::Axis;

constexpr std::size_t kEarlyKeySize = 40;

struct Versions {
  std::uint16_t th1d, th1, axis;
  bool have_counts;
};

// A TH1D called "h" with two bins from 0 to 2, as a class of these versions streams it, or a TProfile of a
// version.
class EarlyHistogram {
 public:
  EarlyHistogram(Versions versions, double content) : versions_(versions) { th1d(content); }
  EarlyHistogram(std::uint16_t profile, Versions versions, double content) : versions_(versions) {
    const std::size_t object = begin(profile, versions.have_counts);
    th1d(content);
    array({0, content, content, 0});  // entries
    out_.zeros(4 + 8 + 8);            // kind of errors, limits
    out_.big<double>(5 * content);
    out_.big<double>(6 * content);
    if (profile >= 6) array({});
    end(object, versions.have_counts);
  }

  StoredObject object() && { return {std::move(out_).take(), kEarlyKeySize}; }

 private:
  void th1d(double content) {
    const Versions versions = versions_;
    const std::size_t object = begin(versions.th1d, versions.have_counts);
    const std::size_t base = begin(versions.th1, versions.have_counts);
    named("h", "early");
    attributes({6, 6, 8});
    out_.big<std::int32_t>(4);  // cells
    for (int i = 0; i < 3; ++i) axis(i == 0 ? 2 : 1);
    out_.zeros(2 + 2);
    for (const double sum : {4 * content, 4 * content, 4 * content, 2 * content, 3 * content})
      out_.big<double>(sum);
    for (int i = 0; i < 3; ++i) out_.big<double>(-1111);
    out_.big<std::int32_t>(0);  // contours
    array({content, 0, 0, content});
    out_.big<std::uint8_t>(0);  // drawing option
    list();
    if (versions.th1 >= 4) out_.zeros(4 + 1);  // no buffer of fills
    if (versions.th1 >= 7) out_.zeros(4);      // kind of errors
    end(base, versions.have_counts);
    array({content, 0, 0, 3 * content});
    end(object, versions.have_counts);
  }
  std::size_t begin(std::uint16_t version, bool has_count = true) {
    const std::size_t place = out_.size();
    if (has_count) out_.big<std::uint32_t>(0);
    out_.big<std::uint16_t>(version);
    return place;
  }
  void end(std::size_t place, bool has_count = true) {
    if (has_count)
      out_.set_big<std::uint32_t>(place, 0x40000000U | static_cast<std::uint32_t>(out_.size() - place - 4));
  }
  void text(const std::string& text) {
    out_.big<std::uint8_t>(static_cast<std::uint8_t>(text.size()));
    out_.raw(std::as_bytes(std::span(text)));
  }
  void named(const std::string& name, const std::string& title) {
    const std::size_t place = begin(1);
    tobject();
    text(name);
    text(title);
    end(place);
  }
  void tobject() {
    out_.big<std::uint16_t>(1);
    out_.big<std::uint32_t>(0);
    out_.big<std::uint32_t>(0x02000000);
  }
  void attributes(const std::vector<std::size_t>& sizes) {
    for (const std::size_t size : sizes) {
      const std::size_t place = begin(1);
      out_.zeros(size);
      end(place);
    }
  }
  void array(const std::vector<double>& values) {
    out_.big<std::int32_t>(static_cast<std::int32_t>(values.size()));
    for (const double value : values) out_.big<double>(value);
  }
  void axis(std::int32_t num_bins) {
    const std::size_t place = begin(versions_.axis);
    named("axis", "what it shows");
    attributes({34});
    out_.big<std::int32_t>(num_bins);
    out_.big<double>(0);
    out_.big<double>(num_bins);
    array({});
    out_.zeros(4 + 4);
    if (versions_.axis >= 8) out_.zeros(2);
    out_.zeros(1 + 1);                       // no time
    if (versions_.axis >= 7) out_.zeros(4);  // no labels
    end(place);
  }
  void list() {
    const std::size_t place = begin(4);
    tobject();
    out_.zeros(1 + 4);
    end(place);
  }

  Versions versions_;
  ByteWriter out_;
};

HistogramLayout layout_of(const StoredObject& object) {
  return read_layout(*histogram_class("TH1D"), object.payload, object.key_size);
}

std::vector<double> reals(const StoredObject& object, const NumberArray& array) {
  std::vector<double> values;
  for (std::size_t i = 0; i < array.count; ++i)
    values.push_back(read_real(object.payload, array.offset + 8 * i));
  return values;
}

class EarlyVersions : public testing::TestWithParam<Versions> {};

TEST_P(EarlyVersions, AreAdded) {
  const HistogramClass kind = *histogram_class("TH1D");
  StoredObject first = EarlyHistogram(GetParam(), 1).object();
  StoredObject second = EarlyHistogram(GetParam(), 2).object();
  const std::size_t size = first.payload.size();
  const auto sum = begin_sum(kind, first);
  sum->add(second);
  const StoredObject added = sum->take(kEarlyKeySize);
  EXPECT_EQ(added.payload.size(), size);
  const HistogramLayout layout = layout_of(added);
  EXPECT_EQ(layout.title, "early");
  EXPECT_EQ(reals(added, layout.arrays[kContents]), (std::vector<double>{3, 0, 0, 9}));
  EXPECT_EQ(reals(added, layout.arrays[kSumw2]), (std::vector<double>{3, 0, 0, 3}));
  EXPECT_EQ(read_real(added.payload, layout.sums[0]), 12);
}

TEST_P(EarlyVersions, AreAddedToThoseOfToday) {
  histograms::Histogram today =
      histograms::empty_histogram("h", "today", {Axis::regular(2, 0, 2)}, histograms::Storage::kWeighted);
  today.sums[0][1] = 5;
  today.entries = 1;
  const RootObject object = root_object(today, {.compression = parse_compression("none")});
  for (const bool is_first : {true, false}) {
    StoredObject early = EarlyHistogram(GetParam(), 1).object();
    StoredObject late{object.payload, long_key_size(object)};
    const auto sum = begin_sum(*histogram_class("TH1D"), is_first ? early : late);
    sum->add(is_first ? late : early);
    const StoredObject added = sum->take(kEarlyKeySize);
    EXPECT_EQ(reals(added, layout_of(added).arrays[kContents]), (std::vector<double>{1, 5, 0, 3}));
  }
}

TEST_P(EarlyVersions, ChangedBytesAreRefusedOrHarmless) {
  const HistogramClass kind = *histogram_class("TH1D");
  const StoredObject sound = EarlyHistogram(GetParam(), 1).object();
  std::size_t refused = 0;
  for (std::size_t place = 0; place < sound.payload.size(); ++place)
    for (const int change : {0x01, 0x80, 0xFF, 0x40}) {
      StoredObject changed = sound, other = sound;
      changed.payload[place] ^= static_cast<std::byte>(change);
      try {
        const auto sum = begin_sum(kind, changed);
        sum->add(other);
        sum->take(kEarlyKeySize);
      } catch (const Error&) {  // damaged, or of no use for the sum
        ++refused;
      }
    }
  EXPECT_GT(refused, 200U);
}

TEST_P(EarlyVersions, KeepTheirAxes) {
  if (layout_of(EarlyHistogram(GetParam(), 1).object()).axes[0].places.has_all) return;
  histograms::Histogram labelled = histograms::empty_histogram(
      "h", "labels", {Axis::categories(std::vector<std::string>{"a", "b"})}, histograms::Storage::kWeighted);
  const RootObject object = root_object(labelled, {.compression = parse_compression("none")});
  StoredObject early = EarlyHistogram(GetParam(), 1).object();
  StoredObject late{object.payload, long_key_size(object)};
  const auto sum = begin_sum(*histogram_class("TH1D"), early);
  EXPECT_THROW(sum->add(late), Mismatch);
}

INSTANTIATE_TEST_SUITE_P(HistogramReader, EarlyVersions,
                         testing::Values(Versions{1, 3, 6, false}, Versions{1, 3, 6, true},
                                         Versions{1, 4, 7, true}, Versions{1, 5, 8, true},
                                         Versions{1, 6, 9, true}, Versions{2, 7, 9, true}));

TEST(EarlyVersionsOfHistograms, ProfilesAreAdded) {
  const HistogramClass kind = *histogram_class("TProfile");
  for (const bool have_counts : {false, true})
    for (const std::uint16_t version : {std::uint16_t{4}, std::uint16_t{6}}) {
      const Versions versions{1, 3, 6, have_counts};
      StoredObject first = EarlyHistogram(version, versions, 1).object();
      StoredObject second = EarlyHistogram(version, versions, 2).object();
      const auto sum = begin_sum(kind, first);
      sum->add(second);
      const StoredObject added = sum->take(kEarlyKeySize);
      const HistogramLayout layout = read_layout(kind, added.payload, added.key_size);
      EXPECT_EQ(reals(added, layout.arrays[kContents]), (std::vector<double>{3, 0, 0, 9}));
      EXPECT_EQ(reals(added, layout.arrays[kBinEntries]), (std::vector<double>{0, 3, 3, 0}));
      EXPECT_EQ(read_real(added.payload, layout.sums.back()), 18);
    }
}

TEST(EarlyVersionsOfHistograms, ProfilesHaveNoRoomForSquaredWeights) {
  histograms::Histogram today =
      histograms::empty_histogram("h", "today", {Axis::regular(2, 0, 2)}, histograms::Storage::kProfile);
  today.sums[histograms::kWeight][1] = 2;
  today.sums[histograms::kWeightSquared][1] = 4;
  const RootObject object = root_object(today, {.compression = parse_compression("none")});
  StoredObject late{object.payload, long_key_size(object)};
  const HistogramClass kind = *histogram_class("TProfile");
  ASSERT_NE(read_layout(kind, late.payload, late.key_size).arrays[kBinSumw2].count, 0U);
  StoredObject early = EarlyHistogram(4, {1, 3, 6, true}, 1).object();
  const auto sum = begin_sum(kind, early);
  // The sum becomes one like the other, which has more.
  sum->add(late);
  const StoredObject added = sum->take(kEarlyKeySize);
  const HistogramLayout layout = read_layout(kind, added.payload, added.key_size);
  EXPECT_EQ(layout.title, "today");
  EXPECT_EQ(reals(added, layout.arrays[kBinEntries]), (std::vector<double>{0, 3, 1, 0}));
  EXPECT_EQ(reals(added, layout.arrays[kBinSumw2]), (std::vector<double>{0, 5, 1, 0}));
}

// Of these there is no version without a byte count, and sums of sparse histograms put theirs where it
// stands.
TEST(EarlyVersionsOfHistograms, SparseOnesSayWhereTheyEnd) {
  const histograms::Histogram histogram = histograms::empty_histogram(
      "h", "four axes", std::vector<Axis>(4, Axis::regular(2, 0, 2)), histograms::Storage::kCount);
  const RootObject object = root_object(histogram, {.compression = parse_compression("none")});
  // References to classes count from the front of the key.
  StoredObject shorter{{object.payload.begin() + 4, object.payload.end()}, long_key_size(object) + 4};
  EXPECT_THROW(begin_sum(*histogram_class(object.class_name), shorter), FormatError);
}

TEST(EarlyVersionsOfHistograms, OthersAreNamed) {
  for (const Versions versions : {Versions{1, 2, 6, true}, Versions{1, 2, 6, false}}) {
    try {
      layout_of(EarlyHistogram(versions, 1).object());
      FAIL();
    } catch (const UnknownVersion& error) {
      EXPECT_STREQ(
          error.what(),
          "class TH1 in version 2: only versions 3, 4, 5, 6, 7 and 8, that of ROOT 6.40, can be read");
    }
  }
}

// A sparse histogram without filled bins, as ROOT 5 wrote those whose errors were asked for after they were
// made.
StoredObject without_sums_of_positions(const HistogramClass& kind, const StoredObject& whole) {
  const SparseLayout layout = read_sparse_layout(kind, whole.payload, whole.key_size);
  const std::size_t size = layout.axes.size() * sizeof(double);
  std::vector<std::byte> payload = whole.payload;
  for (const std::size_t first : {3 + layout.axes.size(), std::size_t{3}}) {
    const auto begin = payload.begin() + static_cast<std::ptrdiff_t>(layout.sums[first]);
    std::fill(begin - sizeof(std::int32_t), begin, std::byte{0});
    payload.erase(begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  ByteWriter early;
  early.raw(payload);
  // The class and its two bases begin with their byte counts.
  for (const std::size_t place : {std::size_t{0}, std::size_t{6}, std::size_t{12}}) {
    ByteReader count(std::span<const std::byte>(payload).subspan(place));
    early.set_big<std::uint32_t>(place, count.big<std::uint32_t>() - static_cast<std::uint32_t>(2 * size));
  }
  return {std::move(early).take(), whole.key_size};
}

TEST(EarlyVersionsOfHistograms, MayHaveNoSumsOfPositions) {
  histograms::Histogram histogram = histograms::empty_histogram(
      "h", "four axes", std::vector<Axis>(4, Axis::regular(2, 0, 2)), histograms::Storage::kCount);
  histogram.entries = 2;
  const RootObject object = root_object(histogram, {.compression = parse_compression("none")});
  const HistogramClass kind = *histogram_class(object.class_name);
  StoredObject whole{object.payload, long_key_size(object)};
  StoredObject early = without_sums_of_positions(kind, whole);
  StoredObject other = early, late = whole;
  const auto sum = begin_sum(kind, early);
  sum->add(other);
  EXPECT_THROW(sum->add(late), Mismatch);
  const StoredObject added = sum->take(whole.key_size);
  const SparseLayout layout = read_sparse_layout(kind, added.payload, added.key_size);
  ASSERT_EQ(layout.sums.size(), 3U);
  EXPECT_EQ(read_real(added.payload, layout.sums[0]), 4);
}

}  // namespace
}  // namespace skimline::io
