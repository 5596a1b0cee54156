# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of histograms whose labels or limits differ, bin by bin against ROOT's merger."""

import itertools

import numpy as np
import pytest
import ROOT
from exit_codes import DONE, FAILED
from histogram_comparison import numbers_of
from histogram_files import hadd

ALL_AXES = ROOT.TH1.kAllAxes


def write(path, *histograms):
    file = ROOT.TFile(str(path), "recreate")
    for histogram in histograms:
        file.WriteTObject(histogram)
    file.Close()
    return path


def both(call, folder, *parts):
    """The histograms that we make of some files, and that hadd makes."""
    done = call("merge", "-f", folder / "ours.root", *parts)
    assert done.returncode == DONE, done.stderr
    hadd(folder / "theirs.root", *parts)
    files = [ROOT.TFile(str(folder / f"{name}.root")) for name in ("ours", "theirs")]
    assert not files[0].TestBit(ROOT.TFile.kRecovered)
    return files


def axes_of(histogram):
    return [histogram.GetXaxis(), histogram.GetYaxis(), histogram.GetZaxis()][: histogram.GetDimension()]


def bins_of(histogram):
    """Numbers of bins, limits and labels of each axis."""
    return [
        (
            axis.GetNbins(),
            axis.GetXmin(),
            axis.GetXmax(),
            [axis.GetBinLabel(i + 1) for i in range(axis.GetNbins())],
        )
        for axis in axes_of(histogram)
    ]


def assert_same(ours, theirs):
    assert bins_of(ours) == bins_of(theirs)
    assert numbers_of(ours) == numbers_of(theirs)


def by_label(histogram):
    """Content and error of each bin of a TH1 that is not empty."""
    axis = histogram.GetXaxis()
    return {
        axis.GetBinLabel(bin): (histogram.GetBinContent(bin), histogram.GetBinError(bin))
        for bin in range(1, axis.GetNbins() + 1)
        if histogram.GetBinContent(bin) != 0
    }


def growing(labels, name="h", kind="TH1D", bins=2, weighted=False):
    histogram = getattr(ROOT, kind)(name, "cuts;cut;events", bins, 0, bins)
    histogram.SetCanExtend(ALL_AXES)
    if weighted:
        histogram.Sumw2()
    for number, label in enumerate(labels):
        for _ in range(number + 1):
            histogram.Fill(label, 0.5 if weighted else 1.0)
    return histogram


LABELS = ["all", "trigger", "lepton", "jets", "btag", "mass"]
# And whether they have weights; integers have none of one half.
KINDS = [("TH1D", False), ("TH1D", True), ("TH1F", False), ("TH1F", True), ("TH1I", False)]


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize(
    "parts",
    [
        (LABELS[:2], LABELS[:4]),
        (LABELS[:3], LABELS[::-1]),
        (LABELS[2:], LABELS[:2], LABELS),
        (LABELS[:1], LABELS[1:2], LABELS[2:3], LABELS[3:4], LABELS[4:5]),
    ],
)
def test_labels_are_united_as_hadd_does(call, tmp_path, parts):
    names = {f"{kind}{weighted:d}": (kind, weighted) for kind, weighted in KINDS}
    paths = [
        write(
            tmp_path / f"{number}.root",
            *(
                growing(labels, name, kind=kind, weighted=weighted)
                for name, (kind, weighted) in names.items()
            ),
        )
        for number, labels in enumerate(parts)
    ]
    ours, theirs = both(call, tmp_path, *paths)
    for name in names:
        assert_same(ours.Get(name), theirs.Get(name))
        ours.Get(name).Fill("later", 1.0)


