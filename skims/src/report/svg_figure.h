// SPDX-License-Identifier: BSD-3-Clause
// Figures as SVG, with the numbers that are drawn as attributes.
#pragma once

#include "report/figure.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Returns the figure as an `svg` element. Each series is a group with the attributes `data-label`,
/// `data-kind`, `data-histograms`, a JSON list of names in the file, `data-values` and `data-errors`, the
/// numbers of all bins. `id` is that of the element, and makes those inside unique.
std::string svg_of(const Figure& figure, const std::string& id);

/// Returns what the series of a figure look like, as a list of HTML.
std::string legend_of(const Figure& figure);

/// The variations of one systematic.
struct SystematicFigure {
  std::string systematic;
  std::vector<const FigureVariation*> variations;
};

/// Returns the variations of a figure by systematic, in the order in which they come.
std::vector<SystematicFigure> systematics_of(const Figure& figure);

/// Returns how far the sum of all backgrounds is from nominal in these variations, as a small `svg` element.
std::string svg_of(const Figure& figure, const SystematicFigure& systematic, const std::string& id);

/// The sum of all backgrounds of a figure.
std::vector<double> total_of(const Figure& figure);

}  // namespace skimline::skims
