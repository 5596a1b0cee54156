// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/object_sum.h"

#include "histograms/bin_statistics.h"
#include "storage/byte_writer.h"

#include <algorithm>
#include <cstring>

namespace skimline::io {
namespace {

using Payload = std::span<const std::byte>;

class DenseSum : public ObjectSum {
 public:
  DenseSum(const HistogramClass& kind, StoredObject& first) : kind_(kind) {
    set_model(first, read_checked(first));
    sums_.resize(layout_.sums.size());
    add_sums(layout_, model_.payload);
    for (std::size_t which = 0; which < kNumCellArrays; ++which)
      cells_[which].set(layout_.arrays[which], model_.payload);
    if (cells_[kSumw2].is_empty() && has_negative(layout_.arrays[kContents], model_.payload))
      begin_magnitudes();
  }

  void add(StoredObject& object) override {
    if (is_alike(object)) return add(layout_, object.payload);
    HistogramLayout layout = read_checked(object);
    const std::string difference = difference_of(layout_.axes, layout.axes);
    if (!difference.empty()) throw Mismatch(difference);
    for (std::size_t which = 0; which < kNumCellArrays; ++which)
      if (cells_[which].is_empty() && layout.arrays[which].count != 0) begin_array(CellArray(which), layout);
    add(layout, object.payload);
    if (num_arrays(layout) > num_arrays(layout_)) set_model(object, std::move(layout));
  }

  StoredObject take(std::size_t key_size) override {
    for (std::size_t i = 0; i < sums_.size(); ++i) write_real(model_.payload, layout_.sums[i], sums_[i]);
    for (std::size_t which = 0; which < kNumCellArrays; ++which)
      if (layout_.arrays[which].count != 0) cells_[which].write(0, layout_.arrays[which], model_.payload);
    // What was in the bins already would be taken back when the buffer is filled further.
    if (layout_.first_buffered != 0) write_real(model_.payload, layout_.first_buffered, 0);
    if (!layout_.has_opaque) move_references(model_, layout_.references, key_size);
    return std::move(model_);
  }

 private:
  HistogramLayout read_checked(const StoredObject& object) const {
    HistogramLayout layout = read_layout(kind_, object.payload, object.key_size);
    if (layout.is_average) throw Mismatch("histograms that are marked as averages cannot be added");
    if (layout.has_buffered_fills)
      throw Mismatch(
          "a histogram whose limits are chosen automatically still has its fills in a buffer: call "
          "BufferEmpty() "
          "before it is written");
    return layout;
  }

  void set_model(StoredObject& object, HistogramLayout layout) {
    model_ = std::move(object);
    layout_ = std::move(layout);
  }

  static std::size_t num_arrays(const HistogramLayout& layout) {
    std::size_t count = 0;
    for (const NumberArray& array : layout.arrays) count += array.count != 0;
    return count;
  }

  // Whether all bytes are those of the model but for numbers that are added: then it is laid out alike.
  bool is_alike(const StoredObject& object) const {
    if (object.payload.size() != model_.payload.size() || object.key_size != model_.key_size) return false;
    std::size_t begin = 0;
    for (const PayloadRange& range : layout_.changing) {
      if (std::memcmp(&object.payload[begin], &model_.payload[begin], range.begin - begin) != 0) return false;
      begin = range.end;
    }
    const std::size_t rest = model_.payload.size() - begin;
    if (rest > 0 && std::memcmp(&object.payload[begin], &model_.payload[begin], rest) != 0) return false;
    return layout_.first_buffered == 0 || read_real(object.payload, layout_.first_buffered) <= 0;
  }

  // Sums for an array that no object had so far: what those without it count for.
  void begin_array(CellArray which, const HistogramLayout& layout) {
    cells_[which].resize(layout.arrays[which].type, layout.arrays[which].count);
    if (which == kSumw2) cells_[which].add_magnitudes(magnitudes());
    if (which == kBinSumw2) cells_[which].add_magnitudes(cells_[kBinEntries]);
  }

