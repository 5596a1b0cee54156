# SPDX-License-Identifier: BSD-3-Clause
"""Frames as collections of dask-awkward."""

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot

dak = pytest.importorskip("dask_awkward")
import dask  # noqa: E402


@pytest.fixture(scope="module")
def clustered(program, tmp_path_factory):
    """A file of several clusters."""
    folder = tmp_path_factory.mktemp("dask")
    sk.generate("dimuon", folder / "all.root", events=20000)
    sk.run(sk.open(folder / "all.root").skim(folder / "clusters.root", cluster_size="64 KiB"))
    return folder / "clusters.root"


@pytest.fixture
def told(monkeypatch):
    """The columns that are read, and how many events of them."""
    from skimline.frame import Frame

    read, of_frame = [], Frame.arrays

    def arrays(frame, columns=None, **options):
        made = of_frame(frame, columns, **options)
        if len(made):
            read.append((sorted(columns), len(made)))
        return made

    monkeypatch.setattr(Frame, "arrays", arrays)
    return read


def test_partitions_are_clusters(clustered, told):
    events = sk.open(clustered)
    lazy = events.dask_awkward()
    with uproot.open(clustered) as file:
        clusters = [each.num_entries for each in file["Events"].cluster_summaries]
        expected = file["Events"].arrays(["Muon_pt", "MET_pt", "nMuon"])
    assert len(clusters) > 3
    assert lazy.divisions == tuple(np.cumsum([0, *clusters]))
    assert told == []
    with dask.config.set(scheduler="synchronous"):
        assert lazy.Muon_pt.compute().to_list() == expected["Muon_pt"].to_list()
        assert sorted(told) == sorted((["Muon_pt"], size) for size in clusters)
        told.clear()
        leading = ak.max(lazy[lazy.nMuon == 2].Muon_pt, axis=1).compute()
        assert leading.to_list() == ak.max(expected[expected["nMuon"] == 2]["Muon_pt"], axis=1).to_list()
        assert {tuple(columns) for columns, _ in told} == {("Muon_pt", "nMuon")}
    assert events.dask_awkward(step=10**9).npartitions == 1


def test_filters_and_definitions(clustered):
    frame = sk.open(clustered).define("hard", "Muon_pt[Muon_pt > 20]").filter("nMuon == 2")
    lazy = frame.dask_awkward(["hard", "MET_pt"])
    assert lazy.divisions[0] is None
    with dask.config.set(scheduler="threads"):
        made = lazy.compute()
    expected = frame.arrays(["hard", "MET_pt"])
    assert made.fields == expected.fields
    assert made.to_list() == expected.to_list()


def test_other_processes(clustered):
    frame = sk.open(clustered).filter("nMuon >= 1")
    total = ak.sum(frame.dask_awkward(["Muon_pt"]).Muon_pt)
    expected = float(ak.sum(frame.arrays(["Muon_pt"])["Muon_pt"]))
    assert float(total.compute(scheduler="processes", num_workers=2)) == pytest.approx(expected, rel=1e-5)


def test_samples_variations_and_records(clustered, dimuon):
    frame = sk.open({"a": str(clustered), "b": str(dimuon)}).vary("twice", {"MET_pt": "MET_pt * 2"})
    frame = frame.define("p4", "P4(Muon_pt, Muon_eta, Muon_phi, Muon_mass)")
    with dask.config.set(scheduler="synchronous"):
        both = frame.dask_awkward(["MET_pt", "p4"], sample="*", variation="twice")
        assert both.MET_pt.compute().to_list() == (
            frame.arrays(["MET_pt"], sample="*", variation="twice")["MET_pt"].to_list()
        )
        expected = frame.arrays(["p4"], sample="*")["p4", "eta"]
        assert both.p4.eta.compute().to_list() == expected.to_list()
    with pytest.raises(sk.ConfigError, match="say which sample"):
        frame.dask_awkward()


def test_no_events(dimuon):
    lazy = sk.open(dimuon).filter("nMuon > 99").dask_awkward(["MET_pt"])
    assert len(lazy.compute(scheduler="synchronous")) == 0


@pytest.mark.parametrize("step", [0, -1, 1.5, "100 MB", None])
def test_steps_that_are_no_number_of_entries(clustered, step):
    with pytest.raises(sk.ConfigError, match="step"):
        sk.open(clustered).dask_awkward(step=step)


@pytest.mark.parametrize("large", [2**53, 2**53 + 1])
def test_integers_of_samples_stay_what_they_are(tmp_path, large):
    for name, values in (("a", np.array([large, 3])), ("b", np.array([0.5]))):
        sk.write(tmp_path / f"{name}.root", {"x": values, "y": values})
    lazy = sk.open({name: tmp_path / f"{name}.root" for name in "ab"}).dask_awkward(sample="*")
    assert str(lazy.x.type).endswith("float64")
    if large == 2**53:
        assert lazy.x.compute(scheduler="sync").to_list() == [large, 3, 0.5]
    else:
        with pytest.raises(sk.SchemaError, match='"x" has no type that holds the values of all samples'):
            lazy.x.compute(scheduler="sync")
