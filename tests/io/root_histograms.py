# SPDX-License-Identifier: BSD-3-Clause
"""Compares the file of histogram_samples.cc with histograms that ROOT fills: root_histograms.py CHECK FILE [COPY]."""

import math
import sys
from array import array
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import ROOT

NUM_FILLS = 1000
LETTERS = ["a", "b", "ü", "", "no such"]
EDGES = array("d", [0, 0.1, 0.5, 1])

ROOT.TH1.AddDirectory(False)

index = np.arange(NUM_FILLS)
x = -0.5 + 0.0625 * (index % 40)
y = -0.25 + 0.125 * (index % 13)
z = 0.25 * (index % 7)
u = 0.5 * (index % 3)
weight = 0.25 * (index % 7) - 0.5
value = 0.5 * (index % 11) - 1
number = index % 17 - 4
letter = [LETTERS[i % 5] for i in index]
ones = np.ones(NUM_FILLS)

# Arguments of constructors, by kind and number of axes.
LINE = (10, 0.0, 1.0)
STEPS = (3, EDGES)
DEPTH_EDGES = array("d", [0, 0.5, 1, 1.5])


def fill(histogram: ROOT.TObject, *columns: np.ndarray) -> ROOT.TObject:
    for row in zip(*columns, strict=True):
        histogram.Fill(*(float(number) for number in row))
    return histogram


def with_errors(histogram: ROOT.TH1, *columns: np.ndarray) -> ROOT.TH1:
    histogram.Sumw2()
    return fill(histogram, *columns)


def cube(name: str, letter: str) -> ROOT.TH3:
    """ROOT has no constructor for a variable axis between regular ones."""
    edges = array("d", [0.1 * i for i in range(10)] + [1])
    histogram = getattr(ROOT, f"TH3{letter}")(name, ";x [GeV];y;", 10, edges, 3, EDGES, 3, DEPTH_EDGES)
    histogram.GetXaxis().Set(10, 0.0, 1.0)
    histogram.GetZaxis().Set(3, 0.0, 1.5)
    return histogram


def profile_cube() -> ROOT.TProfile3D:
    edges = array("d", [0.1 * i for i in range(10)] + [1])
    histogram = ROOT.TProfile3D("three", ";x [GeV];y;", 10, edges, 3, EDGES, 3, DEPTH_EDGES)
    histogram.GetXaxis().Set(10, 0.0, 1.0)
    histogram.GetZaxis().Set(3, 0.0, 1.5)
    return histogram


def dense_histograms() -> Iterator[tuple[str, ROOT.TH1]]:
    """Path and what ROOT makes of the same fills: equal to the last byte."""
    for prefix, letter in (("", "D"), ("int/", "I")):
        th1, th2 = getattr(ROOT, f"TH1{letter}"), getattr(ROOT, f"TH2{letter}")
        yield f"{prefix}regular", with_errors(th1("regular", "a title;x [GeV];Events", *LINE), x)
        yield f"{prefix}dir/counted", with_errors(th2("counted", ";x [GeV];y;Events", *LINE, *STEPS), x, y)
        yield f"{prefix}dir/sub/counted", with_errors(cube("counted", letter), x, y, z)
    for prefix, letter in (("", "D"), ("float/", "F")):
        th1, th2 = getattr(ROOT, f"TH1{letter}"), getattr(ROOT, f"TH2{letter}")
        yield f"{prefix}weighted", with_errors(th1("weighted", ";x [GeV];Events", *LINE), x, weight)
        plane = th2("plane", "plane;x [GeV];y;weights", *LINE, *STEPS)
        yield f"{prefix}dir/plane", with_errors(plane, x, y, weight)
        yield f"{prefix}dir/sub/cube", with_errors(cube("cube", letter), x, y, z, weight)
    yield "variable", with_errors(ROOT.TH1D("variable", ";y;Events", *STEPS), y)
    yield "integers", with_errors(ROOT.TH1D("integers", ";;Events", 8, -2.0, 6.0), number)
    yield "Göße/µ", with_errors(ROOT.TH1D("µ", "über;Δφ [µm];Events", 4, 0.0, 1.0), x)
    yield "profile", fill(ROOT.TProfile("profile", ";x [GeV];mean of v", *LINE), x, value)
    profile = ROOT.TProfile("weighted", ";x [GeV];Events", *LINE)
    yield "profiles/weighted", fill(profile, x, value, weight)
    profile = ROOT.TProfile2D("two", ";x [GeV];y;Events", *LINE, *STEPS)
    yield "profiles/two", fill(profile, x, y, value, weight)
    yield "profiles/three", fill(profile_cube(), x, y, z, value, weight)


