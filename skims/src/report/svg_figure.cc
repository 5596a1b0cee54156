// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg_figure.h"

#include "base/text_table.h"
#include "report/html_text.h"
#include "report/plotted_bins.h"
#include "report/svg_frame.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

constexpr int kNumColours = 8;        // of the style sheet
constexpr double kLeastRange = 0.01;  // of ratios to nominal

using Doubles = std::vector<double>;

std::string list_of(const Doubles& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + exact_number(value);
  return text;
}

std::string names_list(const std::vector<std::string>& names) {
  return html(nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

const char* name_of(SeriesKind kind) {
  return kind == SeriesKind::kData ? "data" : kind == SeriesKind::kSignal ? "signal" : "background";
}

Doubles errors_of(const FigureSeries& series) {
  Doubles errors;
  for (const double variance : series.variances) errors.push_back(std::sqrt(variance));
  return errors;
}

// The class of its colour, or the colour of the config, which readers of the config have checked; of records
// that others wrote, it is a text like any other.
std::string colour_of(const Figure& figure, std::size_t series) {
  const std::string& own = figure.series[series].colour;
  const bool is_plain = std::all_of(own.begin(), own.end(), [](unsigned char letter) {
    return letter == '#' || std::isalnum(letter) != 0;
  });
  if (!own.empty() && is_plain) return own;
  if (figure.series[series].kind == SeriesKind::kData) return "var(--ink)";
  return "var(--c" + std::to_string(series % kNumColours) + ")";
}

std::string begin_of(const FigureSeries& series, const std::string& colour) {
  return "<g class=\"series " + std::string(name_of(series.kind)) + "\" style=\"--own:" + colour +
         "\" data-label=\"" + html(series.label) + "\" data-kind=\"" + name_of(series.kind) +
         "\" data-scale=\"" + exact_number(series.scale) + "\" data-histograms=\"" +
         names_list(series.histograms) + "\" data-values=\"" + list_of(series.values) + "\" data-errors=\"" +
         list_of(errors_of(series)) + "\">";
}

struct Band {
  Doubles low, high;
};

// Statistical errors and, of each systematic, its largest shifts, in quadrature.
Band band_of(const Figure& figure, const Doubles& total) {
  Doubles up(total.size()), down(total.size());
  for (const FigureSeries& series : figure.series)
    if (series.kind == SeriesKind::kBackground)
      for (std::size_t i = 0; i < total.size(); ++i) {
        up[i] += series.variances[i];
        down[i] += series.variances[i];
      }
  for (const SystematicFigure& systematic : systematics_of(figure))
    for (std::size_t i = 0; i < total.size(); ++i) {
      double highest = 0, lowest = 0;
      for (const FigureVariation* each : systematic.variations) {
        highest = std::max(highest, each->values[i] - total[i]);
        lowest = std::min(lowest, each->values[i] - total[i]);
      }
      up[i] += highest * highest;
      down[i] += lowest * lowest;
    }
  Band band;
  for (std::size_t i = 0; i < total.size(); ++i) {
    band.low.push_back(total[i] - std::sqrt(down[i]));
    band.high.push_back(total[i] + std::sqrt(up[i]));
  }
  return band;
}

// All that a scale of contents must show.
class Extent {
 public:
  void add(double value) {
    if (!std::isfinite(value)) return;
    low_ = is_empty_ ? value : std::min(low_, value);
    high_ = is_empty_ ? value : std::max(high_, value);
    if (value > 0) smallest_ = smallest_ == 0 ? value : std::min(smallest_, value);
    is_empty_ = false;
  }
  void add(const Doubles& values) {
    for (const double value : values) add(value);
  }

  SvgScale scale(bool is_log, bool has_zero) const {
    if (is_log && high_ > 0) {
      const double low = std::max(smallest_, high_ * 1e-8) / 2;
      return {low, std::max(high_ * 3, low * 10), true};
    }
    double low = has_zero ? std::min(low_, 0.0) : low_, high = has_zero ? std::max(high_, 0.0) : high_;
    const double room = high > low ? 0.06 * (high - low) : 1;
    if (low < 0 || !has_zero) low -= room;
    return {low, high + room, false};
  }

 private:
  double low_ = 0, high_ = 0, smallest_ = 0;
  bool is_empty_ = true;
};

// What differs by the rounding of sums only is equal.
double ratio_of(double varied, double nominal) {
  const double ratio = varied / nominal;
  return std::abs(ratio - 1) < 1e-9 ? 1 : ratio;
}

std::vector<std::string> category_names(const histograms::Axis& axis) {
  std::vector<std::string> names;
  if (axis.is_category())
    for (int bin = 0; bin < axis.num_bins(); ++bin)
      names.push_back(bin_name(axis, static_cast<std::size_t>(bin)));
  return names;
}

// Contents over one axis.
class SpectrumDrawing {
 public:
  SpectrumDrawing(const Figure& figure, const std::string& id)
      : figure_(figure), id_(id), edges_(edges_of(figure.axes.front())), total_(total_of(figure)) {
    if (figure.is_stack && !total_.empty()) band_ = band_of(figure, total_);
  }

  std::string draw() {
    const double height = figure_.has_ratio ? 480 : 380;
    const SvgBox main{.left = 84, .right = 624, .top = 14, .bottom = 330};
    const SvgFrame frame = frame_in(main);
    std::string text = frame.axes({.x = figure_.has_ratio ? "" : figure_.axes.front().title(),
                                   .y = figure_.value_title,
                                   .names = names(),
                                   .has_x_numbers = !figure_.has_ratio});
    text += series(frame);
    if (figure_.has_ratio) text += ratio();
    return svg_element(
        {.id = id_, .width = 652, .height = height, .title = title(), .description = description()}, text);
  }

 private:
  std::vector<std::string> names() const { return category_names(figure_.axes.front()); }

  std::string title() const {
    return plain_label(figure_.title.empty() ? figure_.histogram : figure_.title) +
           (figure_.region.empty() ? "" : ", region " + html(figure_.region));
  }

  std::string description() const {
    std::string text = figure_.is_stack ? "Stack of " : figure_.is_profile ? "Means of " : "Contents of ";
    for (std::size_t i = 0; i < figure_.series.size(); ++i)
      text += (i == 0 ? "" : ", ") + html(figure_.series[i].label);
    return text + " in " + std::to_string(edges_.size() - 1) + " bins from " + tick_text(edges_.front()) +
           " to " + tick_text(edges_.back()) + ". The numbers are in the table below.";
  }

  SvgFrame frame_in(const SvgBox& box) const {
    Extent extent;
    const bool has_stack = figure_.is_stack && !total_.empty();
    for (const FigureSeries& series : figure_.series) {
      if (has_stack && series.kind == SeriesKind::kBackground) {
        if (figure_.log_y) extent.add(series.values);
        continue;
      }
      const Doubles errors = errors_of(series);
      for (std::size_t i = 0; i < series.values.size(); ++i) {
        extent.add(series.values[i]);
        extent.add(series.values[i] + errors[i]);
        if (!figure_.log_y) extent.add(series.values[i] - errors[i]);
      }
    }
    extent.add(total_);
    if (has_stack) {
      for (const Doubles& top : tops_of_layers()) extent.add(top);
      extent.add(band_.high);
      if (!figure_.log_y) extent.add(band_.low);
    }
    return {box,
            {edges_.front(), edges_.back(), figure_.log_x},
            extent.scale(figure_.log_y, !figure_.is_profile)};
  }

  // Backgrounds from the top of the stack to its foot, each in front of what is above it.
  std::string series(const SvgFrame& frame) const {
    std::string text;
    if (figure_.is_stack) text += stack(frame);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      const FigureSeries& series = figure_.series[i];
      if (figure_.is_stack && series.kind == SeriesKind::kBackground) continue;
      const Doubles errors = errors_of(series);
      const bool has_points = series.kind == SeriesKind::kData || figure_.is_profile;
      text += begin_of(series, colour_of(figure_, i));
      if (!has_points) text += frame.steps(edges_, series.values, "line");
      text += frame.errors(edges_, series.values, errors, has_points);
      text += "</g>\n";
    }
    return text;
  }

  // Of the backgrounds, each with what is below it; with negative contents not the highest comes last.
  std::vector<Doubles> tops_of_layers() const {
    Doubles height(total_.size());
    std::vector<Doubles> tops;
    for (const FigureSeries& series : figure_.series) {
      if (series.kind != SeriesKind::kBackground) continue;
      for (std::size_t bin = 0; bin < height.size(); ++bin) height[bin] += series.values[bin];
      tops.push_back(height);
    }
    return tops;
  }

  std::string stack(const SvgFrame& frame) const {
    const std::vector<Doubles> tops = tops_of_layers();
    std::vector<std::string> layers;
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      const FigureSeries& series = figure_.series[i];
      if (series.kind != SeriesKind::kBackground) continue;
      layers.push_back(begin_of(series, colour_of(figure_, i)) +
                       frame.area(edges_, tops[layers.size()], "layer") + "</g>\n");
    }
    std::string text;
    for (std::size_t i = layers.size(); i-- > 0;) text += layers[i];
    if (total_.empty()) return text;
    return text + "<g class=\"total\" data-values=\"" + list_of(total_) + "\" data-low=\"" +
           list_of(band_.low) + "\" data-high=\"" + list_of(band_.high) + "\">" +
           frame.band(edges_, band_.low, band_.high) + "</g>\n";
  }

  static Doubles divided(const Doubles& values, const Doubles& by) {
    Doubles ratios;
    for (std::size_t i = 0; i < values.size(); ++i) ratios.push_back(values[i] / by[i]);
    return ratios;
  }

  std::string ratio() const {
    const SvgFrame frame({.left = 84, .right = 624, .top = 344, .bottom = 430},
                         {edges_.front(), edges_.back(), figure_.log_x}, {0.5, 1.5, false});
    std::string text = frame.axes({.x = figure_.axes.front().title(),
                                   .y = "data / sum",
                                   .names = names(),
                                   .has_x_numbers = true,
                                   .num_y_ticks = 3});
    text += "<g class=\"total\">" +
            frame.band(edges_, divided(band_.low, total_), divided(band_.high, total_)) + "</g>\n" +
            frame.horizontal(1);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      const FigureSeries& series = figure_.series[i];
      if (series.kind != SeriesKind::kData) continue;
      const Doubles ratios = divided(series.values, total_), errors = divided(errors_of(series), total_);
      text += "<g class=\"ratio\" style=\"--own:" + colour_of(figure_, i) + "\" data-values=\"" +
              list_of(ratios) + "\">" + frame.errors(edges_, ratios, errors, true) + "</g>\n";
    }
    return text;
  }

  const Figure& figure_;
  const std::string& id_;
  Doubles edges_, total_;
  Band band_;
};

