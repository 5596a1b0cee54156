# SPDX-License-Identifier: BSD-3-Clause
"""Histograms in Python against numpy, hist and the ROOT files that the same run writes."""

import copy

import awkward as ak
import hist
import numpy as np
import pytest
import skimline as sk
import uproot
from uhi.numpy_plottable import ensure_plottable_histogram
from uhi.typing.plottable import PlottableHistogram

BOOKINGS = {
    "regular": {"values": ("Muon_pt",), "bins": 30, "range": (0, 90), "label": "p_{T}", "unit": "GeV"},
    "weighted": {"values": ("MET_pt",), "bins": 30, "range": (0, 90), "weight": "genWeight * 0.3"},
    "variable": {"values": ("MET_pt",), "edges": (0, 5, 20, 50, 110.5)},
    "no_flow": {"values": ("MET_pt",), "bins": 4, "range": (20, 30), "underflow": False, "overflow": False},
    "no_underflow": {"values": ("MET_pt",), "edges": (20, 25, 30), "underflow": False},
    "integers": {"values": ("nMuon",), "integers": (1, 3)},
    "circular": {"values": ("Muon_phi",), "bins": 12, "range": (-1, 2), "circular": True},
    "circular_integers": {"values": ("nMuon",), "integers": (0, 2), "circular": True},
    "numbers": {"values": ("Muon_charge",), "categories": [-1, 1]},
    "some_numbers": {"values": ("nMuon",), "categories": [2]},
    "growing": {"values": ("nMuon",), "categories": [2], "growing": True},
    "texts": {"values": ("sample_",), "categories": ["events", "others"]},
    "plane": {
        "values": (
            sk.axis("Muon_eta", bins=6, range=(-2.4, 2.4)),
            sk.axis("Muon_charge", categories=[-1, 1], label="q"),
        ),
        "weight": "genWeight",
    },
    "cube": {
        "values": (
            sk.axis("Muon_eta", bins=6, range=(-2.4, 2.4), overflow=False),
            sk.axis("Muon_pt", edges=[0, 20, 40]),
            sk.axis("nMuon", integers=(0, 3)),
        )
    },
    "profile": {"values": ("nMuon",), "integers": (0, 3), "profile": "MET_pt"},
    "weighted_profile": {
        "values": ("nMuon",),
        "integers": (0, 3),
        "profile": "MET_pt",
        "weight": "genWeight * (1 + nJet)",
    },
    "negative_profile": {
        "values": ("nMuon",),
        "integers": (0, 3),
        "profile": "MET_pt",
        "weight": "-abs(genWeight) * (1 + nJet)",
    },
    "plane_profile": {
        "values": (sk.axis("nMuon", integers=(0, 2)), sk.axis("MET_phi", bins=3, range=(-3, 3))),
        "profile": "MET_pt",
    },
    "empty": {"values": ("MET_pt",), "bins": 3, "range": (-3, -2), "profile": "MET_pt", "overflow": False},
}


@pytest.fixture(scope="module")
def filled(dimuon, tmp_path_factory):
    """Each of BOOKINGS, and the ROOT file of the same run."""
    events = sk.open(dimuon)
    booked = {}
    for name, booking in BOOKINGS.items():
        keywords = dict(booking)
        booked[name] = events.hist(*keywords.pop("values"), name=name, **keywords)
    path = tmp_path_factory.mktemp("histograms") / "all.root"
    sk.run(booked, histograms=path)
    with uproot.open(path) as file:
        written = {name: file[name] for name in BOOKINGS}
        return booked, written


@pytest.fixture(scope="module")
def arrays(dimuon):
    with uproot.open(dimuon) as file:
        return file["Events"].arrays()


@pytest.mark.parametrize("name", [name for name in BOOKINGS if "profile" not in name and name != "empty"])
def test_contents_are_those_of_the_file(filled, name):
    booked, written = filled[0][name], filled[1][name]
    np.testing.assert_array_equal(booked.values(flow=True), written.values(flow=True))
    np.testing.assert_array_equal(booked.values(), written.values())
    np.testing.assert_array_equal(booked.variances(), written.variances())
    assert booked.kind == "COUNT"
    assert booked.result.entries == written.member("fEntries")


