# SPDX-License-Identifier: BSD-3-Clause
"""Axes that ROOT gave labels as they were filled have bins without: room for more. What they hold is found by label."""

import subprocess
import sys

import numpy as np
import pytest
import skimline as sk
import uproot

MAKE = """
import sys, ROOT
ROOT.TH1.AddDirectory(False)
file = ROOT.TFile(sys.argv[1], "RECREATE")
steps = ROOT.TH1D("steps", ";step", 3, 0, 3)
steps.SetCanExtend(1)
weighted = ROOT.TH1D("weighted", "", 20, 0, 20)
weighted.Sumw2()
mean = ROOT.TProfile("mean", "", 8, 0, 8)
mean.SetCanExtend(1)
plane = ROOT.TH2D("plane", "", 8, 0, 8, 2, 0, 2)
plane.SetCanExtend(1)
for number, letter in enumerate(sys.argv[2]):
    steps.Fill(letter, 1)
    weighted.Fill(letter, number + 0.5)
    mean.Fill(letter, number)
    plane.Fill(letter, number % 2 + 0.5, 2)
mixed = ROOT.TH1D("mixed", "", 4, 0, 4)
mixed.SetCanExtend(1)
mixed.Fill("a", 1)
mixed.SetBinContent(3, 5)
fixed = ROOT.TH1D("fixed", "", 4, 0, 4)
fixed.GetXaxis().SetBinLabel(4, "more")
twice = ROOT.TH1D("twice", "", 4, 0, 4)
twice.SetCanExtend(1)
for place, label in enumerate("aba"):
    twice.GetXaxis().SetBinLabel(place + 1, label)
    twice.SetBinContent(place + 1, place + 1)
for histogram in (steps, weighted, mean, plane, mixed, fixed, twice): file.WriteObject(histogram, histogram.GetName())
file.Close()
"""
FILLS = {"one": "abcda", "other": "dbeeab"}


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    for name, letters in FILLS.items():
        command = [sys.executable, "-c", MAKE, folder / f"{name}.root", letters]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    return [folder / f"{name}.root" for name in FILLS]


def by_label(path, name):
    """What uproot finds at each label."""
    histogram = uproot.open(path)[name]
    labels = {
        label.member("@fUniqueID"): str(label) for label in histogram.member("fXaxis").member("fLabels")
    }
    return {label: histogram.values()[number - 1] for number, label in labels.items()}


def named(histogram):
    return dict(zip(histogram.axes[0], histogram.values(), strict=True))


@pytest.mark.parametrize("name", ["steps", "weighted", "mean", "plane"])
def test_bins_are_found_by_label(paths, name):
    for path in paths:
        read, expected = named(sk.read_histogram(path, name)), by_label(path, name)
        assert read.keys() == expected.keys()
        for label, values in expected.items():
            np.testing.assert_array_equal(read[label], values)


@pytest.mark.parametrize("name", ["steps", "weighted", "plane"])
def test_sums_are_those_of_one_label(paths, name):
    one, other = (sk.read_histogram(path, name) for path in paths)
    parts = [by_label(path, name) for path in paths]
    for label, values in named(one + other).items():
        np.testing.assert_array_equal(values, sum(part[label] for part in parts if label in part))


@pytest.mark.parametrize("name", ["mixed", "fixed", "twice"])
def test_other_axes_keep_all_bins(paths, name):
    """Something is in a bin without a label, the bins are at places that mean something, or a label is there twice."""
    read = sk.read_histogram(paths[0], name)
    np.testing.assert_array_equal(read.values(), uproot.open(paths[0])[name].values())


def test_diff_sees_contents_at_other_labels(program, tmp_path):
    """The numbers of the bins are the same, and of other labels."""
    for name, letters in {"one": "abb", "other": "baa"}.items():
        subprocess.run(
            [sys.executable, "-c", MAKE, tmp_path / f"{name}.root", letters], check=True, timeout=300
        )
    command = [program, "diff", tmp_path / "one.root", tmp_path / "other.root"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 4, done.stderr
    assert "steps" in done.stdout


def test_other_categories_are_not_drawn_on_those_of_another(tmp_path):
    """As many, between the same edges."""
    sk.write(tmp_path / "in.root", {"kind": np.array([1, 2, 2], dtype=np.int32)})
    for name, categories in (("old", [1, 2]), ("new", [2, 3])):
        events = sk.open(tmp_path / "in.root")
        booked = events.hist("kind", categories=categories, name="h")
        sk.run([booked], histograms=tmp_path / f"{name}.root")
    pictures = sk.plot(tmp_path / "old.root", tmp_path / "new.root")
    with pytest.raises(sk.ConfigError, match="h: histograms that are drawn together have different bins"):
        pictures.save(tmp_path, ["svg"])
