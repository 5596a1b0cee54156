// SPDX-License-Identifier: BSD-3-Clause
// Skims that cannot be put together of parts.
#pragma once

namespace skimline::skims {

struct Config;

/// Throws MarkedError if a skim is to be split.
void refuse_split_of_parts(const Config& config);

}  // namespace skimline::skims