// Contents over two axes, one map for all samples together.
std::string map_of(const Figure& figure, const std::string& id) {
  const Doubles x = edges_of(figure.axes[0]), y = edges_of(figure.axes[1]);
  std::string text;
  double top = 14;
  for (const FigureSeries& series : figure.series) {
    const SvgFrame frame({.left = 84, .right = 624, .top = top + 22, .bottom = top + 312},
                         {x.front(), x.back(), false}, {y.front(), y.back(), false});
    text += begin_of(series, "var(--c0)") + frame.heading(series.label) +
            frame.map(x, y, series.values, figure.log_y) +
            frame.axes({.x = figure.axes[0].title(),
                        .y = figure.axes[1].title(),
                        .names = category_names(figure.axes[0]),
                        .y_names = category_names(figure.axes[1])}) +
            "</g>\n";
    top += 370;
  }
  const std::string title = plain_label(figure.title.empty() ? figure.histogram : figure.title);
  return svg_element({.id = id,
                      .width = 652,
                      .height = top,
                      .title = title + (figure.region.empty() ? "" : ", region " + html(figure.region)),
                      .description = "Maps of " + std::to_string(x.size() - 1) + " times " +
                                     std::to_string(y.size() - 1) + " bins, the fuller the darker."},
                     text);
}

}  // namespace

