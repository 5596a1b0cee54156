// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/th1_writer.h"

#include "object_streaming.h"

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;

// TObject::kMustCleanup, which ROOT sets on histograms, and the mark of a list made for one.
constexpr std::uint32_t kHistogramBits = 0x8;
constexpr std::uint32_t kFunctionsBits = 0x10000;
// Means "choose the range when drawing".
constexpr double kNoLimit = -1111;

void write_shorts(ByteWriter& out, std::initializer_list<std::int16_t> values) {
  for (const std::int16_t value : values) out.big<std::int16_t>(value);
}

void write_array(ByteWriter& out, const std::vector<double>& values) {
  out.big<std::int32_t>(static_cast<std::int32_t>(values.size()));
  for (const double value : values) out.big<double>(value);
}

void write_drawing_attributes(ByteWriter& out) {
  write_object(out, 2, [&] { write_shorts(out, {602, 1, 1}); });  // line
  write_object(out, 2, [&] { write_shorts(out, {0, 1001}); });    // fill
  write_object(out, 3, [&] {                                      // marker
    write_shorts(out, {1, 1});
    out.big<float>(1.0F);
  });
}

void write_axis_attributes(ByteWriter& out, float title_offset) {
  write_object(out, 4, [&] {
    out.big<std::int32_t>(510);  // divisions
    write_shorts(out, {1, 1, 42});
    for (const float size : {0.005F, 0.035F, 0.03F, title_offset, 0.035F}) out.big<float>(size);
    write_shorts(out, {1, 42});
  });
}

void write_axis(ByteWriter& out, const char* name, const std::string& title, const Axis& axis,
                float title_offset) {
  write_object(out, 10, [&] {
    write_named(out, name, title, 0);
    write_axis_attributes(out, title_offset);
    out.big<std::int32_t>(axis.num_bins());
    out.big<double>(axis.low());
    out.big<double>(axis.high());
    write_array(out, axis.edges());
    out.zeros(4 + 4 + 2 + 1);  // first and last bin drawn, more bits, no time axis
    out.root_string("");       // time format
    out.zeros(4 + 4);          // no labels
  });
}

void write_axes(ByteWriter& out, const Axis& axis) {
  const Axis unused = Axis::regular(1, 0, 1);
  write_axis(out, "xaxis", axis.title(), axis, 1);
  write_axis(out, "yaxis", "Events", unused, 0);
  write_axis(out, "zaxis", "", unused, 1);
}

void write_statistics(ByteWriter& out, const Histogram& histogram) {
  out.big<double>(static_cast<double>(histogram.entries));
  out.big<double>(histogram.sum_weights);
  out.big<double>(histogram.sum_weights_squared);
  out.big<double>(histogram.sum_weights_x);
  out.big<double>(histogram.sum_weights_x_squared);
}

void write_functions(ByteWriter& out) {
  write_object(out, 5, [&] {
    write_tobject(out, kFunctionsBits);
    out.root_string("");
    out.big<std::int32_t>(0);
  });
}

void write_th1(ByteWriter& out, const Histogram& histogram) {
  write_named(out, histogram.name, histogram.title, kHistogramBits);
  write_drawing_attributes(out);
  out.big<std::int32_t>(static_cast<std::int32_t>(histogram.axis.num_cells()));
  write_axes(out, histogram.axis);
  write_shorts(out, {0, 1000});  // offset and width of bars
  write_statistics(out, histogram);
  out.big<double>(kNoLimit);  // maximum
  out.big<double>(kNoLimit);  // minimum
  out.big<double>(0);         // normalisation
  write_array(out, {});       // contours
  write_array(out, histogram.variances);
  out.root_string("");  // drawing option
  write_functions(out);
  out.zeros(4 + 1);          // no buffer of fills
  out.big<std::int32_t>(0);  // normal errors
  out.big<std::int32_t>(2);  // flow cells in statistics: as the reader is set
}

}  // namespace

RootObject th1d_object(const Histogram& histogram) {
  ByteWriter out;
  write_object(out, 3, [&] {
    write_object(out, 8, [&] { write_th1(out, histogram); });
    write_array(out, histogram.contents);
  });
  return {"TH1D", histogram.name, histogram.title, std::move(out).take()};
}

}  // namespace skimline::io
