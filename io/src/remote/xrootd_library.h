// SPDX-License-Identifier: BSD-3-Clause
// The plug-in for XRootD, once it is wanted.
#pragma once

#include "remote/xrootd_interface.h"

#include <string>

namespace skimline::io {

/// Returns the functions of the plug-in, which it loads when it is first called: from
/// SKIMLINE_XROOTD_PLUGIN, or from beside the program or module that this code is in. Throws FileError naming
/// `name`, which says what to install, if there is none. Thread-safe.
const SkimlineXrootdFunctions& xrootd_functions(const std::string& name);

}  // namespace skimline::io
