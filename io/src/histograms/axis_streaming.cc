// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/axis_streaming.h"

#include <algorithm>

namespace skimline::io {
namespace {

using histograms::Axis;

// TAxis::kAlphanumeric, and that it may be set: what ROOT sets on an axis of a TH1 all of whose bins have
// labels.
constexpr std::uint16_t kLabelledBits = 0x3;

void write_style(ByteWriter& out, const AxisStyle& style) {
  write_object(out, 4, [&] {
    if (style.is_set) {
      out.big<std::int32_t>(510);  // divisions
      for (const int attribute : {1, 1, 42}) out.big<std::int16_t>(static_cast<std::int16_t>(attribute));
      for (const float size : {0.005F, 0.035F, 0.03F, style.title_offset, 0.035F}) out.big<float>(size);
    } else {
      out.zeros(4 + 3 * 2 + 4 * 4);
      out.big<float>(0.05F);  // size of the title
    }
    out.big<std::int16_t>(1);   // colour of the title
    out.big<std::int16_t>(42);  // its font
  });
}

AxisLabels labels_of(const Axis& axis) {
  AxisLabels labels;
  std::uint32_t bin = 0;
  for (const std::string& name : axis.names()) labels.emplace_back(++bin, name);
  for (const std::int64_t number : axis.numbers()) labels.emplace_back(++bin, std::to_string(number));
  return labels;
}

void write_label(ByteWriter& out, const std::string& label, std::uint32_t bin) {
  out.big<std::uint16_t>(1);
  out.big<std::uint32_t>(bin);  // unique id
  out.big<std::uint32_t>(0);    // bits
  out.root_string(label);
}

}  // namespace

void write_labels(ByteWriter& out, PointerWriter& pointers, const AxisLabels& labels) {
  if (labels.empty()) return pointers.write_null();
  pointers.write("THashList", 5, [&] {
    write_tobject(out, 0);
    out.root_string("");
    out.big<std::int32_t>(static_cast<std::int32_t>(labels.size()));
    for (const auto& label : labels) {
      pointers.write("TObjString", 1, [&] { write_label(out, label.second, label.first); });
      out.root_string("");  // the option that a list keeps with each object
    }
  });
}

void write_axis(ByteWriter& out, PointerWriter& pointers, const std::string& name, const std::string& title,
                const Axis& axis, const AxisStyle& style) {
  const AxisLabels labels = labels_of(axis);
  const bool has_bins = axis.num_bins() > 0;
  write_object(out, 10, [&] {
    write_named(out, name, title, 0);
    write_style(out, style);
    out.big<std::int32_t>(written_bins(axis));
    out.big<double>(has_bins ? axis.low() : 0);
    out.big<double>(has_bins ? axis.high() : 1);
    write_array(out, axis.edges());
    out.zeros(4 + 4);  // first and last bin drawn
    out.big<std::uint16_t>(style.is_set && !labels.empty() ? kLabelledBits : 0);
    out.zeros(1);         // no time axis
    out.root_string("");  // time format
    write_labels(out, pointers, labels);
    out.zeros(4);  // no modified labels
  });
}

int written_bins(const Axis& axis) { return std::max(axis.num_bins(), 1); }

std::size_t written_cells(std::span<const Axis> axes) {
  std::size_t cells = 1;
  for (const Axis& axis : axes) cells *= static_cast<std::size_t>(written_bins(axis)) + 2;
  return cells;
}

std::vector<double> written_order(std::span<const Axis> axes, const std::vector<double>& values) {
  std::vector<double> written(written_cells(axes));
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    std::size_t rest = cell, target = 0, stride = 1;
    for (const Axis& axis : axes) {
      std::size_t index = rest % axis.num_cells();
      rest /= axis.num_cells();
      if (index > 0 && axis.num_bins() == 0) index = 2;  // overflow
      target += stride * index;
      stride *= static_cast<std::size_t>(written_bins(axis)) + 2;
    }
    written[target] = values[cell];
  }
  return written;
}

}  // namespace skimline::io
