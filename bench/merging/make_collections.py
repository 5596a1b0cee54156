# SPDX-License-Identifier: BSD-3-Clause
"""Writes the files that bench/merge merges, with ROOT.

    python make_collections.py qa FOLDER FILES       12 000 histograms as of a detector's quality assurance
    python make_collections.py small FOLDER FILES    10 000 histograms of 40 to 120 bins

The content of file number n depends on n only. In "qa", 10 500 histograms have one axis (50 to 1000 bins, 91 % of
them filled), 1 400 two (40 to 232 bins each, 46 %) and 100 three (25 to 100 bins each, 24 %), 57 million cells in all;
28 % of the histograms are weighted. In "small", half of them are.
"""

import sys
from pathlib import Path

import numpy as np
import ROOT


def filled_cells(generator, shape, fraction):
    """Contents that fall off from a peak, some cells empty, flow cells included."""
    cells = tuple(bins + 2 for bins in reversed(shape))
    contents = np.ones(cells)
    for axis, size in enumerate(cells):
        position = (np.arange(size) - generator.uniform(0.3, 0.7) * size) / (0.25 * size)
        contents *= np.exp(-0.5 * position**2).reshape([-1 if i == axis else 1 for i in range(len(cells))])
    contents = generator.poisson(1 + generator.uniform(5, 60) * contents).astype(float)
    contents[generator.random(cells) >= fraction] = 0
    return contents.ravel()


def set_cells(generator, histogram, contents, is_weighted):
    entries = contents.sum()
    if is_weighted:
        weights = generator.uniform(0.5, 1.5, contents.size)
        squares = contents * weights**2
        contents = contents * weights
        histogram.GetSumw2().Set(contents.size, squares)
    histogram.SetContent(contents)
    histogram.PutStats(np.abs(generator.normal(contents.sum(), 1, 13)))
    histogram.SetEntries(entries)


def qa_histograms():
    generator = np.random.default_rng(7)
    for number in range(10_500):
        bins = int(generator.integers(50, 1001))
        yield ROOT.TH1D(f"h1_{number}", "one;x [cm];clusters", bins, 0, 1), (bins,), 0.91
    for number in range(1_400):
        x, y = (int(bins) for bins in generator.integers(40, 233, 2))
        yield ROOT.TH2D(f"h2_{number}", "two;x [cm];y [cm]", x, 0, 1, y, 0, 1), (x, y), 0.46
    for number in range(100):
        x, y, z = (int(bins) for bins in generator.integers(25, 101, 3))
        yield ROOT.TH3D(f"h3_{number}", "three;x;y;z", x, 0, 1, y, 0, 1, z, 0, 1), (x, y, z), 0.24


def small_histograms():
    generator = np.random.default_rng(8)
    for number in range(10_000):
        bins = int(generator.integers(40, 121))
        yield ROOT.TH1D(f"s_{number}", "small;x;entries", bins, 0, 1), (bins,), 0.8


def write(kind, folder, files):
    ROOT.TH1.AddDirectory(False)
    histograms = qa_histograms if kind == "qa" else small_histograms
    weighted = np.random.default_rng(9).random(12_000) < (0.28 if kind == "qa" else 0.5)
    for number in range(files):
        generator = np.random.default_rng([11, number])
        file = ROOT.TFile(str(Path(folder) / f"{kind}_{number}.root"), "recreate")
        for index, (histogram, shape, fraction) in enumerate(histograms()):
            contents = filled_cells(generator, shape, fraction)
            set_cells(generator, histogram, contents, weighted[index])
            histogram.Write()
        file.Close()


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], int(sys.argv[3]))
