# SPDX-License-Identifier: BSD-3-Clause
"""Histograms and frames in the hands of other libraries."""

import awkward as ak
import boost_histogram
import hist
import numpy as np
import pyarrow as pa
import pytest
import skimline as sk


@pytest.fixture
def met(events):
    booked = events.hist("MET_pt", bins=20, range=(0, 100), weight="genWeight", name="met")
    sk.run(booked)
    return booked


@pytest.fixture
def theirs(arrays):
    made = hist.Hist.new.Reg(20, 0, 100).Weight()
    return made.fill(arrays["MET_pt"].to_numpy(), weight=arrays["genWeight"].to_numpy())


@pytest.mark.parametrize("is_booked", [True, False])
def test_they_become_those_of_hist_and_boost(met, theirs, is_booked):
    ours = met if is_booked else met.result
    for made in (hist.Hist(ours), boost_histogram.Histogram(ours)):
        np.testing.assert_allclose(made.values(flow=True), theirs.values(flow=True), rtol=1e-12)
        np.testing.assert_allclose(made.variances(flow=True), theirs.variances(flow=True), rtol=1e-12)


@pytest.mark.parametrize(
    "index",
    [
        3,
        5j,
        slice(5j, 50j),
        slice(5j, 50j, sum),
        slice(None, None, hist.rebin(2)),
        slice(None, None, sum),
        hist.loc(20),
    ],
    ids=str,
)
def test_indexing_is_that_of_uhi(met, theirs, index):
    for ours in (met, met.result):
        made, expected = ours[index], theirs[index]
        if isinstance(expected, hist.Hist):
            np.testing.assert_allclose(made.values(flow=True), expected.values(flow=True), rtol=1e-12)
        else:
            assert (made.value, made.variance) == pytest.approx(
                (expected.value, expected.variance), rel=1e-12
            )


def test_sums_and_factors(met, theirs, events, tmp_path):
    counts = events.hist("MET_pt", bins=20, range=(0, 100), name="counts")
    profile = events.hist("MET_pt", bins=20, range=(0, 100), name="profile", profile="nJet")
    sk.run(counts, profile)
    for made, expected in ((met * 2.5, theirs * 2.5), (3 * met.result, theirs * 3), (met / 4, theirs / 4)):
        np.testing.assert_allclose(made.values(flow=True), expected.values(flow=True), rtol=1e-12)
        np.testing.assert_allclose(made.variances(flow=True), expected.variances(flow=True), rtol=1e-12)
    np.testing.assert_allclose((counts * 0.5).values(), counts.values() / 2)
    np.testing.assert_allclose((counts * 0.5).variances(), counts.values() / 4)
    np.testing.assert_array_equal((profile * 3).values(), profile.values())
    np.testing.assert_array_equal((met + met).values(), 2 * met.values())
    np.testing.assert_array_equal(sum([met, met.result, met]).values(), (met + met + met).values())
    with pytest.raises(TypeError):
        met * met.result
    with pytest.raises(sk.ConfigError, match="inf"):
        met * float("inf")


def test_frames_are_streams_of_arrow(events, arrays):
    frame = events.define("twice", "MET_pt * 2").filter("nMuon == 2")
    table = pa.table(frame)
    some = arrays[arrays["nMuon"] == 2]
    assert table.num_rows == len(some)
    np.testing.assert_array_equal(table["twice"].to_numpy(), some["MET_pt"].to_numpy() * 2)
    assert table["Muon_pt"].to_pylist() == some["Muon_pt"].to_list()
    assert pa.table(events.filter("nMuon > 99")).num_rows == 0


def test_polars(events, arrays):
    pl = pytest.importorskip("polars")
    frame = events.filter("nMuon == 2")
    some = arrays[arrays["nMuon"] == 2]
    for made in (frame.arrays(["MET_pt", "Muon_pt"], library="pl"), pl.DataFrame(frame)):
        assert isinstance(made, pl.DataFrame)
        np.testing.assert_array_equal(made["MET_pt"].to_numpy(), some["MET_pt"].to_numpy())
        assert made["Muon_pt"].to_list() == some["Muon_pt"].to_list()


def test_duckdb(events, arrays):
    duckdb = pytest.importorskip("duckdb")
    frame = events.filter("nMuon == 2")  # noqa: F841  named in the query
    rows = duckdb.sql("select nJet, count(*), sum(MET_pt) from frame group by nJet order by nJet").fetchall()
    some = arrays[arrays["nMuon"] == 2]
    for jets, count, total in rows:
        chosen = some["MET_pt"][some["nJet"] == jets]
        assert count == len(chosen)
        assert total == pytest.approx(float(ak.sum(ak.values_astype(chosen, float))), rel=1e-6)


def test_cloudpickle_takes_lambdas(events, arrays):
    cloudpickle = pytest.importorskip("cloudpickle")
    import pickle

    booked = events.define("x", lambda met: met * 2, columns=["MET_pt"]).hist("x", bins=10, range=(0, 300))
    loaded = pickle.loads(cloudpickle.dumps(booked))
    sk.run(loaded)
    expected, _ = np.histogram(arrays["MET_pt"].to_numpy() * 2, bins=10, range=(0, 300))
    np.testing.assert_array_equal(loaded.values(), expected)


def test_axes_without_labels_are_called_like_their_values(events):
    plane = events.hist(
        sk.axis("MET_pt", bins=2, range=(0, 100)),
        sk.axis("nJet", integers=(0, 5), label="jets"),
        name="plane",
    )
    sk.run(plane)
    assert [axis.label for axis in plane.to_hist().axes] == ["MET_pt", "jets"]
