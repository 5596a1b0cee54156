// SPDX-License-Identifier: BSD-3-Clause
// One record of several, text by text.
#pragma once

#include "skimline/io/merge_options.h"

#include <string>

namespace skimline::skims {

/// Returns the sum of the texts of "skimline/record" objects of files that are merged, but for what the
/// histograms say. Throws Error if a text is damaged, if a sample differs in its cross section, metadata or
/// weight, or, unless `allow_overlap`, if two of them processed the same entries of the same input. The
/// result does not depend on the order of the texts, nor on what was merged before.
std::string merged_record_text(const io::TextsOfInputs& inputs, bool allow_overlap = false);

}  // namespace skimline::skims
