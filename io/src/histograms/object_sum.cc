// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/object_sum.h"

#include "histograms/axis_replacement.h"
#include "histograms/dense_sums.h"
#include "histograms/many_axes.h"
#include "histograms/united_axes.h"
#include "storage/byte_writer.h"

#include <cstring>

namespace skimline::io {
namespace {

class DenseSum : public ObjectSum {
 public:
  DenseSum(const HistogramClass& kind, StoredObject& first)
      : kind_(kind), layout_(read_checked(first)), sums_(layout_, first.payload), model_(std::move(first)) {}

  void add(StoredObject& object) override {
    if (is_alike(object)) return sums_.add(layout_, object.payload);
    HistogramLayout layout = read_checked(object);
    const std::string difference = difference_of(layout_.axes, layout.axes);
    if (!difference.empty()) unite_axes(object, layout, difference);
    check_same_sums(layout_.sums, layout.sums);
    check_same_profiles(layout_.profile, layout.profile);
    sums_.add(layout, object.payload);
    const bool has_errors = keeps_errors(layout_, model_.payload);
    const bool is_better = keeps_errors(layout, object.payload) == has_errors
                               ? num_arrays(layout) > num_arrays(layout_)
                               : !has_errors;
    if (!is_better) return;
    model_ = std::move(object);
    layout_ = std::move(layout);
  }

  StoredObject take(std::size_t key_size) override {
    if (sums_.needs_room(layout_)) make_room();
    sums_.write(layout_, model_.payload);
    if (!layout_.has_opaque) move_references(model_, layout_.references, key_size);
    return std::move(model_);
  }

 private:
  HistogramLayout read_checked(const StoredObject& object) const {
    HistogramLayout layout = read_layout(kind_, object.payload, object.key_size);
    check_addable(layout);
    return layout;
  }

  // Gives the model arrays that only other objects have: a THnT without entries has none of contents.
  void make_room() {
    if (layout_.has_opaque) throw Mismatch("it holds functions or other objects, and would become longer");
    PayloadCopy copy(model_.payload, model_.key_size);
    sums_.make_room(layout_, copy);
    model_.payload = copy.finish(layout_.frames, layout_.references);
    layout_ = read_checked(model_);
  }

  // Gives the sum and the object the same axes.
  void unite_axes(StoredObject& object, HistogramLayout& layout, const std::string& difference) {
    if (kind_.is_dense_array) throw Mismatch(difference);
    const UnitedAxes united = unite(layout_.axes, layout.axes);
    if (united.changes_left) {
      model_.payload = with_axes(model_.payload, model_.key_size, layout_, united.axes);
      layout_ = read_checked(model_);
      if (!sums_.spread(united.left, layout_.num_cells())) throw nowhere(difference);
    }
    if (!difference_of(layout.axes, united.axes).empty()) move_cells(object, layout, united, difference);
  }

  void move_cells(StoredObject& object, HistogramLayout& layout, const UnitedAxes& united,
                  const std::string& difference) const {
    DenseSums numbers(layout, object.payload);
    object.payload = with_axes(object.payload, object.key_size, layout, united.axes);
    layout = read_checked(object);
    if (!numbers.spread(united.right, layout.num_cells())) throw nowhere(difference);
    numbers.write(layout, object.payload);
  }

  static Mismatch nowhere(const std::string& difference) {
    return Mismatch(
        difference +
        ", and there is something in a bin without a label, or in the underflow or overflow of an "
        "axis that goes on in the other one");
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

  HistogramClass kind_;
  HistogramLayout layout_;  // of the model
  DenseSums sums_;
  StoredObject model_;
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
