// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/compound_sum.h"

#include "histograms/compound_layout.h"
#include "histograms/dense_sums.h"
#include "histograms/payload_copy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

using Kind = CompoundPart::Kind;
using Payload = std::span<const std::byte>;

// What has been added up of a part so far.
struct PartSum {
  std::optional<DenseSums> histogram;
  std::vector<std::vector<std::byte>> columns;  // of a graph, as they are stored
  double weight = 0;
};

constexpr std::uint32_t kIsSorted = 1u << 19;  // TGraph::kIsSortedX

// Numbers as they are stored.
bool is_rising(Payload numbers) {
  for (std::size_t place = sizeof(double); place < numbers.size(); place += sizeof(double))
    if (read_real(numbers, place - sizeof(double)) > read_real(numbers, place)) return false;
  return true;
}

void write_bits(std::span<std::byte> payload, std::size_t place, std::uint32_t bits) {
  ByteWriter out;
  out.big<std::uint32_t>(bits);
  std::memcpy(&payload[place], out.bytes().data(), out.size());
}

Payload bytes_of(Payload payload, const PayloadRange& range) {
  return payload.subspan(range.begin, range.end - range.begin);
}

bool are_equal(Payload left, Payload right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

class CompoundSum : public ObjectSum {
 public:
  CompoundSum(std::string class_name, StoredObject& first)
      : class_name_(std::move(class_name)), layout_(read(first)), model_(std::move(first)) {
    for (const CompoundPart& part : layout_.parts) begin(part, sums_.emplace_back());
  }

  void add(StoredObject& object) override {
    const CompoundLayout layout = read(object);
    check_alike(layout);
    for (std::size_t i = 0; i < layout.parts.size(); ++i) {
      try {
        add(i, layout.parts[i], object.payload);
      } catch (const Mismatch& mismatch) {
        if (layout.parts.size() == 1) throw;
        throw Mismatch("\"" + layout.parts[i].path + "\": " + mismatch.what());
      }
    }
  }

  StoredObject take(std::size_t key_size) override {
    if (needs_room()) make_room();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].histogram) sums_[i].histogram->write(layout_.parts[i].histogram, model_.payload);
      if (layout_.parts[i].kind == Kind::kWeight)
        write_real(model_.payload, layout_.parts[i].range.begin, sums_[i].weight);
      unmark_sorted(i);
    }
    if (!layout_.has_opaque) move_references(model_, layout_.references, key_size);
    return std::move(model_);
  }

 private:
  CompoundLayout read(const StoredObject& object) const {
    CompoundLayout layout = read_compound(class_name_, object.payload, object.key_size);
    for (const CompoundPart& part : layout.parts)
      if (part.kind == Kind::kHistogram) check_addable(part.histogram);
    return layout;
  }

  void begin(const CompoundPart& part, PartSum& sum) const {
    if (part.kind == Kind::kHistogram) sum.histogram.emplace(part.histogram, model_.payload);
    if (part.kind == Kind::kWeight) sum.weight = read_real(model_.payload, part.range.begin);
    sum.columns.resize(part.graph.columns.size());
    append_points(part.graph, model_.payload, sum);
  }

  static void append_points(const GraphLayout& graph, Payload payload, PartSum& sum) {
    if (graph.num_points == 0) return;
    for (std::size_t i = 0; i < graph.columns.size(); ++i) {
      const Payload points = bytes_of(payload, graph.columns[i]).subspan(1);
      sum.columns[i].insert(sum.columns[i].end(), points.begin(), points.end());
    }
  }

  void check_alike(const CompoundLayout& layout) const {
    const auto are_alike = [](const CompoundPart& a, const CompoundPart& b) {
      return a.kind == b.kind && a.class_name == b.class_name && a.path == b.path;
    };
    const auto [one, other] = std::mismatch(layout_.parts.begin(), layout_.parts.end(), layout.parts.begin(),
                                            layout.parts.end(), are_alike);
    if (one == layout_.parts.end() && other == layout.parts.end()) return;
    const auto shown = [](auto part, auto end) {
      return part == end ? std::string("no more") : "\"" + part->path + "\" (" + part->class_name + ")";
    };
    throw Mismatch("it holds " + shown(one, layout_.parts.end()) + " in one, and " +
                   shown(other, layout.parts.end()) + " in the other");
  }

  void add(std::size_t number, const CompoundPart& part, Payload payload) {
    PartSum& sum = sums_[number];
    const CompoundPart& own = layout_.parts[number];
    if (part.kind == Kind::kHistogram) {
      const std::string difference = difference_of(own.histogram.axes, part.histogram.axes);
      if (!difference.empty()) throw Mismatch(difference);
      check_same_profiles(own.histogram.profile, part.histogram.profile);
      sum.histogram->add(part.histogram, payload);
    } else if (part.kind == Kind::kWeight) {
      const double weight = read_real(payload, part.range.begin);
      sum.weight = sum.weight * weight / (sum.weight + weight);
    } else if (part.kind == Kind::kGraph) {
      append_points(part.graph, payload, sum);
    } else if (own.settings != part.settings ||
               !are_equal(bytes_of(model_.payload, own.range), bytes_of(payload, part.range))) {
      throw Mismatch("it is not the same in all files");
    }
  }

  std::size_t num_points(std::size_t number) const {
    const PartSum& sum = sums_[number];
    return sum.columns.empty() ? 0 : sum.columns.front().size() / sizeof(double);
  }

  bool needs_room() const {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const CompoundPart& part = layout_.parts[i];
      if (num_points(i) != part.graph.num_points) return true;
      if (part.kind != Kind::kHistogram) continue;
      if (sums_[i].histogram->needs_room(part.histogram)) return true;
    }
    return false;
  }

  // The first graph may be sorted, and all points together not: ROOT then interpolates between others.
  void unmark_sorted(std::size_t number) {
    const GraphLayout& graph = layout_.parts[number].graph;
    if ((graph.bits & kIsSorted) == 0 || is_rising(sums_[number].columns.front())) return;
    write_bits(model_.payload, graph.bits_place, graph.bits & ~kIsSorted);
  }

  // Gives the model all points, and arrays that only other objects have.
  void make_room() {
    if (layout_.has_opaque) throw Mismatch("it holds functions or other objects, and would become longer");
    PayloadCopy copy(model_.payload, model_.key_size);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (layout_.parts[i].kind == Kind::kGraph) insert_points(i, copy);
      if (sums_[i].histogram) sums_[i].histogram->make_room(layout_.parts[i].histogram, copy);
    }
    model_.payload = copy.finish(layout_.frames, layout_.references);
    layout_ = read(model_);
  }

  void insert_points(std::size_t number, PayloadCopy& copy) const {
    const GraphLayout& graph = layout_.parts[number].graph;
    const auto count = static_cast<std::int32_t>(num_points(number));
    copy.replace({graph.num_points_place, graph.num_points_place + sizeof count},
                 [count](ByteWriter& out, PointerWriter&) { out.big<std::int32_t>(count); });
    for (std::size_t i = 0; i < graph.columns.size(); ++i)
      copy.replace(graph.columns[i], [&column = sums_[number].columns[i]](ByteWriter& out, PointerWriter&) {
        out.big<std::uint8_t>(column.empty() ? 0 : 1);
        out.raw(column);
      });
  }

  std::string class_name_;
  CompoundLayout layout_;  // of the model
  StoredObject model_;
  std::vector<PartSum> sums_;  // by part
};

}  // namespace

std::unique_ptr<ObjectSum> begin_compound(const std::string& class_name, StoredObject& first) {
  return std::make_unique<CompoundSum>(class_name, first);
}

}  // namespace skimline::io
