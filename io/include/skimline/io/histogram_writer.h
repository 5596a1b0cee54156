// SPDX-License-Identifier: BSD-3-Clause
// Histograms as objects of ROOT files.
#pragma once

#include "skimline/histograms/histogram.h"
#include "skimline/io/compression.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Numbers in which the cells of histograms with up to three axes are written; errors and profiles, and
/// histograms with more axes, are always written in doubles.
enum class CellType { kDouble, kFloat, kInt };

/// How histograms are written.
struct HistogramFormat {
  CellType cells = CellType::kDouble;
  CompressionSetting compression{};
  /// Whether the order-independent sums travel along (exact_sums_record.h), where a histogram has them.
  bool has_exact_sums = true;
};

/// Returns the class of a histogram in ROOT files: TH1D to TH3I, TProfile, TProfile2D, TProfile3D or, for
/// more than three axes, THnSparseT<TArrayD>. Throws ConfigError for a profile with more than three axes.
std::string root_class(std::span<const histograms::Axis> axes, histograms::Storage storage, CellType cells);

/// Returns the histogram as an object, compressed as the format says; uncompressed, it is byte for byte what
/// ROOT 6.40 streams. Throws ConfigError naming the histogram if a cell holds what its type cannot, if there
/// is no class for it, or if the object is 1 GiB or more, which ROOT cannot read. Thread-safe.
RootObject root_object(const histograms::Histogram& histogram, const HistogramFormat& format = {});

/// Adds histograms to a file in this order, made and compressed in parallel. The bytes do not depend on the
/// number of threads. Throws what root_object() and RootFileWriter::add_object() throw.
void write_histograms(RootFileWriter& file, std::span<const histograms::Histogram> histograms,
                      const HistogramFormat& format = {});

}  // namespace skimline::io
