// SPDX-License-Identifier: BSD-3-Clause
// Files that stand for far more than they hold.
#pragma once

#include "skimline/io/input_source.h"

#include <optional>
#include <string>

namespace skimline::skims {

/// Nothing, or that a file stands for far more values than files of experiments do: "25.0 kB for 768 MB".
std::optional<std::string> expansion_of(const io::InputFacts& facts);

}  // namespace skimline::skims
