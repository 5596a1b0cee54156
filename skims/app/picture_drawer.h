// SPDX-License-Identifier: BSD-3-Clause
// Who draws pictures: the Python package, which has the libraries for it.
#pragma once

#include <functional>
#include <string>

namespace skimline::skims {

/// Draws what a request asks for, a JSON object with the arguments of `skimline plot`, and returns the text
/// to print. Throws Error.
using DrawPictures = std::function<std::string(const std::string& request)>;

}  // namespace skimline::skims
