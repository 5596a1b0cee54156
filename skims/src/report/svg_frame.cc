// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg_frame.h"

#include "report/html_text.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>

namespace skimline::skims {
namespace {

// Names of categories that have room below their bins.
constexpr std::size_t kMostNames = 30;
constexpr double kWidthOfLetter = 6.6;

std::string place(double x, double y) { return place_text(x) + " " + place_text(y); }

std::string text_at(double x, double y, const char* kind, const std::string& content) {
  return "<text class=\"" + std::string(kind) + "\" x=\"" + place_text(x) + "\" y=\"" + place_text(y) +
         "\">" + content + "</text>";
}

std::string line_between(double x1, double y1, double x2, double y2, const char* kind) {
  return "<path class=\"" + std::string(kind) + "\" d=\"M" + place(x1, y1) + "L" + place(x2, y2) + "\"/>";
}

std::string shortened(const std::string& name, std::size_t most) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < name.size(); ++at)
    if ((name[at] & 0xC0) != 0x80 && ++letters > most) return name.substr(0, at) + "…";
  return name;
}

// Of a label as much as has room along an axis.
std::string fitting_label(const std::string& label, double length) {
  constexpr std::size_t kAlways = 24;
  return svg_label(shortened(label, std::max(kAlways, static_cast<std::size_t>(length / kWidthOfLetter))));
}

}  // namespace

std::string svg_element(const SvgElement& element, const std::string& content) {
  const std::string title = element.id + "-title", description = element.id + "-description";
  return "<svg id=\"" + element.id + "\" viewBox=\"0 0 " + place_text(element.width) + " " +
         place_text(element.height) + "\" role=\"img\" aria-labelledby=\"" + title + " " + description +
         "\">\n<title id=\"" + title + "\">" + element.title + "</title>\n<desc id=\"" + description + "\">" +
         element.description + "</desc>\n" + content + "</svg>\n";
}

std::string SvgFrame::axes(const SvgAxes& axes) const {
  return "<g class=\"axes\"><path class=\"frame\" d=\"M" + place(box_.left, box_.top) + "H" +
         place_text(box_.right) + "V" + place_text(box_.bottom) + "H" + place_text(box_.left) + "Z\"/>" +
         x_axis(axes) + y_axis(axes) + "</g>\n";
}

std::string SvgFrame::x_axis(const SvgAxes& axes) const {
  std::string text;
  const double width =
      (box_.right - box_.left) / static_cast<double>(std::max<std::size_t>(1, axes.names.size()));
  const std::size_t every = std::max<std::size_t>(1, (axes.names.size() + kMostNames - 1) / kMostNames);
  const auto letters =
      static_cast<std::size_t>(std::max(3.0, width * static_cast<double>(every) / kWidthOfLetter - 1));
  if (axes.has_x_numbers)
    for (std::size_t i = 0; i < axes.names.size(); i += every)
      text += text_at(box_.left + (static_cast<double>(i) + 0.5) * width, box_.bottom + 18, "tick",
                      html(shortened(axes.names[i], letters)));
  if (axes.names.empty())
    for (const double tick : x_.ticks(axes.num_x_ticks)) {
      text += line_between(x_.at(tick), box_.bottom, x_.at(tick), box_.bottom - 5, "mark");
      if (axes.has_x_numbers) text += text_at(x_.at(tick), box_.bottom + 18, "tick", tick_text(tick));
    }
  if (!axes.x.empty())
    text += text_at(box_.right, box_.bottom + 38, "label end", fitting_label(axes.x, box_.right - box_.left));
  return text;
}

std::string SvgFrame::y_axis(const SvgAxes& axes) const {
  std::string text;
  constexpr std::size_t kMostLetters = 8;  // beside the label
  const std::size_t every = std::max<std::size_t>(1, (axes.y_names.size() + kMostNames - 1) / kMostNames);
  for (std::size_t i = 0; i < axes.y_names.size(); i += every)
    text += text_at(box_.left - 6, y_.at(static_cast<double>(i) + 0.5) + 4, "tick end",
                    html(shortened(axes.y_names[i], kMostLetters)));
  const std::vector<double> ticks = axes.y_names.empty() ? y_.ticks(axes.num_y_ticks) : std::vector<double>();
  for (const double tick : ticks) {
    text += line_between(box_.left, y_.at(tick), box_.left + 5, y_.at(tick), "mark");
    text += text_at(box_.left - 6, y_.at(tick) + 4, "tick end", tick_text(tick));
  }
  if (axes.y.empty()) return text;
  return text + "<text class=\"label end\" transform=\"translate(" + place(16, box_.top) +
         ") rotate(-90)\">" + fitting_label(axes.y, box_.bottom - box_.top) + "</text>";
}

