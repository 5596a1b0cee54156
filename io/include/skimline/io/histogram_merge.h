// SPDX-License-Identifier: BSD-3-Clause
// Adds the histograms of many ROOT files into one file.
#pragma once

#include "skimline/io/merge_options.h"
#include "skimline/io/merge_summary.h"

namespace skimline::io {

/// Writes a file with the sum of each histogram over all inputs that have it, by path; of several cycles the
/// newest counts. The order is that of the first file, then that of what only later ones have.
///
/// Histograms of our own files carry exact sums: if all inputs with a histogram have them, the result is that
/// of filling it once, bit by bit. Others are added as doubles in the order of the inputs, integers exactly;
/// everything else is that of the first input that has the histogram, with errors if any input has errors.
///
/// Uses the threads of the current arena; the bytes of the output do not depend on their number. Holds a few
/// histograms per thread at a time, and the list of objects of each input. Throws ConfigError if an input is
/// given twice or is the output, or if a pattern matches nothing; FileError if an input is damaged or the
/// output cannot be written; Error if an object is no histogram, or if histograms cannot be added; and what
/// combine_texts throws. The output is complete or absent.
MergeSummary merge_histograms(const MergeOptions& options);

}  // namespace skimline::io
