// SPDX-License-Identifier: BSD-3-Clause
// A config to begin with.
#pragma once

#include <string>

namespace skimline::skims {

/// Returns a commented config for the RNTuple of "file.root" or "file.root:name" (Events if there are several
/// and none is named), as text of the file `config_path`, which may not exist yet: a selection and histograms
/// of some of its columns, with ranges that suit the first entries, and a skim. Throws FileError.
std::string starter_config(const std::string& location, const std::string& config_path);

}  // namespace skimline::skims
