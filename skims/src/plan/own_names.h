// SPDX-License-Identifier: BSD-3-Clause
// Names in plans that no config has given, and what is said in their place.
#pragma once

#include "skimline/skims/config.h"

#include <cstddef>
#include <string>

namespace skimline::skims {

/// A name that no definition of a config has, for something of the skim with that number.
std::string own_name(std::size_t skim, const std::string& what);

/// What the mask of a collection is called that "thin" of a skim cuts.
std::string name_of_mask(const std::string& collection);

/// The text with the masks of "thin" in place of their names.
std::string with_masks(std::string text, const Config& config);

}  // namespace skimline::skims
