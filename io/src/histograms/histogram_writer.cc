// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/histogram_writer.h"

#include "histograms/histogram_streaming.h"
#include "root/object_payload.h"
#include "storage/ordered_pipeline.h"

#include "skimline/framework/error.h"
#include "skimline/io/exact_sums_record.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;
using histograms::Storage;

constexpr std::size_t kMaxDenseAxes = 3;
// From here on the count of an object's bytes does not fit into its field.
constexpr std::uint64_t kObjectLimit = 0x3FFFFFFF;
// The same for a record, with its key.
constexpr std::uint64_t kBlobLimit = 0x7FFFFF00;
// Enough work for a thread.
constexpr std::size_t kGroupCells = 16384;

void check(const Histogram& histogram) {
  const std::size_t num_axes = histogram.axes.size(), cells = histogram.num_cells();
  for (std::size_t i = 0; i < num_sums(histogram.storage); ++i)
    if (histogram.sums[i].size() != cells) throw InternalError("a histogram with sums of another size");
  const histograms::Statistics& statistics = histogram.statistics;
  if (num_axes == 0 || statistics.position.size() != num_axes ||
      statistics.position_squared.size() != num_axes)
    throw InternalError("a histogram with statistics of other axes");
  if ((num_axes == 2 || num_axes == 3) && statistics.position_product.size() != (num_axes == 2 ? 1 : 3))
    throw InternalError("a histogram with products of other axes");
}

void check_size(const Histogram& histogram, std::uint64_t size) {
  if (size >= kObjectLimit)
    throw ConfigError("histogram \"" + histogram.name + "\" with " + std::to_string(histogram.num_cells()) +
                      " cells is too large for a ROOT file: objects must be smaller than 1 GiB");
}

NumberType number_type(CellType cells) {
  switch (cells) {
    case CellType::kFloat:
      return NumberType::kFloat;
    case CellType::kInt:
      return NumberType::kInt;
    case CellType::kDouble:
      break;
  }
  return NumberType::kDouble;
}

// Whether a histogram of so many cells is too large is seen before any is copied.
std::vector<std::byte> streamed(const Histogram& histogram, CellType cells, std::size_t key_size) {
  if (histogram.axes.size() > kMaxDenseAxes) return streamed_sparse_histogram(histogram, key_size);
  const bool has_small_cells = !has_values(histogram.storage) && cells != CellType::kDouble;
  const std::size_t cell_size = has_values(histogram.storage) ? 24 : (has_small_cells ? 4 : 8) + 8;
  check_size(histogram, histogram.num_cells() * cell_size);
  return streamed_histogram(histogram, number_type(cells), key_size);
}

std::vector<std::string> inner_classes(const Histogram& histogram) {
  std::vector<std::string> classes;
  if (histogram.axes.size() > kMaxDenseAxes) classes.emplace_back("THnSparseArrayChunk");
  if (std::any_of(histogram.axes.begin(), histogram.axes.end(),
                  [](const Axis& axis) { return axis.is_category(); }))
    classes.emplace_back("TObjString");
  return classes;
}

// Histograms that are made into objects together. A fault waits for its turn, so that the first is reported.
struct Group {
  std::vector<const Histogram*> histograms;
  std::vector<RootObject> objects;
  std::exception_ptr fault;

  void make_objects(const HistogramFormat& format) {
    try {
      for (const Histogram* histogram : histograms) objects.push_back(root_object(*histogram, format));
    } catch (...) {
      fault = std::current_exception();
    }
  }

  void add_objects(RootFileWriter& file) const {
    for (const RootObject& object : objects) file.add_object(object);
    if (fault) std::rethrow_exception(fault);
  }
};

// Bytes of sums are noise or zeros: higher levels take longer and gain next to nothing.
CompressionSetting sums_compression(const HistogramFormat& format) {
  if (format.compression.algorithm == CompressionAlgorithm::kNone) return format.compression;
  return {CompressionAlgorithm::kZstd, 1};
}

}  // namespace

std::string root_class(std::span<const Axis> axes, Storage storage, CellType cells) {
  const std::string dimensions = std::to_string(axes.size());
  if (has_values(storage)) {
    if (axes.size() > kMaxDenseAxes)
      throw ConfigError("ROOT files have no profiles with " + dimensions + " axes: at most 3");
    return axes.size() == 1 ? "TProfile" : "TProfile" + dimensions + "D";
  }
  if (axes.size() > kMaxDenseAxes) return "THnSparseT<TArrayD>";
  return "TH" + dimensions + (cells == CellType::kDouble ? "D" : cells == CellType::kFloat ? "F" : "I");
}

RootObject root_object(const Histogram& histogram, const HistogramFormat& format) {
  RootObject object;
  object.class_name = root_class(histogram.axes, histogram.storage, format.cells);
  object.name = histogram.name;
  object.title = histogram.title;
  check(histogram);
  object.has_long_key = has_references(histogram);
  object.inner_classes = inner_classes(histogram);
  std::vector<std::byte> raw = streamed(histogram, format.cells, long_key_size(object));
  check_size(histogram, raw.size());
  set_payload(object, std::move(raw), format.compression);
  if (format.has_exact_sums && histogram.has_exact_sums)
    object.blob = exact_sums_payload(histogram, object.payload, sums_compression(format));
  if (object.blob.size() >= kBlobLimit)
    throw ConfigError("the exact sums of histogram \"" + histogram.name +
                      "\" are too large for a ROOT file: records must be smaller than 2 GiB");
  return object;
}

void write_histograms(RootFileWriter& file, std::span<const Histogram> histograms,
                      const HistogramFormat& format) {
  std::size_t next = 0;
  const auto take_group = [&]() -> std::unique_ptr<Group> {
    auto group = std::make_unique<Group>();
    std::size_t cells = 0;
    while (next < histograms.size() && cells < kGroupCells) {
      cells += histograms[next].num_cells();
      group->histograms.push_back(&histograms[next++]);
    }
    if (group->histograms.empty()) return nullptr;
    return group;
  };
  run_in_order(
      2 * items_for_all_threads(), take_group, [&](Group& group) { group.make_objects(format); },
      [&](Group& group) { group.add_objects(file); });
}

}  // namespace skimline::io