def test_bins_that_are_drawn_are_all_where_axes_were_united(call, tmp_path):
    """Which some were is of the bins of one part; ROOT would integrate and average over none."""
    paths = []
    for number, (labels, low) in enumerate([("ab", 0), ("bcd", 4)]):
        limits = ROOT.TH1D("limits", "", 4, low, low + 4)
        limits.SetCanExtend(ALL_AXES)
        for place in range(4):
            limits.Fill(low + place + 0.5, place + 1)
        histograms = [growing(labels), limits]
        for histogram in histograms:
            histogram.GetXaxis().SetRange(1, 2)
        paths.append(write(tmp_path / f"{number}.root", *histograms))
    ours, theirs = both(call, tmp_path, *paths)
    for name in ("h", "limits"):
        merged, expected = ours.Get(name), theirs.Get(name)
        assert bins_of(merged) == bins_of(expected)
        axis = merged.GetXaxis()
        assert (axis.GetFirst(), axis.GetLast()) == (1, axis.GetNbins())
        assert merged.Integral() == expected.Integral() == merged.GetSumOfWeights()


@pytest.mark.thorough
def test_random_labels(call, tmp_path):
    generator = np.random.default_rng(22)
    names = [f"h{i}" for i in range(4)]

    def random_labels():
        labels = generator.permutation([f"label {i}" for i in range(20)])[: generator.integers(1, 20)]
        return [str(label) for label in labels]

    for num_parts in (2, 3, 4):
        paths = [
            write(tmp_path / f"{number}.root", *(growing(random_labels(), name) for name in names))
            for number in range(num_parts)
        ]
        ours, theirs = both(call, tmp_path, *paths)
        for name in names:
            assert_same(ours.Get(name), theirs.Get(name))


def test_labels_of_two_axes(call, tmp_path):
    paths = []
    for number, (x, y) in enumerate([("ab", "uv"), ("bc", "wv"), ("d", "u")]):
        histogram = ROOT.TH2D("h", "", 1, 0, 1, 1, 0, 1)
        histogram.SetCanExtend(ALL_AXES)
        for one, other in itertools.product(x, y):
            histogram.Fill(one, other, 1.0 + number)
        paths.append(write(tmp_path / f"{number}.root", histogram))
    ours, theirs = both(call, tmp_path, *paths)
    assert_same(ours.Get("h"), theirs.Get("h"))


def test_labels_of_a_profile(call, tmp_path):
    paths = []
    for number, labels in enumerate(["ab", "bca", "d"]):
        profile = ROOT.TProfile("h", "", 1, 0, 1)
        profile.SetCanExtend(ALL_AXES)
        for value, label in enumerate(labels * 2):
            profile.Fill(label, float(value), 2.0 + number)
        paths.append(write(tmp_path / f"{number}.root", profile))
    ours, theirs = both(call, tmp_path, *paths)
    assert by_label(ours.Get("h")) == by_label(theirs.Get("h"))
    assert bins_of(ours.Get("h")) == bins_of(theirs.Get("h"))


def test_profiles_keep_squared_weights(call, tmp_path):
    """ROOT drops them if the first has none."""
    parts = []
    for weight in (1.0, 3.0):
        profile = ROOT.TProfile("h", "", 1, 0, 1)
        profile.SetCanExtend(ALL_AXES)
        for label in "ab":
            profile.Fill(label, weight, weight)
        parts.append(write(tmp_path / f"{weight}.root", profile))
    ours, _ = both(call, tmp_path, *parts)
    assert list(ours.Get("h").GetBinSumw2()) == [0.0, 10.0, 10.0, 0.0]


def extendable(low, high, values, name="h", kind=ROOT.TH1D):
    histogram = kind(name, "", 10, low, high)
    histogram.SetCanExtend(ROOT.TH1.kXaxis)
    for value in values:
        histogram.Fill(value)
    return histogram


@pytest.mark.parametrize(
    "values",
    [
        ((0.5, 3.0), (12.0, 3.5)),
        ((35.0,), (0.5, 9.5)),
        ((-3.0, 4.0), (95.0,), (2.0,)),
    ],
)
def test_axes_that_can_be_extended(call, tmp_path, values):
    paths = [
        write(tmp_path / f"{number}.root", extendable(0, 10, part)) for number, part in enumerate(values)
    ]
    ours, theirs = both(call, tmp_path, *paths)
    assert_same(ours.Get("h"), theirs.Get("h"))


