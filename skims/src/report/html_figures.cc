// SPDX-License-Identifier: BSD-3-Clause
#include "report/html_figures.h"

#include "base/text_table.h"
#include "report/html_text.h"
#include "report/plotted_bins.h"
#include "report/svg_figure.h"
#include "report/svg_scale.h"

#include <cmath>

namespace skimline::skims {
namespace {

constexpr std::size_t kMostBytes = 3'500'000;  // of all figures, but for the last one
constexpr std::size_t kMostRows = 100;         // of a table of numbers
constexpr std::size_t kMostDrawnBins = 10'000;

std::string name_of(const Figure& figure) {
  return figure.histogram + (figure.region.empty() ? "" : ", " + figure.region);
}

std::string number_text(double value, double variance) {
  return std::isfinite(value) ? format_number(value) + " ± " + format_number(std::sqrt(variance)) : "–";
}

// For those who cannot see the figure, and for those who want the numbers.
std::string numbers_of(const Figure& figure) {
  const histograms::Axis& axis = figure.axes.front();
  if (figure.axes.size() != 1 || static_cast<std::size_t>(axis.num_bins()) > kMostRows) return {};
  std::vector<std::string> head{"bin"};
  for (const FigureSeries& series : figure.series)
    head.push_back(series.label + (series.scale == 1 ? "" : " × " + tick_text(series.scale)));
  HtmlTable table("Numbers of " + name_of(figure) + ", with statistical errors", head);
  for (std::size_t bin = 0; bin < static_cast<std::size_t>(axis.num_bins()); ++bin) {
    std::vector<std::string> cells;
    for (const FigureSeries& series : figure.series)
      cells.push_back(number_text(series.values[bin], series.variances[bin]));
    table.add(bin_name(axis, bin), cells);
  }
  return "<details><summary>Numbers</summary>\n" + table.str() + "</details>\n";
}

std::string variations_of(const Figure& figure, const std::string& id) {
  std::string text;
  std::size_t number = 0;
  for (const SystematicFigure& systematic : systematics_of(figure)) {
    std::string names;
    for (std::size_t i = 0; i < systematic.variations.size(); ++i)
      names += (i == 0 ? "" : ", ") + html(systematic.variations[i]->variation) +
               (i % 2 == 0 ? " (red)" : " (blue, dashed)");
    text += "<figure>" + svg_of(figure, systematic, id + "-v" + std::to_string(number++)) +
            "<figcaption class=\"soft\">" + names + "</figcaption></figure>\n";
  }
  return text.empty() ? text
                      : "<details open><summary>Variations</summary>\n<div class=\"small\">\n" + text +
                            "</div></details>\n";
}

bool can_be_drawn(const Figure& figure) {
  return figure.axes.size() <= 2 && !figure.series.empty() &&
         figure.series.front().values.size() <= kMostDrawnBins;
}

std::string html_of(const Figure& figure, const std::string& id) {
  const std::string heading = "<h3>" + html(name_of(figure)) + "</h3>\n";
  if (!can_be_drawn(figure))
    return "<figure>" + heading +
           "<p>Not drawn: it has other bins in other samples, more than two axes, or too many "
           "bins.</p></figure>\n";
  return "<figure>" + heading + svg_of(figure, id) + "<figcaption>" +
         (figure.title.empty() ? "" : plain_label(figure.title)) + legend_of(figure) + "</figcaption>\n" +
         variations_of(figure, id) + numbers_of(figure) + "</figure>\n";
}

}  // namespace

std::string html_of(const Figures& figures) {
  std::string text;
  std::size_t number = 0;
  while (number < figures.size() && text.size() < kMostBytes) {
    text += html_of(figures.read(number), "figure-" + std::to_string(number));
    ++number;
  }
  if (text.empty()) return {};
  text = "<div class=\"figures\">\n" + text + "</div>\n";
  if (number < figures.size())
    text += "<p>" + counted(figures.size() - number, "more figure") +
            " would make this page too large: skimline plot draws them.</p>\n";
  return text;
}

}  // namespace skimline::skims
