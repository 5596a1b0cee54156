// SPDX-License-Identifier: BSD-3-Clause
// The entries of a sample that a list of ROOT names.
#pragma once

#include "skimline/framework/plan.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Returns a function of numbers of entries, counted through `files`, that says whether they are listed. The
/// files are those of the sample, in order, but for some that may be left out. Throws ConfigError if the list
/// names an entry that a file does not have.
ExternalFunction listed_entries(const std::string& name, const Sample& sample,
                                const std::vector<io::InputFacts>& files);

}  // namespace skimline::skims
