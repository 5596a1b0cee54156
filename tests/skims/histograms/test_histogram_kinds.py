# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of every kind that a config can say, filled by `skimline run`, against boost-histogram and ROOT."""

import awkward as ak
import boost_histogram as bh
import numpy as np
import pytest
import uproot
from exit_codes import FAILED
from histogram_events import CHANNELS, config_for

EDGES = [-1.0, -0.5, 0.0, 2.0, 2.5]
X = {"value": "x", "bins": 20, "range": [-2, 2]}
Y = {"value": "y", "edges": EDGES}
N = {"value": "n", "integers": [-1, 5]}
ID = {"value": "id", "categories": [211, -13, 11]}
CHANNEL = {"value": "channel", "categories": ["em", "mm", "tau"]}

# The same axes in boost-histogram, whose categories have no underflow.
OURS_AND_THEIRS = {
    "x": (X, bh.axis.Regular(20, -2, 2)),
    "y": (Y, bh.axis.Variable(EDGES)),
    "n": (N, bh.axis.Integer(-1, 6)),
    "id": (ID, bh.axis.IntCategory([211, -13, 11])),
    "channel": (CHANNEL, bh.axis.StrCategory(["em", "mm", "tau"])),
}


def column(events, name):
    return events[name].to_list() if name == "channel" else ak.to_numpy(events[name])


def boost_filled(events, names, weight=None, axes=None):
    axes = axes or [OURS_AND_THEIRS[name][1] for name in names]
    histogram = bh.Histogram(*axes, storage=bh.storage.Weight() if weight else bh.storage.Double())
    histogram.fill(*(column(events, name) for name in names), weight=events[weight] if weight else None)
    return histogram


def with_flow(view, axes):
    """Contents with both flow cells on each axis, as ROOT has them, from those that an axis has."""
    for number, axis in enumerate(axes):
        missing = [(0, 0)] * view.ndim
        missing[number] = (0 if axis.traits.underflow else 1, 0 if axis.traits.overflow else 1)
        view = np.pad(view, missing)
    return view


def assert_equal(written, boost, has_weights):
    np.testing.assert_array_equal(written.values(flow=True), with_flow(boost.values(flow=True), boost.axes))
    variances = boost.variances(flow=True) if has_weights else boost.values(flow=True)
    np.testing.assert_array_equal(written.variances(flow=True), with_flow(variances, boost.axes))


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(
    "names",
    [("x",), ("channel",), ("id",), ("x", "y"), ("n", "channel"), ("x", "y", "n"), ("id", "channel", "y")],
    ids=" ".join,
)
def test_contents_and_errors_are_those_of_boost_histogram(fill, events_file, names, weight):
    events = events_file[1]
    axes = dict(zip("xyz", (OURS_AND_THEIRS[name][0] for name in names), strict=False))
    written = uproot.open(fill({"h": axes | ({"weight": weight} if weight else {})}))["h"]
    assert written.classname == f"TH{len(names)}D"
    assert_equal(written, boost_filled(events, names, weight), weight is not None)
    assert written.member("fEntries") == len(events)


def test_axes_as_a_list_are_those_of_letters(fill, tmp_path):
    letters = uproot.open(fill({"h": {"x": X, "y": Y, "z": N, "weight": "w"}}))["h"]
    listed = uproot.open(fill({"h": {"axes": [X, Y, N], "weight": "w"}}))["h"]
    assert listed.classname == letters.classname
    for flow in (letters.values(flow=True), letters.variances(flow=True)):
        assert flow.any()
    assert (listed.values(flow=True) == letters.values(flow=True)).all()
    assert (listed.variances(flow=True) == letters.variances(flow=True)).all()
    assert [axis.edges().tolist() for axis in listed.axes] == [axis.edges().tolist() for axis in letters.axes]


def test_axes_without_flow_and_circular_ones(fill, events_file):
    events = events_file[1]
    kinds = {
        "no_under": (X | {"underflow": False}, bh.axis.Regular(20, -2, 2, underflow=False)),
        "no_over": (X | {"overflow": False}, bh.axis.Regular(20, -2, 2, overflow=False)),
        "none": (
            X | {"underflow": False, "overflow": False},
            bh.axis.Regular(20, -2, 2, underflow=False, overflow=False),
        ),
        "circular": (X | {"circular": True}, bh.axis.Regular(20, -2, 2, circular=True)),
        "circular_n": (N | {"circular": True}, bh.axis.Integer(-1, 6, circular=True)),
    }
    file = uproot.open(fill({name: {"x": axis} for name, (axis, _) in kinds.items()}))
    for name, (axis, theirs) in kinds.items():
        boost = boost_filled(events, [axis["value"]], axes=[theirs])
        assert_equal(file[name], boost, has_weights=False)
        assert file[name].member("fEntries") == len(events)
    assert file["circular"].values().sum() == len(events)


def contents_by_label(histogram):
    labels = histogram.axis("x").labels()
    return dict(zip(labels, histogram.values()[: len(labels)], strict=True))