@pytest.mark.parametrize("name", ["profile", "weighted_profile", "negative_profile"])
def test_profiles_are_those_of_the_file(filled, name):
    booked, written = filled[0][name], filled[1][name]
    assert booked.kind == "MEAN"
    np.testing.assert_allclose(booked.values(), written.values(), rtol=1e-12)
    weights = np.asarray(written.member("fBinEntries"))[1:-1]
    squares = np.asarray(written.member("fBinSumw2"))[1:-1] if name != "profile" else weights
    counts = weights**2 / squares
    np.testing.assert_allclose(booked.counts(), counts, rtol=1e-12)
    # ROOT divides by the effective number of fills where boost-histogram divides by one less.
    expected = written.errors() ** 2 * counts / (counts - 1)
    np.testing.assert_allclose(booked.variances(), expected, rtol=1e-9)


@pytest.mark.parametrize("name", BOOKINGS)
def test_hist_has_the_same(filled, name):
    booked = filled[0][name]
    made = booked.to_hist()
    np.testing.assert_allclose(made.values(), np.nan_to_num(booked.values()), rtol=1e-12)
    variances = made.variances()
    # hist divides by the sum of weights, so that it depends on their unit.
    if name in ("weighted_profile", "negative_profile"):
        variances = variances * made.view().sum_of_weights / made.counts()
    np.testing.assert_allclose(variances, booked.variances(), rtol=1e-9)
    if booked.result.storage != "weighted":  # of which hist gives the values
        np.testing.assert_allclose(made.counts(), booked.counts(), rtol=1e-12)
    values = [value if isinstance(value, str) else value["value"] for value in BOOKINGS[name]["values"]]
    labels = [axis.label or value for axis, value in zip(booked.axes, values, strict=True)]
    assert [axis.label for axis in made.axes] == labels
    assert [axis.label for axis in hist.Hist(booked).axes] == labels
    assert [axis.label for axis in booked[...].axes] == labels
    named = hist.Hist(booked.result)
    assert [axis.label for axis in named.axes] == [
        axis.label or f"Axis {number}" for number, axis in enumerate(booked.axes)
    ]
    if booked.kind == "COUNT":
        assert made.sum(flow=True) is not None
        boost = booked.to_boost()
        np.testing.assert_array_equal(boost.values(flow=True), made.values(flow=True))


def test_hist_has_profiles_of_weights_of_both_signs(tmp_path):
    columns = {
        "bin": np.repeat([0, 1], 4),
        "value": np.array([0.0, 0, 0, 1, 5, 6, 7, 9]),
        "weight": np.array([1, 1, 1, -1, 1, 2, -0.5, -1]),
    }
    sk.write(tmp_path / "in.root:Events", columns)
    profile = sk.open(tmp_path / "in.root").hist("bin", integers=(0, 1), profile="value", weight="weight")
    sk.run(profile)
    expected = hist.Hist(hist.axis.Integer(0, 2), storage=hist.storage.WeightedMean())
    expected.fill(columns["bin"], weight=columns["weight"], sample=columns["value"])
    for field in expected.view().dtype.names:
        np.testing.assert_allclose(profile.to_hist().view()[field], expected.view()[field], atol=1e-9)
    assert (expected.view()["_sum_of_weighted_deltas_squared"] < 0).all()


@pytest.mark.parametrize("name", ["regular", "weighted", "variable", "integers", "numbers", "texts", "plane"])
def test_hist_keeps_every_fill(filled, name):
    booked = filled[0][name]
    assert booked.to_hist().values(flow=True).sum() == pytest.approx(booked.values(flow=True).sum())


def test_counts_are_not_equal_to_weights_of_one(events):
    """They have the same contents, but other errors once more is filled, and other objects of ROOT."""
    axis = {"bins": 4, "range": (0, 100)}
    counts, again = (events.hist("MET_pt", name=name, **axis) for name in ("counts", "again"))
    weighted = events.hist("MET_pt", name="weighted", weight="1.0", **axis)
    sk.run([counts, weighted, again])
    assert (counts.result.storage, weighted.result.storage) == ("count", "weighted")
    np.testing.assert_array_equal(counts.values(flow=True), weighted.values(flow=True))
    assert counts.result == again.result
    assert counts.result != weighted.result
    assert weighted.result != counts.result


