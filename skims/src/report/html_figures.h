// SPDX-License-Identifier: BSD-3-Clause
// Figures as a part of a page, with their legends, variations and numbers.
#pragma once

#include "report/figure.h"

#include <string>

namespace skimline::skims {

/// Returns all figures, one after the other, until they take several megabytes; how many more there are is
/// said. Throws FileError.
std::string html_of(const Figures& figures);

}  // namespace skimline::skims
