# SPDX-License-Identifier: BSD-3-Clause
"""Merges of histograms without stored statistics, which ROOT computes from the cells: with those of the flow if the object says so."""

import array
import itertools
import subprocess

import pytest

ROOT = pytest.importorskip(
    "ROOT", reason="ROOT writes the histograms, and is what the sums are compared with"
)

AXES = {"regular": [4, -1.0, 3.0], "variable": [3, array.array("d", [-1, 0, 2.5, 3])]}


NUM_AXES = {"TH1D": 1, "TH2F": 2, "TH3D": 3, "TProfile": 1, "TProfile2D": 2}


def statistics(path):
    file = ROOT.TFile(str(path))
    sums = array.array("d", [0] * 15)
    file.Get("h").GetStats(sums)
    return sums


def assert_statistics_are_added(skimline, folder, histograms):
    """By a merge of files with one of them each."""
    paths = [folder / f"{number}.root" for number in range(len(histograms))]
    for path, histogram in zip(paths, histograms, strict=True):
        with ROOT.TFile(str(path), "RECREATE") as file:
            file.WriteObject(histogram, "h")
    output = folder / "merged.root"
    subprocess.run([skimline, "merge", output, *paths], check=True)
    expected = [sum(each) for each in zip(*map(statistics, paths), strict=True)]
    assert list(statistics(output)) == pytest.approx(expected)


@pytest.mark.parametrize("behaviour", ["kConsider", "kIgnore", "kNeutral"])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", NUM_AXES)
def test_statistics_of_cells(skimline, tmp_path, kind, axis, behaviour):
    histograms = []
    for number in (1, 2):
        histogram = getattr(ROOT, kind)("h", "", *(AXES[axis] * NUM_AXES[kind]))
        histogram.SetStatOverflows(getattr(ROOT.TH1.EStatOverflows, behaviour))
        for fill in range(8):
            num_values = NUM_AXES[kind] + kind.startswith("TProfile")
            histogram.Fill(*[(fill * number + place) % 7 - 2.5 for place in range(num_values)])
        histogram.PutStats(array.array("d", [0] * 15))
        histograms.append(histogram)
    assert_statistics_are_added(skimline, tmp_path, histograms)


@pytest.mark.parametrize("labels", ["", "abcd"], ids=["numbers", "labels"])
@pytest.mark.parametrize("has_errors", [False, True])
@pytest.mark.parametrize(
    "kind", ["TH1D", "TH3D"]
)  # of two axes ROOT takes negative contents for their variances
def test_statistics_of_contents_that_were_set(skimline, tmp_path, kind, has_errors, labels):
    """Negative ones have errors too, and of labels that come as they are filled the places mean nothing."""
    histograms = []
    for number in (1, 2):
        histogram = getattr(ROOT, kind)("h", "", *([4, 0.0, 4.0] * NUM_AXES[kind]))
        axes = (histogram.GetXaxis(), histogram.GetYaxis(), histogram.GetZaxis())[: NUM_AXES[kind]]
        if labels:
            histogram.SetCanExtend(ROOT.TH1.kAllAxes)
            for axis in axes:
                for place, label in enumerate(labels):
                    axis.SetBinLabel(place + 1, label)
        if has_errors:
            histogram.Sumw2()
        for place in itertools.product(range(1, 5), repeat=len(axes)):
            histogram.SetBinContent(*place, (-1.5) ** (sum(place) % 3) * number)
        histograms.append(histogram)
    assert_statistics_are_added(skimline, tmp_path, histograms)
