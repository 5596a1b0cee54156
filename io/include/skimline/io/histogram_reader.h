// SPDX-License-Identifier: BSD-3-Clause
// Histograms of ROOT files.
#pragma once

#include "skimline/histograms/histogram.h"
#include "skimline/io/root_file.h"

#include <string_view>

namespace skimline::io {

/// Whether read_histogram() reads objects of a class: TH1, TH2 and TH3 with cells of any type, TProfile,
/// TProfile2D, TProfile3D, THnSparseT and THnT.
bool is_histogram_class(std::string_view class_name);

/// Reads a histogram as ROOT 6.40 writes it, or with its exact sums if skimline wrote it and nobody changed
/// it; if somebody did, it is damaged unless the file was opened so that changes are allowed. Of ROOT's
/// histograms,
/// - the title of an axis becomes its label, and labels of all bins, if they differ, its categories;
/// - contents without errors that are whole numbers and not negative become counts, others weighted sums
///   whose squared errors are their magnitudes; of a profile without weights the sums of squared weights are
///   its entries;
/// - the flow cells of a category axis are kept.
/// Throws FileError if the object is damaged, of another class or another version, or has so few filled bins
/// that its cells cannot be kept in memory. Thread-safe.
histograms::Histogram read_histogram(const RootFile& file, const RootKey& key);

}  // namespace skimline::io