@pytest.mark.parametrize("limits", [((0, 10), (10, 20)), ((5, 15), (0, 10)), ((-4, 6), (20, 30))])
def test_equal_bins_in_other_ranges(call, tmp_path, limits):
    paths = []
    for number, (low, high) in enumerate(limits):
        histogram = ROOT.TH1F("h", "", 10, low, high)
        flat = ROOT.TH2D("h2", "", 10, low, high, 3, 0, 3)
        for value in np.linspace(low + 0.25, high - 0.25, 30):
            histogram.Fill(value, value)
            flat.Fill(value, value % 3)
        paths.append(write(tmp_path / f"{number}.root", histogram, flat))
    ours, theirs = both(call, tmp_path, *paths)
    for name in ("h", "h2"):
        assert_same(ours.Get(name), theirs.Get(name))


AUTOMATIC = {
    "TH1D": (10, 0, 0),
    "TH2F": (4, 0, 0, 5, 0, 0),
    "TH3I": (3, 0, 0, 3, 1, 1, 3, 5, -5),
    "TProfile": (6, 0, 0),
    "TProfile2D": (3, 0, 0, 4, 0, 0),
}


@pytest.mark.parametrize("filled", [(0,), (1,), (2,), (1, 2), ()])
@pytest.mark.parametrize("kind", AUTOMATIC)
def test_parts_without_fills_take_the_limits_of_others(call, tmp_path, kind, filled):
    """As of a part of the events of which none was selected."""
    paths = []
    for number in range(3):
        histogram = getattr(ROOT, kind)("h", f"of {number};x", *AUTOMATIC[kind])
        for value in np.linspace(-1.0, 4.0, 20) if number in filled else []:
            histogram.Fill(*[value] * (histogram.GetDimension() + kind.startswith("TProfile")))
        histogram.BufferEmpty(1)
        paths.append(write(tmp_path / f"{number}.root", histogram))
    ours, theirs = both(call, tmp_path, *paths)
    assert numbers_of(ours.Get("h")) == numbers_of(theirs.Get("h"))
    assert ours.Get("h").GetTitle() == "of 0"
    if filled:
        assert bins_of(ours.Get("h")) == bins_of(theirs.Get("h"))


def failure(call, folder, *histograms):
    paths = [write(folder / f"{number}.root", each) for number, each in enumerate(histograms)]
    done = call("merge", folder / "m.root", *paths)
    assert done.returncode == FAILED
    assert not (folder / "m.root").exists()
    return done.stderr


def test_overflow_inside_the_whole_is_refused(call, tmp_path):
    one, other = ROOT.TH1D("h", "", 10, 0, 10), ROOT.TH1D("h", "", 10, 10, 20)
    one.Fill(11)
    message = failure(call, tmp_path, one, other)
    assert "x axis: from 0 and from 10, and there is something in" in message


def profile(kind, option="", limits=()):
    """With one fill, so that nothing else differs."""
    axes = 1 if kind == "TProfile" else int(kind[-2])
    made = getattr(ROOT, kind)("h", "", *(3, 0.0, 3.0) * axes, *limits, option)
    made.Fill(*[1.5] * (axes + 1))
    return made


ERRORS = [
    (("", "s"), "the errors are those of the mean in one, and the spread in the other"),
    (("g", "i"), 'the errors are those of weights ("g") in one, and those of integers ("i") in the other'),
]
LIMITS = [
    (((), (0.0, 2.0)), "values count without limits in one, and from 0 to 2 in the other"),
    (((0.0, 2.0), (0.0, 2.5)), "values count from 0 to 2 in one, and from 0 to 2.5 in the other"),
]
SETTINGS = [
    *(
        (kind, [(option,) for option in options], problem)
        for kind in ("TProfile", "TProfile3D")
        for options, problem in ERRORS
    ),
    *(
        (kind, [("", each) for each in limits], problem)
        for kind in ("TProfile", "TProfile2D")
        for limits, problem in LIMITS
    ),
]


