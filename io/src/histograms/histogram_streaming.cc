// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/histogram_streaming.h"

#include "histograms/axis_streaming.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;
using histograms::Statistics;

// TObject::kMustCleanup, which ROOT sets on histograms, and the mark of a list made for one.
constexpr std::uint32_t kHistogramBits = 0x8;
constexpr std::uint32_t kFunctionsBits = 0x10000;
// Means "choose the range when drawing".
constexpr double kNoLimit = -1111;
constexpr const char* kAxisNames[] = {"xaxis", "yaxis", "zaxis"};

void write_shorts(ByteWriter& out, std::initializer_list<std::int16_t> values) {
  for (const std::int16_t value : values) out.big<std::int16_t>(value);
}

void write_doubles(ByteWriter& out, std::initializer_list<double> values) {
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

void write_functions(ByteWriter& out) {
  write_object(out, 5, [&] {
    write_tobject(out, kFunctionsBits);
    out.root_string("");
    out.big<std::int32_t>(0);
  });
}

[[noreturn]] void throw_unfit(const Histogram& histogram, std::size_t cell, double value, const char* type) {
  throw ConfigError("histogram \"" + histogram.name + "\": cell " + std::to_string(cell) + " holds " +
                    significant_digits(value, 17) + ", which does not fit a cell of type " + type);
}

class HistogramStreamer {
 public:
  HistogramStreamer(const Histogram& histogram, NumberType cells, std::size_t key_size)
      : histogram_(histogram), statistics_(histogram.statistics), cells_(cells), pointers_(out_, key_size) {
    for (std::size_t i = 0; i < num_sums(histogram.storage); ++i)
      sums_[i] = are_all_axes_written_whole() ? histogram.sums[i] : reordered(histogram.sums[i], i);
  }

  std::vector<std::byte> stream() {
    if (is_profile())
      write_profile();
    else
      write_plain();
    return std::move(out_).take();
  }

 private:
  using Sum = histograms::CellSum;

  bool are_all_axes_written_whole() const {
    return std::all_of(histogram_.axes.begin(), histogram_.axes.end(),
                       [](const Axis& axis) { return axis.num_bins() > 0; });
  }

  std::span<const double> reordered(const std::vector<double>& values, std::size_t sum) {
    return reordered_[sum] = written_order(histogram_.axes, values);
  }

  bool is_profile() const { return has_values(histogram_.storage); }
  std::size_t num_axes() const { return histogram_.axes.size(); }

  // TH1D to TH3I.
  void write_plain() {
    write_object(out_, num_axes() == 1 ? 3 : 4, [&] {
      write_base();
      write_cells();
    });
  }

  // TH1, TH2 or TH3.
  void write_base() {
    if (num_axes() == 1) return write_th1();
    if (num_axes() == 2) {
      write_object(out_, 5, [&] {
        write_th1();
        out_.big<double>(1);  // scale factor
        write_doubles(out_, {position(1), squared(1), product(0)});
      });
    } else {
      write_object(out_, 6, [&] {
        write_th1();
        write_object(out_, 1, [] {});  // TAtt3D
        write_doubles(out_,
                      {position(1), squared(1), product(0), position(2), squared(2), product(1), product(2)});
      });
    }
  }

  void write_th1() {
    write_object(out_, 8, [&] {
      write_named(out_, object_name(), histogram_.title, kHistogramBits);
      write_drawing_attributes(out_);
      out_.big<std::int32_t>(static_cast<std::int32_t>(written_cells(histogram_.axes)));
      write_axes();
      write_shorts(out_, {0, 1000});  // offset and width of bars
      write_doubles(out_, {static_cast<double>(histogram_.entries), statistics_.weight,
                           statistics_.weight_squared, position(0), squared(0)});
      write_doubles(out_, {kNoLimit, kNoLimit, 0});  // maximum, minimum, normalisation
      write_array(out_, {});                         // contours
      write_array(out_, squares());
      out_.root_string("");  // drawing option
      write_functions(out_);
      out_.zeros(4 + 1);          // no buffer of fills
      out_.big<std::int32_t>(0);  // normal errors
      out_.big<std::int32_t>(2);  // flow cells in statistics: as the reader is set
    });
  }

  std::string object_name() const { return histogram_.name.substr(histogram_.name.rfind('/') + 1); }

  // The axis behind those of the histogram has the title of the values.
  void write_axes() {
    const Axis unused = Axis::regular(1, 0, 1);
    for (std::size_t i = 0; i < 3; ++i) {
      const bool is_used = i < num_axes();
      const std::string title = is_used           ? histogram_.axes[i].title()
                                : i == num_axes() ? histogram_.value_title
                                                  : "";
      const AxisStyle style{.title_offset = i == 1 ? 0.0F : 1.0F};
      write_axis(out_, pointers_, kAxisNames[i], title, is_used ? histogram_.axes[i] : unused, style);
    }
  }

  double position(std::size_t axis) const { return statistics_.position[axis]; }
  double squared(std::size_t axis) const { return statistics_.position_squared[axis]; }
  double product(std::size_t pair) const { return statistics_.position_product[pair]; }

  // What TH1::fSumw2 holds.
  std::span<const double> squares() const {
    if (is_profile()) return sums_[Sum::kWeightedValueSquared];
    return sums_[has_weights(histogram_.storage) ? Sum::kWeightSquared : Sum::kWeight];
  }

  void write_cells() {
    const std::span<const double> contents = sums_[is_profile() ? Sum::kWeightedValue : Sum::kWeight];
    if (is_profile() || cells_ == NumberType::kDouble) return write_array(out_, contents);
    out_.big<std::int32_t>(static_cast<std::int32_t>(contents.size()));
    if (cells_ == NumberType::kFloat) {
      check_cells(contents, "float", [](double value) {
        return !(std::abs(value) > std::numeric_limits<float>::max()) || std::isinf(value);
      });
      out_.big_array<float>(contents, [](double value) { return static_cast<float>(value); });
    } else {
      check_cells(contents, "int", [](double value) {
        return std::abs(value) <= std::numeric_limits<std::int32_t>::max() && value == std::trunc(value);
      });
      out_.big_array<std::int32_t>(contents, [](double value) { return static_cast<std::int32_t>(value); });
    }
  }

  template <typename Fits>
  void check_cells(std::span<const double> contents, const char* type, Fits&& fits) const {
    const auto unfit = std::find_if_not(contents.begin(), contents.end(), fits);
    if (unfit != contents.end())
      throw_unfit(histogram_, static_cast<std::size_t>(unfit - contents.begin()), *unfit, type);
  }

  // TProfile to TProfile3D: sums of weight and value in place of contents and squares.
  void write_profile() {
    const std::span<const double> weights = sums_[Sum::kWeight], squared_weights = sums_[Sum::kWeightSquared];
    write_object(out_, num_axes() == 1 ? 7 : 8, [&] {
      write_plain();
      write_array(out_, weights);
      out_.big<std::int32_t>(0);  // errors of the mean
      write_doubles(out_, {0, 0, statistics_.weighted_value, statistics_.weighted_value_squared});
      const bool is_weighted = !std::equal(weights.begin(), weights.end(), squared_weights.begin());
      write_array(out_, is_weighted ? squared_weights : std::span<const double>());
    });
  }

  const Histogram& histogram_;
  const Statistics& statistics_;
  NumberType cells_;
  ByteWriter out_;
  PointerWriter pointers_;
  std::array<std::span<const double>, histograms::kMaxCellSums> sums_;
  std::array<std::vector<double>, histograms::kMaxCellSums> reordered_;
};

}  // namespace

bool has_references(const Histogram& histogram) {
  return histogram.axes.size() > 3 || std::any_of(histogram.axes.begin(), histogram.axes.end(),
                                                  [](const Axis& axis) { return axis.is_category(); });
}

std::vector<std::byte> streamed_histogram(const Histogram& histogram, NumberType cells,
                                          std::size_t key_size) {
  return HistogramStreamer(histogram, cells, key_size).stream();
}

}  // namespace skimline::io
