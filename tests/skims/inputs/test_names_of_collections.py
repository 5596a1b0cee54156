# SPDX-License-Identifier: BSD-3-Clause
"""Collections of RNTuples without a column of sizes: they are called as their records are."""

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE
from thinned_events import linked_events, thinned_column, write_tree


def skim_of(file, **skim):
    return {
        "schema_version": 1,
        "samples": {"s": {"files": [file]}},
        "skims": {"s": {"file": "s.root"} | skim},
    }


@pytest.fixture
def events(job, call, tmp_path):
    """A skim with records and their second names, Muon.pt and Muon_pt, and no nMuon."""
    columns = linked_events(200, 3)
    write_tree(tmp_path / "tree.root", columns)
    assert call("convert", "tree.root", "-o", "ntuple.root", cwd=tmp_path).returncode == DONE
    done = job(skim_of("ntuple.root", keep=["Muon_*", "Jet_*"]), "-f")
    assert done.returncode == DONE, done.stderr
    (tmp_path / "s.root").rename(tmp_path / "in.root")
    return columns


def test_they_are_thinned(job, events, tmp_path):
    done = job(skim_of("in.root", thin={"Muon": "Muon_pt > 20"}), "-f")
    assert done.returncode == DONE, done.stderr
    masks = {"Muon": events["Muon_pt"] > 20}
    written = uproot.open(tmp_path / "s.root")["Events"].arrays()
    for name in ("Muon_pt", "Muon_jetIdx", "Jet_muonIdx1", "Jet_pt"):
        expected = thinned_column(name, events[name], masks, {"Jet_muonIdx1": "Muon"})
        assert written[name].to_list() == expected, name


def test_trees_count_them_by_their_names(job, events, tmp_path):
    done = job(skim_of("in.root", format="ttree"), "-f")
    assert done.returncode == DONE, done.stderr
    tree = uproot.open(tmp_path / "s.root")["Events"]
    assert {name for name in tree.keys() if name.startswith("n")} == {"nMuon", "nJet"}
    assert np.array_equal(tree["nMuon"].array(library="np"), events["nMuon"])


@pytest.mark.parametrize("members", [["iso_all", "iso_charged"], ["iso_all"]])
def test_members_that_begin_alike(job, tmp_path, members):
    values = ak.Array([[0.5, 1.5], [], [2.5]])
    with uproot.recreate(tmp_path / "in.root") as file:
        file.mkrntuple("Events", {"Muon": ak.zip(dict.fromkeys(members, values))})
    done = job(skim_of("in.root", thin={"Muon": "Muon.iso_all > 1"}))
    assert done.returncode == DONE, done.stderr
    written = uproot.open(tmp_path / "s.root")["Events"].arrays()["Muon"]
    for name in members:
        assert written[name].to_list() == [[1.5], [], [2.5]]


def test_records_in_records(job, tmp_path):
    values = ak.Array([[0.5, 1.5], [], [2.5]])
    with uproot.recreate(tmp_path / "in.root") as file:
        file.mkrntuple("Events", {"Muon": ak.zip({"p": ak.zip({"x": values, "y": values})}, depth_limit=2)})
    done = job(skim_of("in.root", format="ttree", thin={"Muon": "Muon.p.x > 1"}))
    assert done.returncode == DONE, done.stderr
    tree = uproot.open(tmp_path / "s.root")["Events"]
    assert tree["nMuon"].array().to_list() == [1, 0, 1]
    for name in ("Muon_p_x", "Muon_p_y"):
        assert tree[name].array().to_list() == [[1.5], [], [2.5]]
