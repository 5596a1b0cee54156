// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/text_plot.h"

#include "base/text_table.h"
#include "report/plotted_bins.h"

#include "skimline/framework/maths.h"
#include "skimline/framework/number_text.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <cmath>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::Histogram;

// What labels of rows take, with the line behind them.
constexpr std::size_t kMargin = 12;
constexpr std::size_t kLongestName = 24;
constexpr int kRowsPerLabel = 3;

std::string number(double value) { return significant_digits(value, 4); }

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string right(const std::string& text, std::size_t width) {
  const std::size_t taken = width_of(text);
  return std::string(width > taken ? width - taken : 0, ' ') + text;
}

std::string without_blanks_behind(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Characters for the parts of one that are filled, from none to all of it.
std::vector<std::string> bar_parts(bool has_blocks) {
  if (has_blocks) return {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  return {" ", "#"};
}

std::vector<std::string> shades(bool has_blocks) {
  if (has_blocks) return {" ", "░", "▒", "▓", "█"};
  return {" ", ".", ":", "+", "#"};
}

// From contents to the part of the height that they take.
class Scale {
 public:
  Scale(const std::vector<double>& contents, bool is_log) : is_log_(is_log) {
    for (const double content : contents)
      if (std::isfinite(content) && (!is_log || content > 0)) include(content);
    if (!has_any_) low_ = is_log ? 1 : 0, high_ = is_log ? 10 : 1;
    if (is_log) low_ = maths::pow(10.0, std::floor(maths::log10(low_)));
    if (!is_log) low_ = std::min(low_, 0.0), high_ = std::max(high_, 0.0);
    if (!(high_ > low_)) high_ = is_log ? 10 * low_ : low_ + 1;
  }

  double part_of(double content) const {
    if (!std::isfinite(content) || (is_log_ && !(content > 0))) return 0;
    const double part =
        is_log_ ? maths::log(content / low_) / maths::log(high_ / low_) : (content - low_) / (high_ - low_);
    return std::clamp(part, 0.0, 1.0);
  }
  double at(double part) const {
    return is_log_ ? low_ * maths::pow(high_ / low_, part) : low_ + (high_ - low_) * part;
  }

 private:
  void include(double content) {
    low_ = has_any_ ? std::min(low_, content) : content;
    high_ = has_any_ ? std::max(high_, content) : content;
    has_any_ = true;
  }

  bool is_log_;
  bool has_any_ = false;
  double low_ = 0, high_ = 0;
};

std::string bar_rows(const std::vector<double>& contents, const TextPlotOptions& options) {
  const Scale scale(contents, options.log_y);
  const std::vector<std::string> parts = bar_parts(options.has_blocks);
  const auto rows = static_cast<int>(options.height);
  const auto steps = static_cast<double>(parts.size() - 1);
  std::string text;
  for (int row = rows - 1; row >= 0; --row) {
    const bool is_labelled = row == rows - 1 || row % kRowsPerLabel == kRowsPerLabel - 1;
    std::string line = right(is_labelled ? number(scale.at((row + 1.0) / rows)) : "", kMargin - 2) + " |";
    for (const double content : contents) {
      const double filled = std::clamp(scale.part_of(content) * rows - row, 0.0, 1.0);
      line += parts[static_cast<std::size_t>(std::lround(filled * steps))];
    }
    text += without_blanks_behind(line);
  }
  return text;
}

std::string short_name(const std::string& name, std::size_t longest = kLongestName) {
  std::string text = shown(name);
  std::size_t end = text.size();
  while (width_of(text.substr(0, end)) > longest) --end;
  while (end < text.size() && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// What bins that share a column or a row of a map are told by.
std::string bins_together(const Axis& axis, std::size_t places, const char* place) {
  const auto bins = static_cast<std::size_t>(axis.num_bins());
  const std::size_t together = places == 0 ? 0 : (bins + places - 1) / places;
  return together > 1 ? " (" + std::to_string(together) + " in a " + place + ")" : "";
}

// The name of a category has no room below one character: they follow each other in a line.
std::string names_to_the_right(const Axis& axis, std::size_t columns) {
  constexpr std::size_t kMostNames = 40;
  const auto bins = static_cast<std::size_t>(axis.num_bins());
  std::string text = "  to the right: ";
  for (std::size_t bin = 0; bin < std::min(bins, kMostNames); ++bin)
    text += (bin == 0 ? "" : ", ") + short_name(bin_name(axis, bin));
  if (bins > kMostNames) text += " and " + std::to_string(bins - kMostNames) + " more";
  return text + bins_together(axis, columns, "column") + "\n";
}

// The line below columns with these edges, and the numbers and the title below it.
std::string horizontal_axis(const std::vector<double>& edges, const Axis& axis) {
  constexpr std::size_t kLabels = 6;
  const std::size_t width = edges.size() - 1;
  std::string numbers(width + kMargin, ' ');
  const std::size_t step = std::max<std::size_t>(width / kLabels, 10);
  for (std::size_t column = 0; column <= width; column += step)
    numbers.replace(column, std::min(numbers.size() - column, number(edges[column]).size()),
                    number(edges[column]));
  std::string text = std::string(kMargin - 1, ' ') + "+" + std::string(width, '-') + "\n";
  text += axis.is_category() ? names_to_the_right(axis, width)
                             : without_blanks_behind(std::string(kMargin, ' ') + numbers);
  if (const std::string title = shown(axis.title()); !title.empty())
    text += right(title, std::max(kMargin + width, width_of(title))) + "\n";
  return text;
}

std::size_t columns_in(const TextPlotOptions& options) {
  return std::max<std::size_t>(options.width, kMargin + 10) - kMargin;
}

std::string bars(const Histogram& histogram, const TextPlotOptions& options) {
  const PlottedBins bins(histogram, columns_in(options), options.log_x);
  return bar_rows(bins.contents(), options) + horizontal_axis(bins.edges(), histogram.axes[0]);
}

// A line for each category.
std::string category_bars(const Histogram& histogram, const TextPlotOptions& options) {
  const std::vector<double> contents = contents_in_range(histogram);
  const Scale scale(contents, options.log_y);
  std::size_t name_width = 0;
  for (std::size_t i = 0; i < contents.size(); ++i)
    name_width = std::max(name_width, width_of(short_name(bin_name(histogram.axes[0], i))));
  const std::size_t room = std::max<std::size_t>(options.width, name_width + 24) - name_width - 14;
  std::string text;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::string name = short_name(bin_name(histogram.axes[0], i));
    const auto length =
        static_cast<std::size_t>(std::lround(scale.part_of(contents[i]) * static_cast<double>(room)));
    text += "  " + name + std::string(name_width - width_of(name), ' ') + " |";
    for (std::size_t column = 0; column < length; ++column) text += options.has_blocks ? "█" : "#";
    text += " " + number(contents[i]) + "\n";
  }
  return text;
}

// Where a row of a map begins.
std::string row_label(const Axis& axis, double edge) {
  if (!axis.is_category()) return number(edge);
  return short_name(bin_name(axis, static_cast<std::size_t>(edge)), kMargin - 2);
}

std::string map(const Histogram& histogram, const TextPlotOptions& options) {
  const PlottedMap cells(histogram, columns_in(options), options.height);
  const Scale scale(cells.contents(), options.log_y);
  const std::vector<std::string> marks = shades(options.has_blocks);
  const std::size_t width = cells.x_edges().size() - 1, height = cells.y_edges().size() - 1;
  std::string text;
  for (std::size_t row = height; row-- > 0;) {
    std::string line = right(row_label(histogram.axes[1], cells.y_edges()[row]), kMargin - 2) + " |";
    for (std::size_t column = 0; column < width; ++column) {
      const double part = scale.part_of(cells.contents()[row * width + column]);
      line += marks[static_cast<std::size_t>(std::ceil(part * static_cast<double>(marks.size() - 1)))];
    }
    text += without_blanks_behind(line);
  }
  text += horizontal_axis(cells.x_edges(), histogram.axes[0]);
  const Axis& y = histogram.axes[1];
  const std::string together = y.is_category() ? bins_together(y, height, "row") : "";
  if (const std::string title = shown(y.title()); !title.empty() || !together.empty())
    text += "  upwards:" + (title.empty() ? "" : " " + title) + together + "\n";
  return text + "  " + marks.back() + " is " + number(scale.at(1)) + "\n";
}

std::string what_is_drawn(const Histogram& histogram, const TextPlotOptions& options) {
  std::string what = histogram.value_title.empty() ? "events" : shown(histogram.value_title);
  if (has_values(histogram.storage)) what = "mean of " + what;
  const bool is_density = options.log_x && histogram.axes.size() == 1 && !histogram.axes[0].is_category() &&
                          !has_values(histogram.storage);
  return shown(histogram.name) + ": " + what + (is_density ? " per unit of x" : "") + "\n";
}

// Of one axis: what lies outside.
std::string flow_text(const Histogram& histogram) {
  if (histogram.axes.size() != 1) return {};
  std::string text;
  const std::vector<double>& contents = histogram.contents();
  if (contents.front() != 0) text += ", underflow " + number(contents.front());
  if (contents.back() != 0) text += ", overflow " + number(contents.back());
  return text;
}

std::string statistics_text(const Histogram& histogram) {
  std::string text = "  " + counted(histogram.entries, "entry", "entries");
  const HistogramSummaryOfAxis summary = summary_of(histogram, 0);
  if (summary.has_mean) text += ", mean " + number(summary.mean) + ", RMS " + number(summary.rms);
  return text + flow_text(histogram) + "\n";
}

}  // namespace

std::string text_plot(const Histogram& histogram, const TextPlotOptions& options) {
  const std::string heading = what_is_drawn(histogram, options), statistics = statistics_text(histogram);
  if (histogram.axes.size() == 1)
    return heading +
           (histogram.axes[0].is_category() ? category_bars(histogram, options) : bars(histogram, options)) +
           statistics;
  if (histogram.axes.size() == 2) return heading + map(histogram, options) + statistics;
  return heading + "  " + std::to_string(histogram.axes.size()) +
         " axes, which cannot be drawn: project it first\n" + statistics;
}

std::string sparkline(const Histogram& histogram, std::size_t width, bool has_blocks) {
  if (histogram.axes.size() != 1) return {};
  const PlottedBins bins(histogram, width, false);
  const Scale scale(bins.contents(), false);
  // One row of ASCII has no heights: the darker, the higher.
  const std::vector<std::string> parts = has_blocks ? bar_parts(true) : shades(false);
  std::string text;
  for (const double content : bins.contents())
    text += parts[static_cast<std::size_t>(
        std::lround(scale.part_of(content) * static_cast<double>(parts.size() - 1)))];
  return text;
}

}  // namespace skimline::skims
