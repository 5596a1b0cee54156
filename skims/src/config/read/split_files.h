// SPDX-License-Identifier: BSD-3-Clause
// Names of the files of a skim that is split.
#pragma once

#include "skimline/skims/config.h"

#include <cstdint>
#include <map>
#include <string>

namespace skimline::skims {

/// File `number`, from 1, of a skim of one sample, with the number in its name: "a_0001.root" for "a.root".
std::string split_path(const SkimConfig& skim, const Sample& sample, std::uint64_t number);

/// The number of the file that has this path; 0 if it can be none of the skim.
std::uint64_t number_in_split(const SkimConfig& skim, const Sample& sample, const std::string& path);

/// Those that are there, of earlier runs, by number.
std::map<std::uint64_t, std::string> existing_split_files(const SkimConfig& skim, const Sample& sample);

}  // namespace skimline::skims
