// SPDX-License-Identifier: BSD-3-Clause
// What the Python package does for the program: it has the libraries for it.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <functional>
#include <string>

namespace skimline::skims {

/// What came of pictures.
struct DrawnPictures {
  std::string text;     ///< to print
  bool has_all = true;  ///< whether all histograms could be read
};

/// Functions of the Python package, which are empty in the program without Python. Requests and answers are
/// JSON objects.
struct PythonPackage {
  /// Draws what a request asks for, the arguments of `skimline plot`. Throws Error.
  std::function<DrawnPictures(const std::string& request)> draw_pictures;
  /// Has the parts of a request computed by other processes, which put what they come to in a store. Returns
  /// what went wrong elsewhere, a list of texts. Throws Error, and Interrupted soon after `stop` is set.
  std::function<std::string(const std::string& request, StopFlag stop)> compute_parts;
};

}  // namespace skimline::skims
