// SPDX-License-Identifier: BSD-3-Clause
// Filled histograms of every kind. test_histograms.py and test_uhi_json.py fill the same with other
// libraries.
#pragma once

#include "skimline/histograms/histogram_set.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::sample_histograms {

using histograms::Axis;
using histograms::Histogram;
using histograms::HistogramSet;
using histograms::HistogramSpec;
using histograms::Storage;

constexpr int kNumFills = 1000;

template <typename T>
ColumnView view(const std::vector<T>& values, ScalarType scalar) {
  ColumnView column;
  column.type.scalar = scalar;
  column.length = values.size();
  column.values = values.data();
  return column;
}

// All numbers have few bits, so that sums of them are exact in any order.
struct Fills {
  std::vector<double> x, y, z, u, weight, value;
  std::vector<std::string_view> letter;
  std::vector<std::int64_t> number;

  Fills() {
    static constexpr std::array<std::string_view, 5> kLetters{"a", "b", "\u00fc", "", "no such"};
    for (int i = 0; i < kNumFills; ++i) {
      x.push_back(-0.5 + 0.0625 * (i % 40));
      y.push_back(-0.25 + 0.125 * (i % 13));
      z.push_back(0.25 * (i % 7));
      u.push_back(0.5 * (i % 3));
      weight.push_back(0.25 * (i % 7) - 0.5);
      value.push_back(0.5 * (i % 11) - 1);
      letter.push_back(kLetters[static_cast<std::size_t>(i) % kLetters.size()]);
      number.push_back(i % 17 - 4);
    }
  }
};

class Samples {
 public:
  // Columns by letter: see fill().
  void add(const std::string& name, std::vector<Axis> axes, Storage storage, const std::string& columns,
           const std::string& title = "", const std::string& value_title = "Events") {
    HistogramSpec spec;
    spec.name = name;
    spec.title = title;
    spec.axes = std::move(axes);
    spec.storage = storage;
    spec.value_title = value_title;
    fill(set_.add(std::move(spec)), columns);
  }

  std::vector<Histogram> take() const {
    std::vector<Histogram> histograms;
    for (const auto& [id, columns] : calls_) {
      std::vector<ColumnView> views;
      for (const char column : columns) views.push_back(view_of(column));
      const std::size_t ids[] = {id};
      if (!columns.empty() && set_.fill(0, ids, views)) std::abort();
    }
    return set_.reduce();
  }

 private:
  void fill(std::size_t id, const std::string& columns) { calls_.emplace_back(id, columns); }

  ColumnView view_of(char column) const {
    switch (column) {
      case 'x':
        return view(fills_.x, ScalarType::kDouble);
      case 'y':
        return view(fills_.y, ScalarType::kDouble);
      case 'z':
        return view(fills_.z, ScalarType::kDouble);
      case 'u':
        return view(fills_.u, ScalarType::kDouble);
      case 'w':
        return view(fills_.weight, ScalarType::kDouble);
      case 'v':
        return view(fills_.value, ScalarType::kDouble);
      case 'l':
        return view(fills_.letter, ScalarType::kString);
      default:
        return view(fills_.number, ScalarType::kInt64);
    }
  }

  Fills fills_;
  mutable HistogramSet set_;
  std::vector<std::pair<std::size_t, std::string>> calls_;
};

inline Axis titled(Axis axis, const std::string& label, const std::string& unit) {
  axis.label = label;
  axis.unit = unit;
  return axis;
}

inline std::vector<Histogram> filled_histograms() {
  const Axis x = titled(Axis::regular(10, 0, 1), "x", "GeV");
  const Axis edges = titled(Axis::variable({0, 0.1, 0.5, 1}), "y", "");
  const Axis z = Axis::regular(3, 0, 1.5);
  const Axis letters = titled(Axis::categories(std::vector<std::string>{"b", "a", "\u00fc"}), "letter", "");
  const Axis numbers = Axis::categories(std::vector<std::int64_t>{}, true);
  Samples samples;
  samples.add("regular", {x}, Storage::kCount, "x", "a title");
  samples.add("variable", {edges}, Storage::kCount, "y");
  samples.add("weighted", {x}, Storage::kWeighted, "xw");
  samples.add("integers", {Axis::integer(-2, 5)}, Storage::kCount, "n");
  samples.add("dir/plane", {x, edges}, Storage::kWeighted, "xyw", "plane", "weights");
  samples.add("dir/counted", {x, edges}, Storage::kCount, "xy");
  samples.add("dir/sub/cube", {x, edges, z}, Storage::kWeighted, "xyzw");
  samples.add("dir/sub/counted", {x, edges, z}, Storage::kCount, "xyz");
  samples.add("hyper", {x, edges, z, Axis::regular(2, 0, 1)}, Storage::kWeighted, "xyzuw", "4 axes");
  samples.add("labelled", {edges, z, letters, x}, Storage::kCount, "yzlx");
  samples.add("profile", {x}, Storage::kProfile, "xv", "", "mean of v");
  samples.add("profiles/weighted", {x}, Storage::kProfile, "xvw");
  samples.add("profiles/two", {x, edges}, Storage::kProfile, "xyvw");
  samples.add("profiles/three", {x, edges, z}, Storage::kProfile, "xyzvw");
  samples.add("letters", {letters}, Storage::kWeighted, "lw");
  samples.add("growing", {numbers, x}, Storage::kCount, "nx");
  samples.add("grown", {Axis::categories(std::vector<std::string>{}, true)}, Storage::kCount, "l");
  samples.add("circular", {Axis::regular(4, 0, 1, {.circular = true})}, Storage::kCount, "x");
  samples.add("no flow", {Axis::regular(4, 0, 1, {.underflow = false, .overflow = false})},
              Storage::kWeighted, "xw");
  samples.add("nothing", {Axis::categories(std::vector<std::string>{}, true), x}, Storage::kWeighted, "");
  samples.add("G\u00f6\u00dfe/\u00b5", {titled(Axis::regular(4, 0, 1), "\u0394\u03c6", "\u00b5m")},
              Storage::kCount, "x", "\u00fcber");
  return samples.take();
}

}  // namespace skimline::sample_histograms
