// SPDX-License-Identifier: BSD-3-Clause
// In what two files differ beside histograms and events.
#pragma once

#include "skimline/io/root_file.h"

#include <functional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns a sentence for each object of a wanted name that only one file has, or whose stored bytes differ:
/// what they mean is not known. Histograms, RNTuples, TTrees and the records of runs are none of them, nor
/// are identifiers of processes, which are never alike.
std::vector<std::string> differing_objects(const io::RootFile& left, const io::RootFile& right,
                                           const std::function<bool(const std::string&)>& is_wanted);

}  // namespace skimline::skims
