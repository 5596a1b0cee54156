// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/compound_layout.h"

#include "histograms/cell_sums.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace skimline::io {
namespace {

using Kind = CompoundPart::Kind;

// Whose objects are the same wherever they were made with the same settings.
constexpr std::string_view kEqualClasses[] = {
    "TNamed",   "TObjString", "TMacro",   "TDatime",  "TGraph2D", "TCutG",          "TF1", "TF2", "TF3",
    "TFormula", "TSpline3",   "TSpline5", "TVector2", "TVector3", "TLorentzVector",
};
constexpr std::string_view kEqualTemplates[] = {"TVectorT<", "TMatrixT<", "TMatrixTSym<"};
// Nothing in them refers to anything.
constexpr std::string_view kPlainClasses[] = {"TNamed", "TObjString", "TVector2", "TVector3"};
constexpr std::string_view kLists[] = {"TList", "THashList", "TObjArray"};
constexpr int kMostNestedLists = 20;
constexpr std::uint16_t kGraphWithoutOption = 4, kGraph = 5;
constexpr std::size_t kEmptyListBytes = 4 + 2 + 10 + 1 + 4;  // of bytes that are streamed

// Of TEfficiency: how intervals are made, and whether there are weights.
constexpr std::uint32_t kEfficiencySettings = 0x1Fu << 14;

struct GraphClass {
  std::string_view name;
  std::uint16_t version;    // of the class itself; 0 for TGraph
  std::size_t num_columns;  // of errors
};
constexpr GraphClass kGraphs[] = {
    {"TGraph", 0, 0}, {"TGraphErrors", 3, 2}, {"TGraphAsymmErrors", 3, 4}, {"TGraphBentErrors", 1, 8}};

template <typename Names>
bool has_name(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

const GraphClass* graph_class(std::string_view name) {
  const auto* found = std::find_if(std::begin(kGraphs), std::end(kGraphs),
                                   [&](const GraphClass& graph) { return graph.name == name; });
  return found == std::end(kGraphs) ? nullptr : found;
}

class CompoundReader {
 public:
  CompoundReader(std::span<const std::byte> payload, std::size_t key_size)
      : cursor_(payload), key_size_(key_size) {}

  CompoundLayout read(const std::string& class_name) && {
    object(class_name, "", 0);
    if (cursor_.remaining() != 0) throw FormatError("an object with bytes left over");
    layout_.frames = cursor_.frames();
    layout_.references = cursor_.references();
    return std::move(layout_);
  }

 private:
  void object(const std::string& class_name, const std::string& path, int depth) {
    const std::size_t begin = cursor_.position();
    const std::optional<HistogramClass> kind = histogram_class(class_name);
    if (kind && !kind->is_sparse && !kind->is_dense_array) return histogram(class_name, *kind, path);
    if (const GraphClass* known = graph_class(class_name)) return graph(*known, path);
    if (class_name == "TEfficiency") return efficiency(path);
    if (has_name(kLists, class_name)) return list(class_name, path, depth);
    if (!is_equal_class(class_name)) throw Mismatch("it is a list that holds a " + class_name);
    const std::string name = class_name == "TNamed" ? ObjectCursor(cursor_).named().name : "";
    cursor_.skip_object();
    layout_.has_opaque |= !has_name(kPlainClasses, class_name);
    add(Kind::kEqual, class_name, path + name, begin);
  }

  CompoundPart& add(Kind kind, const std::string& class_name, const std::string& path, std::size_t begin) {
    return layout_.parts.emplace_back(CompoundPart{kind, class_name, path, {begin, cursor_.position()}});
  }

  void histogram(const std::string& class_name, const HistogramClass& kind, const std::string& path) {
    const std::size_t begin = cursor_.position();
    HistogramLayout histogram = read_layout(kind, cursor_, key_size_);
    layout_.has_opaque |= histogram.has_opaque;
    add(Kind::kHistogram, class_name, path + histogram.name, begin).histogram = std::move(histogram);
  }

  // One behind a pointer of a class that can only be a histogram.
  void histogram_behind_pointer(const std::string& path) {
    const ObjectCursor::Pointed pointed = cursor_.pointer(key_size_);
    if (pointed.class_name.empty()) return;
    const std::optional<HistogramClass> kind = histogram_class(pointed.class_name);
    if (!kind || kind->is_sparse || kind->is_dense_array)
      throw Mismatch("it holds a " + pointed.class_name + " instead of a histogram");
    histogram(pointed.class_name, *kind, path);
  }

  void attributes() {
    for (int i = 0; i < 3; ++i) cursor_.skip_object();
  }

  void column(GraphLayout& graph) {
    const std::size_t begin = cursor_.position();
    const bool is_there = cursor_.number<std::uint8_t>() != 0;
    if (is_there) cursor_.skip(graph.num_points * sizeof(double));
    if (!is_there && graph.num_points > 0) throw FormatError("a graph without numbers");
    graph.columns.push_back({begin, cursor_.position()});
  }

  void functions() {
    const ObjectCursor::Pointed pointed = cursor_.pointer(key_size_);
    layout_.has_opaque |= pointed.end - cursor_.position() > kEmptyListBytes;
    cursor_.skip_to(pointed.end);
  }

  // What it is drawn in.
  void frame_histogram() {
    const ObjectCursor::Pointed pointed = cursor_.pointer(key_size_);
    const std::optional<HistogramClass> kind = histogram_class(pointed.class_name);
    if (kind && !kind->is_sparse && !kind->is_dense_array)
      layout_.has_opaque |= read_layout(*kind, cursor_, key_size_).has_opaque;
    cursor_.skip_to(pointed.end);
  }

  std::string points(GraphLayout& graph) {
    const ObjectFrame frame = cursor_.begin();
    if (frame.version != kGraphWithoutOption && frame.version != kGraph)
      throw UnknownVersion("class TGraph in version " + std::to_string(frame.version));
    ObjectCursor::Named named = cursor_.named();
    graph.bits_place = named.bits_place;
    graph.bits = named.bits;
    attributes();
    graph.num_points_place = cursor_.position();
    const auto count = cursor_.number<std::int32_t>();
    if (count < 0) throw FormatError("a graph with a negative number of points");
    graph.num_points = static_cast<std::size_t>(count);
    for (int i = 0; i < 2; ++i) column(graph);
    functions();
    frame_histogram();
    cursor_.skip(2 * sizeof(double));  // limits
    if (frame.version == kGraph) cursor_.skip_text();
    cursor_.end(frame);
    return std::move(named.name);
  }

  void graph(const GraphClass& known, const std::string& path) {
    const std::size_t begin = cursor_.position();
    GraphLayout graph;
    std::string name;
    if (known.version == 0) {
      name = points(graph);
    } else {
      const std::string class_name(known.name);
      const ObjectFrame frame = cursor_.begin(class_name.c_str(), known.version);
      name = points(graph);
      for (std::size_t i = 0; i < known.num_columns; ++i) column(graph);
      cursor_.end(frame);
    }
    add(Kind::kGraph, std::string(known.name), path + name, begin).graph = std::move(graph);
  }

  void efficiency(const std::string& path) {
    const ObjectFrame frame = cursor_.begin("TEfficiency", 2);
    const ObjectCursor::Named named = cursor_.named();
    const std::string name = path + named.name + "/";
    attributes();
    const std::size_t prior = cursor_.position();
    cursor_.skip(2 * sizeof(double));
    cursor_.skip_object();  // the same by bin
    add(Kind::kEqual, "TEfficiency", name + "prior", prior);
    const std::size_t level = cursor_.position();
    cursor_.skip(sizeof(double));
    add(Kind::kEqual, "TEfficiency", name + "confidence level", level);
    const std::size_t before = cursor_.position();
    cursor_.skip_object();
    layout_.has_opaque |= cursor_.position() - before > kEmptyListBytes;
    histogram_behind_pointer(name);
    const std::size_t statistics = cursor_.position();
    cursor_.skip(4);
    add(Kind::kEqual, "TEfficiency", name + "statistics", statistics).settings =
        named.bits & kEfficiencySettings;
    histogram_behind_pointer(name);
    const std::size_t weight = cursor_.position();
    cursor_.skip(sizeof(double));
    add(Kind::kWeight, "TEfficiency", name + "weight", weight);
    cursor_.end(frame);
  }

  void list(const std::string& class_name, const std::string& path, int depth) {
    if (depth > kMostNestedLists) throw FormatError("lists that lie too deeply in each other");
    const bool is_array = class_name == "TObjArray";
    const ObjectFrame frame = cursor_.begin(class_name.c_str(), is_array ? 3 : 5);
    cursor_.object_base();
    const std::string name = cursor_.text();
    const auto count = cursor_.number<std::int32_t>();
    if (is_array) cursor_.skip(4);  // lower bound
    for (std::int32_t i = 0; i < count; ++i) {
      element(name.empty() ? path : path + name + "/", depth);
      if (!is_array) cursor_.skip_text();
    }
    cursor_.end(frame);
  }

  void element(const std::string& path, int depth) {
    if (cursor_.is_reference()) throw Mismatch("it is a list that holds an object twice");
    const ObjectCursor::Pointed pointed = cursor_.pointer(key_size_);
    if (pointed.class_name.empty()) return;
    object(pointed.class_name, path, depth + 1);
    if (cursor_.position() != pointed.end)
      throw FormatError("an element of a list that is longer than it says");
  }

  ObjectCursor cursor_;
  std::size_t key_size_;
  CompoundLayout layout_;
};

}  // namespace

bool is_compound(std::string_view class_name) {
  return graph_class(class_name) != nullptr || class_name == "TEfficiency" || has_name(kLists, class_name);
}

bool is_equal_class(std::string_view name) {
  return has_name(kEqualClasses, name) ||
         std::any_of(std::begin(kEqualTemplates), std::end(kEqualTemplates),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

CompoundLayout read_compound(const std::string& class_name, std::span<const std::byte> payload,
                             std::size_t key_size) {
  return CompoundReader(payload, key_size).read(class_name);
}

}  // namespace skimline::io