@cache
def expected_histograms() -> list[tuple[str, ROOT.TH1]]:
    """All of them, filled once: processes that come from one that has done so have them."""
    return list(dense_histograms())


def stored(path: str, key: ROOT.TKey) -> bytes:
    with Path(path).open("rb") as file:
        file.seek(key.GetSeekKey() + key.GetKeylen())
        return file.read(key.GetNbytes() - key.GetKeylen())


def statistics(histogram: ROOT.TH1) -> list[float]:
    sums = array("d", [0] * 20)
    histogram.GetStats(sums)
    return list(sums)


def check_same(name: str, found: ROOT.TH1, expected: ROOT.TH1) -> None:
    assert found.ClassName() == expected.ClassName(), name
    assert found.GetEntries() == expected.GetEntries() == NUM_FILLS, name
    assert found.GetNcells() == expected.GetNcells(), name
    assert found.GetSumw2N() == found.GetNcells(), name
    for cell in range(expected.GetNcells()):
        assert found.GetBinContent(cell) == expected.GetBinContent(cell), (name, cell)
        assert found.GetBinError(cell) == expected.GetBinError(cell), (name, cell)
    assert statistics(found) == statistics(expected), name
    for axis in range(1, found.GetDimension() + 1):
        assert found.GetMean(axis) == expected.GetMean(axis) != 0, name
        assert found.GetRMS(axis) == expected.GetRMS(axis), name
    assert found.GetTitle() == expected.GetTitle(), name
    for axis in "XYZ":
        title = getattr(expected, f"Get{axis}axis")().GetTitle()
        assert getattr(found, f"Get{axis}axis")().GetTitle() == title, (name, axis)


def check_values(path: str) -> None:
    file = ROOT.TFile(path)
    for name, expected in expected_histograms():
        check_same(name, file.Get(name), expected)


def check_bytes(path: str) -> None:
    """Whether uncompressed objects are those that ROOT streams."""
    copies = ROOT.TFile(path + ".copies.root", "RECREATE", "", 0)
    file = ROOT.TFile(path)
    for name, expected in expected_histograms():
        where = copies.mkdir(str(Path(name).parent), "", True) if "/" in name else copies
        expected.SetDirectory(ROOT.gROOT)  # as is usual, and seen in the bits of the object
        where.WriteTObject(expected, expected.GetName())
        copies.Flush()
        ours, theirs = key_of(file, name), key_of(copies, name)
        assert stored(path, ours) == stored(path + ".copies.root", theirs), name


def key_of(directory: ROOT.TDirectory, name: str) -> ROOT.TKey:
    parent, _, leaf = name.rpartition("/")
    return (directory.GetDirectory(parent) if parent else directory).GetKey(leaf)


def paths(directory: ROOT.TDirectory, prefix: str = "") -> Iterator[str]:
    for key in directory.GetListOfKeys():
        if key.GetClassName().startswith("TDirectory"):
            yield from paths(directory.GetDirectory(key.GetName()), f"{prefix}{key.GetName()}/")
        else:
            yield prefix + key.GetName()


def check_rewriting(path: str) -> None:
    """Whether ROOT streams again what it has read, in a file so large that keys are long ones."""
    file = ROOT.TFile(path, "UPDATE")
    file.SetCompressionSettings(0)
    names = list(paths(file))
    assert len(names) == 29
    for name in names:
        where = file.mkdir(str(Path("copy", name).parent), "", True)
        found = file.Get(name)
        if isinstance(found, ROOT.TH1):
            found.SetDirectory(ROOT.gROOT)
        where.WriteTObject(found, Path(name).name)
    file.Write()
    for name in names:
        ours, theirs = key_of(file, name), key_of(file, f"copy/{name}")
        assert ours.GetSeekKey() != theirs.GetSeekKey() > 2_000_000_000
        assert stored(path, ours) == stored(path, theirs), name


