// SPDX-License-Identifier: BSD-3-Clause
// Histograms as they are read back, and payloads with every byte changed.
#include "skimline/io/histogram_reader.h"

#include "histograms/object_sum.h"

#include "skimline/io/format_error.h"
#include "skimline/io/histogram_writer.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;
using histograms::Storage;

struct Case {
  std::vector<Axis> axes;
  Storage storage;
  CellType cells = CellType::kDouble;
};

std::vector<Case> cases() {
  const Axis regular = Axis::regular(3, 0, 3);
  const Axis variable = Axis::variable({0, 1, 4});
  const Axis categories = Axis::categories(std::vector<std::string>{"a", "b"});
  return {{{regular}, Storage::kCount},
          {{variable}, Storage::kWeighted},
          {{categories}, Storage::kWeighted},
          {{regular}, Storage::kCount, CellType::kInt},
          {{regular}, Storage::kWeighted, CellType::kFloat},
          {{regular, variable}, Storage::kWeighted},
          {{regular, variable, categories}, Storage::kCount},
          {{regular}, Storage::kProfile},
          {{regular, categories}, Storage::kProfile},
          {{regular, variable, categories, regular}, Storage::kWeighted}};
}

Histogram filled(const Case& of) {
  Histogram histogram = empty_histogram("h", "title", of.axes, of.storage);
  for (std::size_t sum = 0; sum < num_sums(of.storage); ++sum)
    for (std::size_t cell = 0; cell < histogram.num_cells(); cell += 2)
      histogram.sums[sum][cell] = static_cast<double>(1 + cell + sum);
  histogram.entries = 7;
  histogram.statistics.weight = 5;
  histogram.statistics.position[0] = 2.5;
  histogram.has_exact_sums = false;
  histogram.exact_cells.clear();
  histogram.exact_positions.clear();
  return histogram;
}

// The object as it is streamed, with its class and the length of its record's key.
struct Streamed {
  HistogramClass kind;
  StoredObject object;
};

Streamed streamed(const Case& of) {
  const RootObject object =
      root_object(filled(of), {.cells = of.cells, .compression = parse_compression("none")});
  return {*histogram_class(object.class_name), {object.payload, long_key_size(object)}};
}

// Adds an object twice, and to what is sound; returns the sum, or nothing if it was refused.
std::optional<StoredObject> added(const HistogramClass& kind, const StoredObject& one,
                                  const StoredObject& other) {
  try {
    StoredObject first = one;
    StoredObject second = other;
    const auto sum = begin_sum(kind, first);
    sum->add(second);
    return sum->take(one.key_size);
  } catch (const FormatError&) {
    return std::nullopt;
  } catch (const Mismatch&) {
    return std::nullopt;
  }
}

TEST(HistogramReader, ReadsWhatWasWritten) {
  const std::string path = (std::filesystem::temp_directory_path() / "histogram_reader_test.root").string();
  for (const Case& of : cases()) {
    const Histogram expected = filled(of);
    RootFileWriter writer(path);
    writer.add_object(root_object(expected, {.cells = of.cells}));
    writer.commit();
    const RootFile file(path);
    const Histogram read = read_histogram(file, file.keys().front());
    EXPECT_EQ(read.name, "h");
    EXPECT_EQ(read.title, "title");
    EXPECT_EQ(read.entries, 7u);
    ASSERT_EQ(read.axes.size(), of.axes.size());
    for (std::size_t axis = 0; axis < of.axes.size(); ++axis)
      EXPECT_TRUE(have_same_bins(read.axes[axis], of.axes[axis]));
    EXPECT_EQ(read.contents(), expected.contents());
    EXPECT_EQ(read.variances(), expected.variances());
    EXPECT_EQ(read.statistics.weight, 5);
    EXPECT_EQ(read.statistics.position[0], 2.5);
    for (std::size_t sum = 0; sum < num_sums(of.storage); ++sum)
      if (of.storage == Storage::kProfile) {
        EXPECT_EQ(read.sums[sum], expected.sums[sum]);
      }
  }
  std::filesystem::remove(path);
}

TEST(HistogramReader, SumsAreSoundObjects) {
  for (const Case& of : cases()) {
    const Streamed one = streamed(of);
    const auto sum = added(one.kind, one.object, one.object);
    ASSERT_TRUE(sum);
    EXPECT_TRUE(added(one.kind, *sum, one.object)) << "the sum is no sound object";
  }
}

TEST(HistogramReader, ChangedBytesAreRefusedOrHarmless) {
  std::size_t refused = 0;
  for (const Case& of : cases()) {
    const Streamed sound = streamed(of);
    const std::size_t step = sound.object.payload.size() > 5000 ? 97 : 1;
    for (std::size_t place = 0; place < sound.object.payload.size(); place += step)
      for (const int change : {0x01, 0x80, 0xFF, 0x40}) {
        StoredObject changed = sound.object;
        changed.payload[place] ^= static_cast<std::byte>(change);
        refused += added(sound.kind, changed, sound.object) ? 0 : 1;
        refused += added(sound.kind, sound.object, changed) ? 0 : 1;
      }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(HistogramReader, ShortenedObjectsAreRefused) {
  for (const Case& of : cases()) {
    const Streamed sound = streamed(of);
    const std::size_t step = sound.object.payload.size() > 5000 ? 997 : 1;
    for (std::size_t size = 0; size < sound.object.payload.size(); size += step) {
      StoredObject cut = sound.object;
      cut.payload.resize(size);
      EXPECT_FALSE(added(sound.kind, cut, sound.object));
      EXPECT_FALSE(added(sound.kind, sound.object, cut));
    }
  }
}

TEST(HistogramReader, OtherVersionsAreNamed) {
  Streamed changed = streamed(cases()[0]);
  changed.object.payload[11] = std::byte{9};  // of TH1 inside TH1D
  try {
    begin_sum(changed.kind, changed.object);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(),
                 "class TH1 in version 9: only versions 3, 4, 5, 6, 7 and 8, that of ROOT 6.40, can be read");
  }
}

TEST(HistogramReader, ClassesAreKnownByName) {
  for (const char* name :
       {"TH1C", "TH2L", "TH3F", "TProfile", "TProfile3D", "THnSparseT<TArrayL64>", "THnT<short>"})
    EXPECT_TRUE(is_histogram_class(name)) << name;
  for (const char* name :
       {"TH1", "TH1K", "TH4D", "TH2Poly", "TProfile4D", "THnSparseT<TArrayX>", "THnSparse", "", "THnT<"})
    EXPECT_FALSE(is_histogram_class(name)) << name;
}

}  // namespace
}  // namespace skimline::io
