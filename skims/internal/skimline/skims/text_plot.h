// SPDX-License-Identifier: BSD-3-Clause
// Histograms drawn with characters.
#pragma once

#include "skimline/histograms/histogram.h"

#include <cstddef>
#include <string>

namespace skimline::skims {

struct TextPlotOptions {
  std::size_t width = 100;  ///< of all lines, in characters
  std::size_t height = 18;  ///< rows of bars
  bool has_blocks = true;   ///< whether eighths of characters may be drawn, which are not ASCII
  bool log_x = false;       ///< columns of equal width in log x, and contents per unit of x
  bool log_y = false;       ///< of the contents
};

/// Returns lines that show a histogram: bars over one axis, of categories one in each line, or a map of two.
/// Profiles show their means. Bins that share a column are added up, means averaged. Flow cells are told
/// below. Titles and names have gone through shown(). Histograms with more axes are only described.
std::string text_plot(const histograms::Histogram& histogram, const TextPlotOptions& options);

/// Returns one character for each of at most `width` columns: how high the contents are.
std::string sparkline(const histograms::Histogram& histogram, std::size_t width, bool has_blocks = true);

}  // namespace skimline::skims
