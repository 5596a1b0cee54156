# SPDX-License-Identifier: BSD-3-Clause
"""ROOT files with histograms of every class, and what hadd makes of them."""

import os
import subprocess
from pathlib import Path

import numpy as np
import ROOT

HADD = Path(ROOT.__file__).parent / "bin" / "hadd"
TYPES = "CSILFD"


def hadd(output, *inputs):
    environment = os.environ | {"LD_LIBRARY_PATH": str(HADD.parent.parent / "lib")}
    command = [HADD, "-f", output, *inputs]
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=environment)


def dense(generator, kind, is_weighted):
    """TH1C to TH3D. Weights are multiples of 1/4, which floats add without rounding."""
    shapes = {1: (10, 0, 10), 2: (4, 0, 4, 3, -1, 2), 3: (3, 0, 3, 2, 0, 2, 4, -2, 2)}
    for axes, shape in shapes.items():
        histogram = getattr(ROOT, f"TH{axes}{kind}")(f"h{axes}{kind}", "title;x;y;z", *shape)
        if is_weighted:
            histogram.Sumw2()
        for position in generator.uniform(-1.5, 11, (30, axes)):
            weight = float(generator.integers(1, 9)) / 4 if kind in "FD" else 1.0
            histogram.Fill(*map(float, position), *([weight] if is_weighted else []))
        yield histogram


def profiles(generator, is_weighted):
    shapes = {
        "TProfile": (5, 0, 5),
        "TProfile2D": (3, 0, 3, 2, 0, 2),
        "TProfile3D": (2, 0, 2, 2, 0, 2, 3, 0, 3),
    }
    for axes, (name, shape) in enumerate(shapes.items(), 1):
        profile = getattr(ROOT, name)(name.lower(), "profile;x;y", *shape)
        for values in generator.uniform(-1, 6, (40, axes + 1)):
            profile.Fill(*map(float, values), float(generator.uniform(0.5, 2)) if is_weighted else 1.0)
        yield profile


def many_axes(generator, kind, is_weighted):
    bins, low, high = np.array([3, 4, 200], dtype="i"), np.zeros(3), np.array([3.0, 4.0, 5.0])
    for name in ("THnSparse", "THn"):
        histogram = getattr(ROOT, name + kind)(f"{name}{kind}", "many", 3, bins, low, high)
        if is_weighted:
            histogram.Sumw2()
        for position in generator.uniform(-1, 6, (25, 3)):
            histogram.Fill(np.array(position), 2.0 if is_weighted else 1.0)
        yield histogram


def decorated(generator):
    """What must be kept: colours, functions, labels, edges."""
    fitted = ROOT.TH1D("fitted", "fitted;x;y", 20, -3, 3)
    for value in generator.normal(0, 1, 200):
        fitted.Fill(value)
    fitted.Fit("gaus", "Q0")
    fitted.SetLineColor(ROOT.kRed)
    yield fitted
    labels = ROOT.TH2D("labels", "labels", 3, 0, 3, 2, 0, 2)
    for number, label in enumerate(("electron", "muon", "tau"), 1):
        labels.GetXaxis().SetBinLabel(number, label)
    labels.GetYaxis().SetBinLabel(1, "first")
    for x, y in generator.integers(0, 4, (30, 2)):
        labels.Fill(float(x), float(y))
    yield labels
    yield ROOT.TH1F("edges", "edges", 3, np.array([0.0, 1.0, 5.0, 20.0]))
    negative = ROOT.TH1D("negative", "negative", 4, 0, 4)
    for value in generator.integers(0, 4, 20):
        negative.SetBinContent(int(value) + 1, float(generator.normal()))
    yield negative
    # Without statistics where no fill was made, but only in some files.
    for axes, name in enumerate(("set_x", "set_xy", "set_xyz"), 1):
        histogram = getattr(ROOT, f"TH{axes}D")(name, name, *((3, -1, 2) * axes))
        for cell in range(histogram.GetNcells()):
            histogram.SetBinContent(cell, float(generator.integers(0, 9)))
        if generator.random() < 0.5:
            histogram.Fill(*([0.3] * axes))
        yield histogram


def write(path, seed, is_weighted=True, extra=()):
    """All of them; `is_weighted` says for which ones errors are kept, by class."""
    ROOT.TH1.AddDirectory(False)
    generator = np.random.default_rng(seed)
    file = ROOT.TFile(str(path), "recreate")
    folder = file.mkdir("one").mkdir("two")
    for kind in TYPES:
        for histogram in dense(generator, kind, is_weighted):
            file.WriteTObject(histogram)
            folder.WriteTObject(histogram)
        for histogram in many_axes(generator, kind, is_weighted):
            file.WriteTObject(histogram)
    for histogram in (*profiles(generator, is_weighted), *decorated(generator), *extra):
        file.WriteTObject(histogram)
    file.Close()
    return path