def test_growing_categories_take_what_comes(fill, events_file):
    events = events_file[1]
    file = uproot.open(
        fill(
            {
                "from_nothing": {"x": {"value": "channel", "categories": [], "growing": True}},
                "from_some": {"x": {"value": "channel", "categories": ["tau", "zz"], "growing": True}},
                "integers": {"x": {"value": "jet_id", "categories": [], "growing": True}, "weight": "w"},
            }
        )
    )
    channels = np.array(events.channel.to_list())
    expected = {channel: np.sum(channels == channel) for channel in sorted(CHANNELS)}
    assert contents_by_label(file["from_nothing"]) == expected
    assert list(contents_by_label(file["from_nothing"])) == sorted(CHANNELS)
    assert contents_by_label(file["from_some"]) == expected | {"zz": 0}
    weights = ak.broadcast_arrays(events.w, events.jet_id)[0]
    assert contents_by_label(file["integers"]) == {
        str(number): ak.sum(weights[events.jet_id == number]) for number in range(4)
    }


def test_integer_categories_take_booleans(fill, events_file):
    axes = {"x": {"value": "flag", "categories": [1, 0]}, "y": X}
    written = uproot.open(fill({"h": axes}))["h"]
    flags = ak.to_numpy(events_file[1].flag)
    assert written.values(flow=True).sum(axis=1).tolist() == [0, flags.sum(), (~flags).sum(), 0]


def test_what_is_beyond_every_category_overflows(fill, events_file, job):
    """2^64 - 1, which an unsigned index has for -1, is not the category -1."""
    numbers = np.arange(len(events_file[1])) % 3
    value = "entry_ % 3 == 0 ? size_t(-1) : entry_ % 3"
    histograms = {
        "flat": {"x": {"value": value, "categories": [-1, 2, 1]}},
        "constant": {"x": {"value": "size_t(-1)", "categories": [-1, 2]}, "weight": "w"},
        "plane": {"x": X, "y": {"value": value, "categories": [1]}},
    }
    file = uproot.open(fill(histograms))
    counts = [np.count_nonzero(numbers == number) for number in range(3)]
    assert file["flat"].values(flow=True).tolist() == [0, 0, counts[2], counts[1], counts[0]]
    assert file["constant"].values(flow=True).tolist() == [0, 0, 0, pytest.approx(ak.sum(events_file[1].w))]
    assert file["plane"].values(flow=True).sum(axis=0).tolist() == [0, counts[1], counts[0] + counts[2]]
    growing = {"h": {"x": {"value": value, "categories": [], "growing": True}}}
    done = job(config_for(events_file[0], growing))
    assert done.returncode == FAILED and "a new category of 2^63 or more" in done.stderr, done.stderr


def test_more_than_three_axes_are_a_sparse_histogram_of_root(fill, events_file):
    root = pytest.importorskip("ROOT", reason="ROOT is the oracle of this test")
    events = events_file[1]
    names = ("x", "y", "n", "id")
    path = fill({"h": {"axes": [OURS_AND_THEIRS[name][0] for name in names], "weight": "w"}})
    file = root.TFile.Open(str(path))
    sparse = file.Get("h")
    assert sparse.ClassName() == "THnSparseT<TArrayD>"
    boost = boost_filled(events, names, "w")
    values = with_flow(boost.values(flow=True), boost.axes)
    variances = with_flow(boost.variances(flow=True), boost.axes)
    cell = np.zeros(4, dtype=np.int32)
    seen = np.zeros_like(values)
    for number in range(sparse.GetNbins()):
        content = sparse.GetBinContent(number, cell)
        assert content == values[tuple(cell)]
        assert sparse.GetBinError2(number) == pytest.approx(variances[tuple(cell)], rel=1e-14)
        seen[tuple(cell)] = content
    np.testing.assert_array_equal(seen, values)
    assert sparse.GetEntries() == len(events)


def root_profile(root, events, names, weight):
    edges = np.array(EDGES)
    if names == ("x",):
        profile = root.TProfile("theirs", "", 20, -2, 2)
    elif names == ("y",):
        profile = root.TProfile("theirs", "", len(EDGES) - 1, edges)
    else:
        profile = root.TProfile2D("theirs", "", 20, -2, 2, 7, -1, 6)
    columns = [ak.to_numpy(events[name]).astype(float) for name in names]
    weights = ak.to_numpy(events[weight]) if weight else np.ones(len(events))
    for row in zip(*columns, ak.to_numpy(events.y).astype(float), weights, strict=True):
        profile.Fill(*row)
    return profile


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("names", [("x",), ("y",), ("x", "n")], ids=" ".join)
def test_profiles_are_those_that_root_fills(fill, events_file, names, weight):
    root = pytest.importorskip("ROOT", reason="ROOT is the oracle of this test")
    events = events_file[1]
    axes = dict(zip("xy", (OURS_AND_THEIRS[name][0] for name in names), strict=False))
    profile = {"value": "y", "label": "time", "unit": "ns"}
    path = fill({"h": axes | {"profile": profile} | ({"weight": weight} if weight else {})})
    file = root.TFile.Open(str(path))
    mine, theirs = file.Get("h"), root_profile(root, events, names, weight)
    assert mine.ClassName() == theirs.ClassName()
    for cell in range(theirs.GetNcells()):
        for read in ("GetBinContent", "GetBinError", "GetBinEntries", "GetBinEffectiveEntries"):
            assert getattr(mine, read)(cell) == pytest.approx(getattr(theirs, read)(cell), rel=1e-9, abs=1e-9)
    assert mine.GetEntries() == theirs.GetEntries() == len(events)
    assert mine.GetMean(1) == pytest.approx(theirs.GetMean(1), rel=1e-12)
    assert mine.GetStdDev(1) == pytest.approx(theirs.GetStdDev(1), rel=1e-12)
    axis = mine.GetYaxis() if len(names) == 1 else mine.GetZaxis()
    assert str(axis.GetTitle()) == "time [ns]"


