// SPDX-License-Identifier: BSD-3-Clause
// Whether the files of a sample are those that were found before.
#pragma once

#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// What says whether files opened later are the same ones, those of friends included.
std::vector<KnownFile> known_files_of(const io::InputSource& source);

/// Throws FileError of the first file that differs from those of `known`, or is not among them; if `has_all`,
/// also of the first of these that is not there any more.
void check_known_files(const std::vector<KnownFile>& known, const std::vector<KnownFile>& found,
                       bool has_all);

}  // namespace skimline::skims
