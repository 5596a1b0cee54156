// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/histograms/histogram.h"
#include "skimline/io/root_file_writer.h"

namespace skimline::io {

/// Returns the histogram as a TH1D in version 3, byte for byte as ROOT 6.40 streams one. The title of the x
/// axis is that of its axis, the title of the y axis "Events". Errors are always stored.
RootObject th1d_object(const histograms::Histogram& histogram);

}  // namespace skimline::io