  // Sums of |content|, which are kept apart only once there is a negative one.
  const CellSums& magnitudes() const { return magnitudes_.is_empty() ? cells_[kContents] : magnitudes_; }

  void add(const HistogramLayout& layout, Payload payload) {
    add_sums(layout, payload);
    add_missing_errors(layout, payload);
    for (std::size_t which = 0; which < kNumCellArrays; ++which)
      if (layout.arrays[which].count != 0) cells_[which].add(layout.arrays[which], payload);
  }

  bool has_no_statistics(const HistogramLayout& layout, Payload payload) const {
    return !kind_.is_dense_array && read_real(payload, layout.sums[0]) > 0 &&
           read_real(payload, layout.sums[1]) == 0;
  }

  void add_sums(const HistogramLayout& layout, Payload payload) {
    if (has_no_statistics(layout, payload)) {
      sums_[0] += read_real(payload, layout.sums[0]);
      const std::vector<double> statistics = bin_statistics(layout, payload);
      for (std::size_t i = 0; i < statistics.size(); ++i) sums_[i + 1] += statistics[i];
      return;
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += read_real(payload, layout.sums[i]);
    if (!kind_.is_dense_array) return;
    // A sum of squared weights that is -1 says that errors are not kept.
    const double squared_weights = read_real(payload, layout.sums[2]);
    if (squared_weights >= 0) squared_weights_ = std::max(squared_weights_, 0.0) + squared_weights;
    sums_[2] = squared_weights_;
  }

  // What an object without errors adds to them; and what it will, if another one has errors.
  void add_missing_errors(const HistogramLayout& layout, Payload payload) {
    const NumberArray& contents = layout.arrays[kContents];
    if (layout.arrays[kBinSumw2].count == 0 && !cells_[kBinSumw2].is_empty())
      cells_[kBinSumw2].add(layout.arrays[kBinEntries], payload);
    if (layout.arrays[kSumw2].count != 0 || contents.count == 0 || kind_.is_profile) return;
    if (!cells_[kSumw2].is_empty())
      add_magnitudes(contents, payload, cells_[kSumw2]);
    else if (!magnitudes_.is_empty() || has_negative(contents, payload))
      keep_magnitudes(contents, payload);
  }

  void keep_magnitudes(const NumberArray& contents, Payload payload) {
    if (magnitudes_.is_empty()) begin_magnitudes();
    add_magnitudes(contents, payload, magnitudes_);
  }

  void begin_magnitudes() {
    magnitudes_.resize(NumberType::kDouble, layout_.arrays[kContents].count);
    magnitudes_.add_magnitudes(cells_[kContents]);
  }

  static void add_magnitudes(const NumberArray& contents, Payload payload, CellSums& sums) {
    CellSums values;
    values.set(contents, payload);
    sums.add_magnitudes(values);
  }

  HistogramClass kind_;
  StoredObject model_;
  HistogramLayout layout_;  // of the model
  std::vector<double> sums_;
  double squared_weights_ = -1;  // of a THnT
  std::array<CellSums, kNumCellArrays> cells_;
  CellSums magnitudes_;
};

}  // namespace

void move_references(StoredObject& object, const std::vector<std::size_t>& references, std::size_t key_size) {
  for (const std::size_t place : references) {
    ByteReader reader(std::span<const std::byte>(object.payload).subspan(place, sizeof(std::uint32_t)));
    ByteWriter moved;
    moved.big<std::uint32_t>(
        static_cast<std::uint32_t>(reader.big<std::uint32_t>() + key_size - object.key_size));
    std::memcpy(&object.payload[place], moved.bytes().data(), moved.size());
  }
  object.key_size = key_size;
}

std::unique_ptr<ObjectSum> begin_dense_sum(const HistogramClass& kind, StoredObject& first) {
  return std::make_unique<DenseSum>(kind, first);
}

std::unique_ptr<ObjectSum> begin_sum(const HistogramClass& kind, StoredObject& first) {
  return kind.is_sparse ? begin_sparse_sum(kind, first) : begin_dense_sum(kind, first);
}

}  // namespace skimline::io
