// SPDX-License-Identifier: BSD-3-Clause
// What a TTree holds.
#pragma once

#include "skimline/io/input_options.h"
#include "skimline/skims/inspection_report.h"

namespace skimline::skims {

/// Throws FileError.
TreeInspection inspect_tree(const io::InputLocation& location, const io::InputOptions& options);

}  // namespace skimline::skims
