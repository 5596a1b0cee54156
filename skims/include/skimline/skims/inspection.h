// SPDX-License-Identifier: BSD-3-Clause
// Looks into a ROOT file.
#pragma once

#include "skimline/skims/inspection_report.h"

namespace skimline::skims {

/// Inspects all RNTuples and TTrees of "file.root", or one with "file.root:name". Throws FileError.
FileInspection inspect_file(const std::string& location);

}  // namespace skimline::skims