@pytest.mark.parametrize("name", [name for name in BOOKINGS if len(BOOKINGS[name]["values"]) == 1])
def test_axes_are_those_of_hist(filled, name):
    booked = filled[0][name]
    ours, theirs = booked.axes[0], booked.to_hist().axes[0]
    assert len(ours) == len(theirs)
    if ours.traits.discrete:
        assert list(ours) == list(theirs)
    np.testing.assert_allclose(ours.edges, theirs.edges, rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal([ours[i] for i in range(len(ours))], list(ours))
    np.testing.assert_allclose(ours.centers, theirs.centers)
    assert ours.traits.circular == theirs.traits.circular
    assert ours == filled[0][name].axes[0]


@pytest.mark.parametrize("name", BOOKINGS)
def test_follows_the_protocol(filled, name):
    booked = filled[0][name]
    assert isinstance(booked, PlottableHistogram)
    assert isinstance(booked.result, PlottableHistogram)
    assert ensure_plottable_histogram(booked) is booked
    shown = booked.result._repr_html_()
    assert ("<svg" in shown) == (len(booked.axes) < 3)
    assert "<svg" in shown or "Histogram" in shown


def test_texts_of_files_are_no_html(dimuon, tmp_path):
    hostile = "<script>x</script>"
    events = sk.open(dimuon)
    labelled = events.hist("MET_pt", bins=2, range=(0, 10), label=hostile, unit="&<i>", title=hostile)
    plane = events.hist(
        sk.axis("MET_pt", bins=2, range=(0, 10), label=hostile),
        sk.axis("sample_", categories=[hostile, "events"]),
        name="plane",
    )
    sk.run(labelled, plane, histograms=tmp_path / "h.root")
    read = sk.read_histograms(tmp_path / "h.root")
    assert len(read) == 2
    for each in (labelled, plane, *read.values()):
        shown = each._repr_html_()
        assert "<script" not in shown and "<i>" not in shown
    assert "&lt;script&gt;" in labelled._repr_html_() and "<svg" in labelled._repr_html_()


@pytest.mark.parametrize(
    ("axis", "number"),
    [({"categories": [1, 4000000000]}, 4000000000), ({"integers": (2**31 - 2, 2**31 - 1)}, 2**31)],
)
def test_numbers_of_more_bits_than_those_of_hist_are_shown_as_text(dimuon, axis, number):
    h = sk.open(dimuon).hist("event", **axis)
    sk.run(h)
    with pytest.raises(sk.Error, match=f"of hist and boost-histogram have 32 bits, {number} has more"):
        h.to_hist()
    assert "Histogram" in h._repr_html_()


def test_contents_are_those_of_numpy(filled, arrays):
    values, edges = filled[0]["regular"].to_numpy()
    expected, _ = np.histogram(ak.to_numpy(ak.flatten(arrays.Muon_pt)), bins=30, range=(0, 90))
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_allclose(edges, np.linspace(0, 90, 31))
    plane, *_ = filled[0]["plane"].to_numpy(flow=True)
    assert plane.shape == (8, 4)


@pytest.mark.parametrize("core", [1, None, "mass"])
def test_histograms_are_not_made_by_hand(core):
    with pytest.raises(TypeError, match=r"made by Frame.hist\(\) and run\(\)"):
        sk.Histogram(core)


def test_values_cannot_be_written_and_live_on(dimuon):
    h = sk.open(dimuon).hist("MET_pt", bins=2, range=(0, 100))
    sk.run(h)
    values = h.values(flow=True)
    total = values.sum()
    del h
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1
    assert values.sum() == total == 10000


def test_equal_histograms_have_one_hash(filled):
    for booked in filled[0].values():
        assert copy.copy(booked.result) == booked.result
        assert len({booked.result, copy.copy(booked.result)}) == 1


def test_sums_are_exact(dimuon, tmp_path):
    """Parts add up to the whole, bit by bit."""
    events = sk.open(dimuon)
    parts = []
    for number in (1, 2, 3):
        part = events.hist("MET_pt", bins=20, range=(0, 100), weight="genWeight * 0.1", name="h")
        sk.run(part, shard=(number, 3))
        parts.append(part.result)
    whole = events.hist("MET_pt", bins=20, range=(0, 100), weight="genWeight * 0.1", name="h")
    sk.run(whole)
    assert parts[2] + parts[0] + parts[1] == whole.result
    assert parts[0] != whole.result


def test_histograms_that_do_not_fit_are_not_added(dimuon):
    events = sk.open(dimuon)
    a, b = (events.hist("MET_pt", bins=bins, range=(0, 1), name=f"h{bins}") for bins in (1, 2))
    sk.run(a, b)
    with pytest.raises(sk.Error, match="axis 0: 1 bins in one, 2 in the other"):
        a.result + b.result


def test_variations(dimuon):
    h = sk.open(dimuon).hist(
        "MET_pt", bins=5, range=(0, 100), weight="genWeight", weight_variations={"up": "genWeight * 2"}
    )
    assert not h.is_filled
    with pytest.raises(sk.Error, match="is not filled yet"):
        h.values()
    sk.run(h)
    np.testing.assert_allclose(h.variation("up").values(), 2 * h.values())
    assert list(h.variations) == ["up"]
    assert h.variations["up"] == h.variation("up")
    with pytest.raises(sk.ConfigError, match=r'no variation "upp".*did you mean "up"'):
        h.variation("upp")


def test_multiples_keep_their_variations(events):
    booked = events.vary("met", {"MET_pt": {"up": "MET_pt * 2"}}).hist(
        "MET_pt", bins=5, range=(0, 100), name="met"
    )
    sk.run(booked)
    halves = booked / 2
    assert list(halves.variations) == ["met_up"]
    np.testing.assert_array_equal(
        halves.variations["met_up"].values(), booked.variations["met_up"].values() / 2
    )


def test_factors_may_be_numbers_of_any_type(events):
    """Without what their own type would lose: a half is not a number of numpy's integers, a third none of 16 bits."""
    booked = events.hist("MET_pt", bins=5, range=(0, 100))
    sk.run(booked)
    values = booked.values()
    for one in (booked, booked.result):
        for three in (3, 3.0, np.int8(3), np.uint16(3), np.float16(3), np.float32(3), np.array(3)):
            np.testing.assert_array_equal((one / three).values(), values * (1 / 3))
            np.testing.assert_array_equal((three * one).values(), 3 * values)
            np.testing.assert_array_equal((one * three).values(), 3 * values)
        for wrong in (
            "2",
            np.str_("2"),
            np.bytes_(b"2"),
            np.array("2"),
            2j,
            np.complex128(2),
            np.timedelta64(2, "s"),
        ):
            for make in (lambda a, b: a * b, lambda a, b: b * a, lambda a, b: a / b):
                with pytest.raises(TypeError):
                    make(one, wrong)
        for huge in (10**400, -(10**400)):
            with pytest.raises(sk.ConfigError, match=r"cannot be multiplied by -?inf"):
                _ = one * huge


def test_what_differs_is_said_where_histograms_are_added(dimuon):
    events = sk.open(dimuon)
    counts = events.hist("MET_pt", bins=5, range=(0, 100), name="counts")
    weighted = events.hist("MET_pt", bins=5, range=(0, 100), weight="2.0", name="weighted")
    coarser = events.hist("MET_pt", bins=4, range=(0, 100), name="coarser")
    sk.run(counts, weighted, coarser)
    with pytest.raises(sk.Error, match="different storages cannot be added: one ") as caught:
        _ = counts.result + weighted.result
    assert "bins" not in str(caught.value)
    with pytest.raises(
        sk.Error, match="different bins cannot be added: axis 0: 5 bins in one, 4 in the other"
    ):
        _ = counts.result + coarser.result


def test_edges_may_be_a_series_with_any_index():
    pandas = pytest.importorskip("pandas")
    edges = pandas.Series([0, 0.5, 2], index=[7, 5, 6])
    assert sk.axis("MET_pt", edges=edges)["edges"] == [0, 0.5, 2]


@pytest.mark.parametrize("factor", [1e200, -1e-200])
def test_factors_have_squares(dimuon, factor):
    met = sk.open(dimuon).hist("MET_pt", bins=4, range=(0, 100))
    sk.run(met)
    with pytest.raises(sk.ConfigError, match="of which no double holds the square"):
        met.result * factor
    with pytest.raises(sk.ConfigError, match="of which no double holds the square"):
        met.result / factor
    assert (met.result * 1e-36).variances()[0] == pytest.approx(1e-72 * met.result.values()[0], rel=1e-12)
    assert not (met.result * 0).variances().any()