std::string SvgFrame::heading(const std::string& text) const {
  return text_at(box_.left, box_.top - 7, "label", plain_label(text));
}

std::string SvgFrame::step_places(const std::vector<double>& edges, const std::vector<double>& values) const {
  std::string text;
  for (std::size_t bin = 0; bin < values.size(); ++bin) {
    const double y = y_.at(std::isfinite(values[bin]) ? values[bin] : y_.low());
    text += (bin == 0 ? "M" + place(x_.at(edges[bin]), y) : "V" + place_text(y)) + "H" +
            place_text(x_.at(edges[bin + 1]));
  }
  return text;
}

std::string SvgFrame::steps(const std::vector<double>& edges, const std::vector<double>& values,
                            const char* kind) const {
  std::string text = "<path class=\"" + std::string(kind) + "\" d=\"";
  bool is_open = false;
  for (std::size_t bin = 0; bin < values.size(); ++bin) {
    const bool is_number = std::isfinite(values[bin]);
    if (is_number)
      text += (is_open ? "V" + place_text(y_.at(values[bin]))
                       : "M" + place(x_.at(edges[bin]), y_.at(values[bin]))) +
              "H" + place_text(x_.at(edges[bin + 1]));
    is_open = is_number;
  }
  return text + "\"/>";
}

std::string SvgFrame::area(const std::vector<double>& edges, const std::vector<double>& values,
                           const char* kind) const {
  const double zero = y_.is_log() ? box_.bottom : y_.at(0);
  return "<path class=\"" + std::string(kind) + "\" d=\"" + step_places(edges, values) + "V" +
         place_text(zero) + "H" + place_text(x_.at(edges.front())) + "Z\"/>";
}

std::string SvgFrame::band(const std::vector<double>& edges, const std::vector<double>& low,
                           const std::vector<double>& high) const {
  std::string text = "<path class=\"band\" d=\"";
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (!std::isfinite(low[i]) || !std::isfinite(high[i]) || low[i] == high[i]) continue;
    text += "M" + place(x_.at(edges[i]), y_.at(low[i])) + "V" + place_text(y_.at(high[i])) + "H" +
            place_text(x_.at(edges[i + 1])) + "V" + place_text(y_.at(low[i])) + "Z";
  }
  return text + "\"/>";
}

double SvgFrame::middle(const std::vector<double>& edges, std::size_t bin) const {
  return (x_.at(edges[bin]) + x_.at(edges[bin + 1])) / 2;
}

std::string SvgFrame::errors(const std::vector<double>& edges, const std::vector<double>& values,
                             const std::vector<double>& errors, bool has_points) const {
  std::string lines, points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || (values[i] == 0 && errors[i] == 0)) continue;
    const double x = middle(edges, i), low = values[i] - errors[i], high = values[i] + errors[i];
    if (errors[i] > 0 && high > y_.low() && low < y_.high())
      lines += "M" + place(x, y_.at(std::max(low, y_.low()))) + "V" + place_text(y_.at(high));
    if (has_points && values[i] >= y_.low() && values[i] <= y_.high())
      points += "<circle class=\"point\" cx=\"" + place_text(x) + "\" cy=\"" + place_text(y_.at(values[i])) +
                "\" r=\"3\"/>";
  }
  return "<path class=\"error\" d=\"" + lines + "\"/>" + points;
}

std::string SvgFrame::horizontal(double value) const {
  if (value < y_.low() || value > y_.high()) return {};
  return line_between(box_.left, y_.at(value), box_.right, y_.at(value), "guide") + "\n";
}

std::string SvgFrame::map(const std::vector<double>& x_edges, const std::vector<double>& y_edges,
                          const std::vector<double>& values, bool is_log) const {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] == 0 || largest == 0) continue;
    const std::size_t column = i % (x_edges.size() - 1), row = i / (x_edges.size() - 1);
    const double part = std::abs(values[i]) / largest;
    const double shade = is_log ? std::max(0.03, 1 + maths::log10(part) / 6) : 0.03 + 0.97 * part;
    const double left = x_.at(x_edges[column]), top = y_.at(y_edges[row + 1]);
    text += "<rect class=\"" + std::string(values[i] < 0 ? "cell negative" : "cell") + "\" x=\"" +
            place_text(left) + "\" y=\"" + place_text(top) + "\" width=\"" +
            place_text(x_.at(x_edges[column + 1]) - left) + "\" height=\"" +
            place_text(y_.at(y_edges[row]) - top) + "\" opacity=\"" +
            tick_text(std::round(shade * 100) / 100) + "\"/>";
  }
  return text;
}

}  // namespace skimline::skims
