// SPDX-License-Identifier: BSD-3-Clause
// How long the lists of a source are, as far as that is known before they are read.
#pragma once

#include "skimline/framework/plan_outline.h"
#include "skimline/io/input_source.h"

namespace skimline::skims {

/// Returns the values that an entry of each column has in the mean of all files. The source must outlive it.
ValuesPerEntry mean_list_sizes(const io::InputSource& source);

}  // namespace skimline::skims