def test_weight_variations_equal_histograms_of_their_own(fill, events_file):
    weights = {"nominal": "w", "up": "w * 1.1", "per_jet": "jet_w * w"}
    plane = {"x": {"value": "jet_pt", "bins": 10, "range": [0, 50]}, "y": N}
    profile = {"x": X, "profile": {"value": "jet_pt"}}
    varied = {"weight": "w", "weight_variations": {name: weights[name] for name in ("up", "per_jet")}}
    path = fill({"plane": plane | varied, "profile": profile | varied})
    together = uproot.open(path)
    read = {
        (name, variation): together[f"{name}__{variation}"]
        for name in ("plane", "profile")
        for variation in weights
    }
    assert len([key for key in together.keys() if not key.startswith("skimline")]) == len(read)
    alone = uproot.open(
        fill(
            {
                f"{name}-{variation}": histogram | {"weight": weight}
                for name, histogram in (("plane", plane), ("profile", profile))
                for variation, weight in weights.items()
            }
        )
    )
    for (name, variation), mine in read.items():
        other = alone[f"{name}-{variation}"]
        for get in ("values", "variances" if name == "plane" else "errors"):
            np.testing.assert_array_equal(getattr(mine, get)(flow=True), getattr(other, get)(flow=True))
        for member in ("fEntries", "fTsumw", "fTsumw2", "fTsumwx", "fTsumwx2"):
            assert mine.member(member) == other.member(member), (name, variation, member)
    events = events_file[1]
    pt, weight = ak.flatten(events.jet_pt), ak.flatten(events.jet_w * events.w)
    n = ak.flatten(ak.broadcast_arrays(events.n, events.jet_pt)[0])
    boost = bh.Histogram(bh.axis.Regular(10, 0, 50), bh.axis.Integer(-1, 6), storage=bh.storage.Weight())
    boost.fill(pt, n, weight=weight)
    np.testing.assert_allclose(
        read["plane", "per_jet"].values(flow=True), boost.values(flow=True), rtol=1e-12
    )


def test_titles_labels_and_units_are_written(fill):
    root = pytest.importorskip("ROOT", reason="ROOT is the oracle of this test")
    axes = {
        "x": X | {"label": "p_{T}", "unit": "GeV"},
        "y": Y | {"label": "#eta"},
        "z": N | {"unit": "cm"},
    }
    path = fill({"h": axes | {"title": "The title"}, "flat": {"x": X | {"unit": "s"}}})
    file = root.TFile.Open(str(path))
    cube = file.Get("h")
    assert str(cube.GetTitle()) == "The title"
    titles = [str(axis.GetTitle()) for axis in (cube.GetXaxis(), cube.GetYaxis(), cube.GetZaxis())]
    assert titles == ["p_{T} [GeV]", "#eta", "[cm]"]
    assert str(file.Get("flat").GetYaxis().GetTitle()) == "Events"


def test_contents_have_the_type_asked_for(fill, events_file):
    path = fill(
        {
            "int": {"x": X, "type": "int"},
            "float": {"x": X, "y": N, "type": "float", "weight": "w / 3"},
            "double": {"x": X, "weight": "w", "type": "double"},
            "default": {"x": X, "weight": "w / 3"},
            "no_default": {"x": X, "profile": {"value": "y"}},
        },
        histogram_defaults={"type": "float"},
    )
    file = uproot.open(path)
    classes = {
        key.split(";")[0]: name for key, name in file.classnames().items() if not key.startswith("skimline")
    }
    assert classes == {
        "int": "TH1I",
        "float": "TH2F",
        "double": "TH1D",
        "default": "TH1F",
        "no_default": "TProfile",
    }
    events = events_file[1]
    np.testing.assert_array_equal(
        file["int"].values(flow=True), boost_filled(events, ["x"]).values(flow=True)
    )
    third = bh.Histogram(*(OURS_AND_THEIRS[name][1] for name in "xn"), storage=bh.storage.Weight())
    third.fill(events.x, events.n, weight=events.w / 3)
    np.testing.assert_allclose(file["float"].values(flow=True), third.values(flow=True), rtol=1e-6, atol=1e-5)