def sparse(name: str, axes: list[tuple[int, float, float]]) -> ROOT.THnSparse:
    bins, low, high = (
        array(kind, numbers) for kind, numbers in zip("idd", zip(*axes, strict=True), strict=True)
    )
    histogram = ROOT.THnSparseD(name, "", len(axes), bins, low, high)
    histogram.Sumw2()
    return histogram


def cells(histogram: ROOT.THnSparse) -> dict[tuple[int, ...], tuple[float, float]]:
    """Content and error by coordinates, of cells where one is not 0."""
    found = {}
    coordinates = array("i", [0] * histogram.GetNdimensions())
    # Python's 0 would be taken for a pointer to coordinates.
    content_of = histogram.GetBinContent.__overload__("Long64_t, Int_t*")
    error_of = histogram.GetBinError.__overload__("Long64_t")
    for i in range(histogram.GetNbins()):
        content, error = content_of(i, coordinates), error_of(i)
        if content != 0 or error != 0:
            found[tuple(coordinates)] = (content, error)
    return found


def sparse_fill(histogram: ROOT.THnSparse, columns: list[np.ndarray], weights: np.ndarray) -> None:
    for row in zip(*columns, weights, strict=True):
        histogram.Fill(array("d", row[:-1]), float(row[-1]))


def check_sparse(path: str) -> None:
    file = ROOT.TFile(path)
    hyper = sparse("hyper", [(10, 0, 1), (3, 0, 1), (3, 0, 1.5), (2, 0, 1)])
    hyper.GetAxis(1).Set(*STEPS)
    sparse_fill(hyper, [x, y, z, u], weight)
    found = file.Get("hyper")
    assert found.GetTitle() == "4 axes"
    assert [axis.GetTitle() for axis in found.GetListOfAxes()] == ["x [GeV]", "y", "", ""]
    assert cells(found) == cells(hyper)
    assert found.GetEntries() == NUM_FILLS
    # Projections of both: what users of ROOT look at.
    for axis in range(4):
        ours, theirs = found.Projection(axis), hyper.Projection(axis)
        assert ours.GetMean() == theirs.GetMean()
        for cell in range(theirs.GetNcells()):
            assert ours.GetBinContent(cell) == theirs.GetBinContent(cell)
            assert math.isclose(ours.GetBinError(cell), theirs.GetBinError(cell), rel_tol=1e-14)
    labelled = sparse("labelled", [(3, 0, 1), (3, 0, 1.5), (3, 0, 3), (10, 0, 1)])
    labelled.GetAxis(0).Set(*STEPS)
    positions = np.array([{"b": 0.5, "a": 1.5, "ü": 2.5}.get(name, 3.5) for name in letter])
    sparse_fill(labelled, [y, z, positions, x], ones)
    found = file.Get("labelled")
    assert cells(found) == cells(labelled)
    assert [found.GetAxis(2).GetBinLabel(bin) for bin in (1, 2, 3)] == ["b", "a", "ü"]
    # As full as a histogram that ROOT made: it can be filled on.
    found.Fill(array("d", [0.05, 0.1, 0.5, 0.05]), 2.0)
    assert found.GetEntries() == NUM_FILLS + 1