std::vector<double> total_of(const Figure& figure) {
  Doubles total;
  for (const FigureSeries& series : figure.series) {
    if (series.kind != SeriesKind::kBackground) continue;
    total.resize(series.values.size());
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += series.values[i];
  }
  return total;
}

std::vector<SystematicFigure> systematics_of(const Figure& figure) {
  std::vector<SystematicFigure> systematics;
  for (const FigureVariation& each : figure.variations) {
    auto found = std::find_if(systematics.begin(), systematics.end(), [&](const SystematicFigure& known) {
      return known.systematic == each.systematic;
    });
    if (found == systematics.end()) found = systematics.insert(found, {each.systematic, {}});
    found->variations.push_back(&each);
  }
  return systematics;
}

std::string svg_of(const Figure& figure, const std::string& id) {
  return figure.axes.size() == 2 ? map_of(figure, id) : SpectrumDrawing(figure, id).draw();
}

std::string legend_of(const Figure& figure) {
  std::string text = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const FigureSeries& series = figure.series[i];
    text += "<li><span class=\"key " + std::string(name_of(series.kind)) +
            "\" style=\"--own:" + colour_of(figure, i) + "\"></span>" + plain_label(series.label) +
            (series.scale == 1 ? "" : " × " + tick_text(series.scale)) + "</li>";
  }
  if (figure.is_stack) text += "<li><span class=\"key total\"></span>errors of the sum</li>";
  return text + "</ul>\n";
}

