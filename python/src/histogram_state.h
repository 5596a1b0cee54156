// SPDX-License-Identifier: BSD-3-Clause
// Histograms as plain objects of Python, for pickles and copies.
#pragma once

#include "skimline/histograms/histogram.h"

#include <pybind11/pybind11.h>

namespace skimline::python {

/// What axis `axis` is, by names: kind, bins, edges, label and so on.
pybind11::dict facts_of(const histograms::Axis& axis);

/// Returns all of a histogram, exact sums included: numbers, texts, bytes, and tuples of these. Equal
/// histograms give equal states.
pybind11::tuple state_of(const histograms::Histogram& histogram);

/// Returns the histogram of a state. Throws Error if it is none, or that of another version of the package.
histograms::Histogram histogram_of(const pybind11::tuple& state);

}  // namespace skimline::python
