// SPDX-License-Identifier: BSD-3-Clause
// Sums of sparse histograms, by the places of their filled bins.
#include "histograms/many_axes.h"
#include "histograms/object_sum.h"
#include "histograms/sparse_layout.h"
#include "root/object_streaming.h"
#include "storage/xxh3.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace skimline::io {
namespace {

using Payload = std::span<const std::byte>;

// Numbers places, each so many bytes, in the order in which they are first met.
class PlaceNumbers {
 public:
  explicit PlaceNumbers(std::size_t place_size) : place_size_(place_size), slots_(64, kFree) {}

  std::size_t size() const { return places_.size() / place_size_; }
  Payload places() const { return places_; }

  std::uint32_t number_of(Payload place) {
    if (2 * size() >= slots_.size()) grow();
    std::uint32_t& slot = slot_of(place);
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(size());
      places_.insert(places_.end(), place.begin(), place.end());
    }
    return slot;
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  Payload place(std::uint32_t number) const {
    return Payload(places_).subspan(number * place_size_, place_size_);
  }

  std::uint32_t& slot_of(Payload wanted) {
    std::size_t slot = xxh3_64(wanted) & (slots_.size() - 1);
    while (slots_[slot] != kFree && std::memcmp(place(slots_[slot]).data(), wanted.data(), place_size_) != 0)
      slot = (slot + 1) & (slots_.size() - 1);
    return slots_[slot];
  }

  void grow() {
    slots_.assign(4 * slots_.size(), kFree);
    for (std::uint32_t number = 0; number < size(); ++number) slot_of(place(number)) = number;
  }

  std::size_t place_size_;
  std::vector<std::byte> places_;
  std::vector<std::uint32_t> slots_;
};

constexpr const char* array_class(NumberType type) {
  constexpr const char* kNames[] = {"TArrayC", "TArrayS", "TArrayI", "TArrayL64", "TArrayF", "TArrayD"};
  return kNames[static_cast<std::size_t>(type)];
}

class SparseSum : public ObjectSum {
 public:
  SparseSum(const HistogramClass& kind, StoredObject& first)
      : kind_(kind),
        model_layout_(read_sparse_layout(kind, first.payload, first.key_size)),
        numbers_(model_layout_.coordinate_size),
        sums_(model_layout_.sums.size()) {
    contents_.resize(kind_.cells, 0);
    add(model_layout_, first.payload);
    model_ = {std::vector<std::byte>(
                  first.payload.begin(),
                  first.payload.begin() + static_cast<std::ptrdiff_t>(model_layout_.filled_bins)),
              first.key_size};
    model_layout_.chunks.clear();
  }

  void add(StoredObject& object) override {
    const SparseLayout layout = read_sparse_layout(kind_, object.payload, object.key_size);
    const std::string difference = difference_of(model_layout_.axes, layout.axes);
    if (!difference.empty()) throw Mismatch(difference);
    check_same_sums(model_layout_.sums, layout.sums);
    add(layout, object.payload);
  }

  StoredObject take(std::size_t key_size) override {
    for (std::size_t i = 0; i < sums_.size(); ++i)
      write_real(model_.payload, model_layout_.sums[i], sums_[i]);
    if (!model_layout_.has_opaque) move_references(model_, model_layout_.references, key_size);
    ByteWriter out;
    out.raw(model_.payload);
    out.big<std::int64_t>(static_cast<std::int64_t>(numbers_.size()));
    write_chunks(out);
    // The byte counts of the object and of its base class, which both end here.
    for (const std::size_t place : {std::size_t{0}, std::size_t{6}})
      out.set_big<std::uint32_t>(place, kByteCountBit | static_cast<std::uint32_t>(out.size() - place - 4));
    model_.payload = std::move(out).take();
    return std::move(model_);
  }

 private:
  static bool has_errors(const SparseLayout& layout) {
    return std::any_of(layout.chunks.begin(), layout.chunks.end(),
                       [](const SparseChunk& chunk) { return chunk.sumw2.count != 0; });
  }

  void add(const SparseLayout& layout, Payload payload) {
    add_sums(layout, payload);
    has_errors_ |= has_errors(layout);
    std::vector<std::uint32_t> cells;
    for (const SparseChunk& chunk : layout.chunks) {
      number_bins(payload.subspan(chunk.coordinates.begin), chunk.num_bins, cells);
      contents_.resize(kind_.cells, numbers_.size());
      contents_.add_at(cells, chunk.contents, payload);
      add_errors(chunk, payload, cells);
    }
  }

