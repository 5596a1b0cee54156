// SPDX-License-Identifier: BSD-3-Clause
// The frame of a drawing: two scales, their axes, and what is drawn between them.
#pragma once

#include "report/svg_scale.h"

#include <cstddef>
#include <string>
#include <vector>

namespace skimline::skims {

/// An `svg` element. Title and description are HTML already.
struct SvgElement {
  std::string id;
  double width = 0, height = 0;
  std::string title, description;
};
std::string svg_element(const SvgElement& element, const std::string& content);

/// A rectangle; y grows downwards.
struct SvgBox {
  double left = 0, right = 0, top = 0, bottom = 0;
};

/// What stands at the axes. Labels may be written for ROOT.
struct SvgAxes {
  std::string x, y;
  std::vector<std::string> names{}, y_names{};  ///< of categories
  bool has_x_numbers = true;
  int num_x_ticks = 7, num_y_ticks = 6;
};

class SvgFrame {
 public:
  SvgFrame(const SvgBox& box, SvgScale x, SvgScale y)
      : box_(box), x_(x.between(box.left, box.right)), y_(y.between(box.bottom, box.top)) {}

  std::string axes(const SvgAxes& axes) const;
  /// A text above the frame.
  std::string heading(const std::string& text) const;
  /// A line along the contents of bins; where they are no numbers there is none.
  std::string steps(const std::vector<double>& edges, const std::vector<double>& values,
                    const char* kind) const;
  /// What lies between the contents and 0.
  std::string area(const std::vector<double>& edges, const std::vector<double>& values,
                   const char* kind) const;
  /// What lies between two contents.
  std::string band(const std::vector<double>& edges, const std::vector<double>& low,
                   const std::vector<double>& high) const;
  /// Errors as lines in the middle of bins, with points or without. Points outside of the frame are left out.
  std::string errors(const std::vector<double>& edges, const std::vector<double>& values,
                     const std::vector<double>& errors, bool has_points) const;
  std::string horizontal(double value) const;
  /// Bins of two axes, filled the more the larger their contents are.
  std::string map(const std::vector<double>& x_edges, const std::vector<double>& y_edges,
                  const std::vector<double>& values, bool is_log) const;

 private:
  std::string x_axis(const SvgAxes& axes) const;
  std::string y_axis(const SvgAxes& axes) const;
  std::string step_places(const std::vector<double>& edges, const std::vector<double>& values) const;
  double middle(const std::vector<double>& edges, std::size_t bin) const;

  SvgBox box_;
  SvgScale x_, y_;
};

}  // namespace skimline::skims