def check_labels(path: str) -> None:
    file = ROOT.TFile(path)
    names = ["b", "a", "ü"]
    for path_ in ("letters", "float/letters"):
        letters = file.Get(path_)
        assert [letters.GetXaxis().GetBinLabel(bin) for bin in (1, 2, 3)] == names
        assert letters.GetXaxis().GetTitle() == "letter"
        assert (letters.GetXaxis().GetXmin(), letters.GetXaxis().GetXmax()) == (0, 3)
        for i, name in enumerate(names):
            chosen = weight[np.array(letter) == name]
            assert letters.GetBinContent(letters.GetXaxis().FindBin(name)) == chosen.sum()
            assert letters.GetBinError(i + 1) == np.sqrt((chosen**2).sum())
        others = weight[~np.isin(letter, names)]
        assert letters.GetBinContent(4) == others.sum()
    for path_ in ("growing", "int/growing"):
        growing = file.Get(path_)
        labels = [growing.GetXaxis().GetBinLabel(bin) for bin in range(1, growing.GetNbinsX() + 1)]
        assert labels == [str(n) for n in range(-4, 13)]
        for i, n in enumerate(range(-4, 13)):
            chosen = x[number == n]
            assert growing.GetBinContent(i + 1, 4) == ((chosen >= 0.3) & (chosen < 0.4)).sum()
    grown = file.Get("grown")
    assert [grown.GetXaxis().GetBinLabel(bin) for bin in range(1, 6)] == sorted(LETTERS)
    assert all(grown.GetBinContent(bin) == NUM_FILLS / 5 for bin in range(1, 6))
    nothing = file.Get("nothing")
    assert nothing.GetEntries() == nothing.GetSumOfWeights() == 0
    # ROOT adds labelled histograms by their labels.
    other = ROOT.TH1D("other", "", 2, 0.0, 2.0)
    other.GetXaxis().SetBinLabel(1, "a")
    other.GetXaxis().SetBinLabel(2, "new")
    other.Fill("a", 1.0)
    other.Fill("new", 5.0)
    sum_ = file.Get("letters")
    before = sum_.GetBinContent(2)
    merged = ROOT.TList()
    merged.Add(other)
    sum_.Merge(merged)
    merged.Clear("nodelete")  # Python may delete the histogram before the list
    assert sum_.GetBinContent(sum_.GetXaxis().FindBin("a")) == before + 1
    assert sum_.GetBinContent(sum_.GetXaxis().FindBin("new")) == 5


def check_streamer_info(path: str) -> None:
    """Whether the layouts in the file are those that ROOT has itself."""
    file = ROOT.TFile(path)
    infos = list(file.GetStreamerInfoList())
    assert len(infos) == 33
    for info in infos:
        own = ROOT.TClass.GetClass(info.GetName())
        assert info.GetClassVersion() == own.GetClassVersion(), info.GetName()
        assert info.GetCheckSum() == own.GetCheckSum(), info.GetName()
        pairs = list(zip(info.GetElements(), own.GetStreamerInfo().GetElements(), strict=True))
        for element, expected in pairs:
            for get in ("ClassName", "GetName", "GetTitle", "GetType", "GetTypeName", "GetArrayLength"):
                assert getattr(element, get)() == getattr(expected, get)(), (
                    info.GetName(),
                    expected.GetName(),
                    get,
                )


def check_merging(path: str) -> None:
    """What hadd does: the records it does not know are left behind."""
    target = path + ".sum.root"
    merger = ROOT.TFileMerger(False)
    merger.OutputFile(target, "RECREATE")
    merger.AddFile(path, False)
    merger.AddFile(path, False)
    assert merger.Merge()
    before, after = ROOT.TFile(path), ROOT.TFile(target)
    for name, _ in expected_histograms():
        found, one = after.Get(name), before.Get(name)
        assert found.GetEntries() == 2 * NUM_FILLS, name
        if not name.startswith("profile"):
            assert found.GetBinContent(3) == 2 * one.GetBinContent(3), name
    assert {name: 2 * content for name, (content, _) in cells(before.Get("hyper")).items()} == {
        name: content for name, (content, _) in cells(after.Get("hyper")).items()
    }
    assert b"skl-sums" in Path(path).read_bytes()
    assert b"skl-sums" not in Path(target).read_bytes()


def check_updating(path: str) -> None:
    file = ROOT.TFile(path, "UPDATE")
    file.WriteObject(ROOT.TNamed("added", ""), "added")
    file.Close()
    file = ROOT.TFile(path)
    assert file.Get("weighted").GetEntries() == NUM_FILLS
    assert file.Get("added").GetName() == "added"


CHECKS: dict[str, Callable[[str], None]] = {
    "values": check_values,
    "bytes": check_bytes,
    "rewriting": check_rewriting,
    "sparse": check_sparse,
    "labels": check_labels,
    "streamer info": check_streamer_info,
    "merging": check_merging,
    "updating": check_updating,
}

if __name__ == "__main__":
    CHECKS[sys.argv[1]](sys.argv[2])
