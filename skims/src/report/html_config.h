// SPDX-License-Identifier: BSD-3-Clause
// Configs as HTML, with keys, texts and numbers told apart.
#pragma once

#include <string>

namespace skimline::skims {

/// Returns JSON as the content of a `pre` element. What is no JSON is shown as it is.
std::string html_of_json(const std::string& text);

}  // namespace skimline::skims