  // A sum of squared weights that is -1 says that errors are not kept.
  void add_sums(const SparseLayout& layout, Payload payload) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const double value = read_real(payload, layout.sums[i]);
      if (i != 2)
        sums_[i] += value;
      else if (value >= 0)
        squared_weights_ = std::max(squared_weights_, 0.0) + value;
    }
    sums_[2] = squared_weights_;
  }

  void number_bins(Payload places, std::size_t count, std::vector<std::uint32_t>& cells) {
    cells.clear();
    for (std::size_t i = 0; i < count; ++i)
      cells.push_back(numbers_.number_of(
          places.subspan(i * model_layout_.coordinate_size, model_layout_.coordinate_size)));
  }

  // The magnitudes are kept as long as no object has errors: they are what the others will add to them.
  void add_errors(const SparseChunk& chunk, Payload payload, std::span<const std::uint32_t> cells) {
    errors_.resize(NumberType::kDouble, numbers_.size());
    if (chunk.sumw2.count != 0)
      errors_.add_at(cells, chunk.sumw2, payload);
    else
      errors_.add_magnitudes_at(cells, chunk.contents, payload);
  }

  void write_chunks(ByteWriter& out) {
    const std::size_t num_chunks =
        (numbers_.size() + model_layout_.chunk_size - 1) / model_layout_.chunk_size;
    write_object(out, 3, [&] {
      write_tobject(out, 0);
      out.root_string("");
      out.big<std::int32_t>(static_cast<std::int32_t>(num_chunks));
      out.big<std::int32_t>(0);  // lower bound
      for (std::size_t i = 0; i < num_chunks; ++i) write_chunk(out, i * model_layout_.chunk_size);
    });
  }

  void write_chunk(ByteWriter& out, std::size_t first) {
    const std::size_t num_bins = std::min(model_layout_.chunk_size, numbers_.size() - first);
    const std::size_t place_size = model_layout_.coordinate_size;
    write_pointer(out, "THnSparseArrayChunk", [&] {
      write_object(out, 1, [&] {
        write_tobject(out, 0);
        out.big<std::int32_t>(static_cast<std::int32_t>(place_size));
        out.big<std::int32_t>(static_cast<std::int32_t>(num_bins * place_size));
        out.big<std::uint8_t>(1);  // the coordinates are there
        out.raw(numbers_.places().subspan(first * place_size, num_bins * place_size));
        write_array(out, contents_, kind_.cells, first, num_bins);
        if (has_errors_)
          write_array(out, errors_, NumberType::kDouble, first, num_bins);
        else
          out.zeros(4);
      });
    });
  }

  // ROOT reads chunks that have room for all their bins.
  void write_array(ByteWriter& out, const CellSums& sums, NumberType type, std::size_t first,
                   std::size_t num_bins) {
    write_pointer(out, array_class(type), [&] {
      out.big<std::int32_t>(static_cast<std::int32_t>(model_layout_.chunk_size));
      const std::size_t start = out.size();
      out.zeros(model_layout_.chunk_size * size_of(type));
      sums.write(first, {type, start, num_bins}, out.mutable_bytes());
    });
  }

  // Classes are always named, though they could be references from the second time on.
  template <typename Members>
  void write_pointer(ByteWriter& out, const char* class_name, Members&& write_members) {
    write_counted(out, [&] {
      out.big<std::uint32_t>(0xFFFFFFFF);
      out.raw(std::as_bytes(std::span(class_name, std::strlen(class_name) + 1)));
      write_members();
    });
  }

  HistogramClass kind_;
  SparseLayout model_layout_;
  StoredObject model_;  // what is in front of the number of filled bins
  PlaceNumbers numbers_;
  std::vector<double> sums_;
  double squared_weights_ = -1;
  CellSums contents_, errors_;
  bool has_errors_ = false;
};

}  // namespace

std::unique_ptr<ObjectSum> begin_sparse_sum(const HistogramClass& kind, StoredObject& first) {
  return std::make_unique<SparseSum>(kind, first);
}

}  // namespace skimline::io