std::string svg_of(const Figure& figure, const SystematicFigure& systematic, const std::string& id) {
  const Doubles edges = edges_of(figure.axes.front()), total = total_of(figure);
  std::string lines;
  Extent extent;
  std::vector<Doubles> all;
  for (const FigureVariation* each : systematic.variations) {
    all.emplace_back();
    for (std::size_t i = 0; i < total.size(); ++i) all.back().push_back(ratio_of(each->values[i], total[i]));
    extent.add(all.back());
  }
  extent.add({1 - kLeastRange, 1 + kLeastRange});
  const SvgFrame frame({.left = 62, .right = 308, .top = 10, .bottom = 120},
                       {edges.front(), edges.back(), figure.log_x}, extent.scale(false, false));
  for (std::size_t i = 0; i < all.size(); ++i)
    lines += "<g class=\"variation v" + std::to_string(i % 2) + "\" data-variation=\"" +
             html(systematic.variations[i]->variation) + "\" data-histograms=\"" +
             names_list(systematic.variations[i]->histograms) + "\" data-values=\"" +
             list_of(systematic.variations[i]->values) + "\">" + frame.steps(edges, all[i], "line") +
             "</g>\n";
  const std::string axes = frame.axes({.x = figure.axes.front().title(),
                                       .y = "varied / nominal",
                                       .names = {},
                                       .has_x_numbers = !figure.axes.front().is_category(),
                                       .num_x_ticks = 4,
                                       .num_y_ticks = 3});
  return svg_element({.id = id,
                      .width = 328,
                      .height = 166,
                      .title = "Variations " + html(systematic.systematic) + " of " + html(figure.histogram),
                      .description = "The sum of all samples in each variation, over the nominal one."},
                     axes + frame.horizontal(1) + lines);
}

}  // namespace skimline::skims