@pytest.mark.parametrize(("kind", "settings", "problem"), SETTINGS)
@pytest.mark.parametrize("in_list", [False, True])
def test_profiles_with_other_settings_are_refused(call, tmp_path, kind, settings, problem, in_list):
    parts = []
    for number, setting in enumerate([*settings, settings[0]]):
        part = made = profile(kind, *setting)
        if in_list:
            part = ROOT.TList()
            part.Add(made)
        parts.append(tmp_path / f"{number}.root")
        with ROOT.TFile(str(parts[-1]), "recreate") as file:
            file.WriteObject(part, "h", "SingleKey")
    done = call("merge", tmp_path / "m.root", *parts[:2])
    assert done.returncode == FAILED
    assert problem in done.stderr
    assert call("merge", tmp_path / "m.root", parts[0], parts[2]).returncode == DONE


def test_contents_without_limits_are_refused(call, tmp_path):
    one, other = ROOT.TH1D("h", "", 3, 0, 0), ROOT.TH1D("h", "", 3, 0, 3)
    one.SetBinContent(2, 5)
    message = failure(call, tmp_path, one, other)
    assert "x axis: to 0 and to 3, and there is something in" in message


def test_content_without_a_label_is_refused(call, tmp_path):
    one, other = ROOT.TH1D("h", "", 3, 0, 3), ROOT.TH1D("h", "", 3, 0, 3)
    one.GetXaxis().SetBinLabel(1, "a")
    other.GetXaxis().SetBinLabel(1, "b")
    other.Fill("b", 1)
    one.SetBinContent(2, 5)
    message = failure(call, tmp_path, one, other)
    assert 'labels "a" at bin 1 and "b" at bin 1, and there is something in a bin without a label' in message


def test_labels_of_fixed_axes_are_not_mixed_up(call, tmp_path):
    """ROOT adds such bins by their numbers."""
    parts = []
    for number, labels in enumerate([["a", "b"], ["b", "a"], ["b", "c"]]):
        histogram = ROOT.TH1D("h", "", 2, 0, 2)
        for bin, label in enumerate(labels, 1):
            histogram.GetXaxis().SetBinLabel(bin, label)
            histogram.SetBinContent(bin, 10**number * bin)
        parts.append(write(tmp_path / f"{number}.root", histogram))
    ours, _ = both(call, tmp_path, *parts)
    contents = {label: content for label, (content, _) in by_label(ours.Get("h")).items()}
    assert contents == {"a": 21, "b": 112, "c": 200}


def test_empty_histograms_lose_no_labels(call, tmp_path):
    """ROOT leaves out the labels of empty bins."""
    empty = growing(["x", "y"])
    empty.Reset()
    ours, _ = both(
        call, tmp_path, write(tmp_path / "1.root", growing("ab")), write(tmp_path / "2.root", empty)
    )
    axis = ours.Get("h").GetXaxis()
    assert [axis.GetBinLabel(bin) for bin in range(1, 5)] == ["a", "b", "x", "y"]


def test_groups_of_merges_are_the_merge_at_once(call, tmp_path):
    parts = [
        write(tmp_path / f"{number}.root", growing(labels, "cuts"), extendable(0, 10, [value]))
        for number, (labels, value) in enumerate([("ab", 1.5), ("cbd", 33.0), ("ea", 7.0), ("f", -2.0)])
    ]
    merge = lambda out, *inputs: call("merge", tmp_path / out, *inputs).returncode  # noqa: E731
    assert merge("all.root", *parts) == DONE
    assert merge("front.root", *parts[:2]) == DONE
    assert merge("back.root", *parts[2:]) == DONE
    assert merge("grouped.root", tmp_path / "front.root", tmp_path / "back.root") == DONE
    assert (tmp_path / "grouped.root").read_bytes() == (tmp_path / "all.root").read_bytes()


def test_colours_and_titles_are_those_of_the_first(call, tmp_path):
    first = growing("ab")
    first.SetLineColor(7)
    first.SetTitle("first;cut;events")
    ours, _ = both(
        call, tmp_path, write(tmp_path / "1.root", first), write(tmp_path / "2.root", growing("cd"))
    )
    merged = ours.Get("h")
    assert (merged.GetLineColor(), merged.GetTitle()) == (7, "first")
    assert (merged.GetXaxis().GetTitle(), merged.GetYaxis().GetTitle()) == ("cut", "events")
