// SPDX-License-Identifier: BSD-3-Clause
// Histograms of files that follow the JSON schema of UHI, whichever library wrote them.
#pragma once

#include "skimline/histograms/histogram.h"

#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Returns the histograms of a JSON text by UHI's schema 1 (https://uhi.readthedocs.io), in its order: one,
/// or an object with one by each name. Sums of profiles are those that give its means and variances;
/// statistics are those of the bins' centres. There are no exact sums. Entries that are not told are the
/// contents of all cells. Throws Error saying what is wrong with the text.
std::vector<histograms::Histogram> parse_uhi_json(std::string_view text);

/// Returns the text of the record that a file of to_uhi_json() has for a sample, by the names of the
/// cutflows. Nothing if another program wrote it.
std::vector<std::string> record_texts_of(std::string_view text);

}  // namespace skimline::skims
