# SPDX-License-Identifier: BSD-3-Clause
"""Skims of RNTuples whose fields have two names, "Jet.pt" and its projection "Jet_pt": what is computed is written once."""

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE
from thinned_events import linked_events, thinned_column, write_tree, write_with_runs


@pytest.fixture(scope="module")
def events():
    return linked_events(300, seed=23)


@pytest.fixture(scope="module")
def records(call, events, tmp_path_factory):
    """The events with collections, and projections of their members."""
    folder = tmp_path_factory.mktemp("records")
    write_tree(folder / "tree.root", events)
    done = call("convert", "tree.root", "-o", "records.root", cwd=folder)
    assert done.returncode == DONE, done.stderr
    names = uproot.open(folder / "records.root")["Events"].keys()
    assert {"Jet.pt", "Jet_pt"} <= set(names)
    return folder / "records.root"


def skimmed(job, files, tmp_path, skim, **more):
    """The columns of a skim, written without a warning."""
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(file) for file in files]}},
        "skims": {"s": {"file": "s.root"} | skim},
    }
    done = job(config | more)
    assert done.returncode == DONE, done.stderr
    assert "warning" not in done.stderr
    with uproot.open(tmp_path / "s.root") as file:
        return file["Events"].arrays()


def assert_once(found, expected):
    """Each column has the values, under its name, and no field has a number behind it."""
    assert not any(name.endswith("_2") for name in found.fields)
    for name, values in expected.items():
        assert ak.to_list(found[name]) == ak.to_list(values), name


def inner(values):
    """The type of the numbers."""
    return ak.flatten(values, axis=None).to_numpy().dtype if isinstance(values, ak.Array) else values.dtype


def test_trees_have_each_column_once(job, records, events, tmp_path):
    found = skimmed(job, [records], tmp_path, {"format": "ttree"})
    assert sorted(found.fields) == sorted(events)
    assert_once(found, events)


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_redefined_columns_are_written_once(job, records, events, tmp_path, output):
    found = skimmed(job, [records], tmp_path, {"format": output}, redefine={"Jet_pt": "Jet_pt * 2"})
    assert_once(found, events | {"Jet_pt": events["Jet_pt"] * 2})


def test_names_that_are_redefined_apart_stay_apart(job, records, events, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(records)]}},
        "redefine": {"Jet.pt": "Jet.pt * 2", "Jet_pt": "Jet_pt * 3"},
        "skims": {"s": {"file": "s.root"}},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert '"Jet.pt" as "Jet_pt_2"' in done.stderr
    found = uproot.open(tmp_path / "s.root")["Events"].arrays(["Jet_pt", "Jet_pt_2"])
    assert ak.to_list(found["Jet_pt"]) == ak.to_list(events["Jet_pt"] * 3)
    assert ak.to_list(found["Jet_pt_2"]) == ak.to_list(events["Jet_pt"] * 2)


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_columns_of_a_skim_stand_for_both_names(job, records, events, tmp_path, output):
    skim = {"format": output, "keep": ["Jet_*"], "drop": ["Jet_*Idx*"], "columns": {"Jet_pt": "Jet_pt * 2"}}
    found = skimmed(job, [records], tmp_path, skim)
    assert_once(found, {"Jet_pt": events["Jet_pt"] * 2, "Jet_eta": events["Jet_eta"]})
    assert "Jet.pt" not in uproot.open(tmp_path / "s.root")["Events"].keys()


@pytest.mark.parametrize("thin", [{}, {"Jet": "Jet_eta > 0"}], ids=["whole", "thinned"])
@pytest.mark.parametrize("name", ["Jet_pt", "Jet.pt"])
@pytest.mark.parametrize("first", ["records", "tree"])
@pytest.mark.parametrize("output", [{}, {"collections": "vectors"}, {"format": "ttree"}], ids=str)
def test_columns_of_a_skim_stand_for_either_spelling(job, records, tmp_path, output, first, name, thin):
    """Where one file has records and another one branches, the column has the name of the first one."""
    other = linked_events(200, seed=24)
    files = {"tree": write_tree(tmp_path / "other.root", other), "records": records}
    events = {"tree": other, "records": linked_events(300, seed=23)}
    order = [first, *files.keys() - {first}]
    skim = {"keep": ["Jet_pt", "Jet_eta"], "columns": {f"`{name}`": "Jet_pt * 2"}, **output}
    found = skimmed(job, [files[each] for each in order], tmp_path, skim | ({"thin": thin} if thin else {}))
    pt, eta = (ak.concatenate([events[each][column] for each in order]) for column in ("Jet_pt", "Jet_eta"))
    kept = eta > 0 if thin else eta > -np.inf
    assert {each for each in found.fields if not each.startswith("n")} <= {
        "Jet",
        "Jet_pt",
        "Jet_eta",
        "Jet.pt",
    }
    assert_once(found, {"Jet_pt": pt[kept] * 2, "Jet_eta": eta[kept]})


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_thinned_collections_are_written_once(job, records, events, tmp_path, output):
    found = skimmed(job, [records], tmp_path, {"format": output, "thin": {"Muon": "Muon_pt > 20"}})
    keep = ak.to_list(events["Muon_pt"] > 20)
    targets = {"Jet_muonIdx1": "Muon", "Jet_muonIdx2": "Muon", "muonIdx": "Muon"}
    for name, values in events.items():
        expected = ak.Array(thinned_column(name, values, {"Muon": keep}, targets))
        # -1 of an unsigned index is its largest value.
        assert_once(found, {name: ak.values_astype(expected, inner(values))})


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_trees_behind_have_one_name(job, records, events, tmp_path, output):
    files = [records, write_tree(tmp_path / "other.root", linked_events(200, seed=24))]
    found = skimmed(job, files, tmp_path, {"format": output}, redefine={"Jet_eta": "Jet_eta + 1"})
    more = linked_events(200, seed=24)
    expected = {name: ak.concatenate([values, more[name]]) for name, values in events.items()}
    assert_once(found, expected | {"Jet_eta": expected["Jet_eta"] + np.float32(1)})


def test_runs_beside_the_events_have_each_column_once(job, call, tmp_path):
    write_with_runs(tmp_path / "tree.root")
    done = call("convert", "tree.root", "-o", "records.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    skimmed(job, ["records.root:Events"], tmp_path, {"format": "ttree"})
    with uproot.open(tmp_path / "s.root") as file:
        for name in ("Events", "Runs"):
            assert sorted(file[name].keys()) == ["nw", "run", "w_a", "w_b"]


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_old_values_are_written_once(job, records, events, tmp_path, output):
    skim = {"format": output, "keep": ["original_*", "Jet_pt"]}
    found = skimmed(job, [records], tmp_path, skim, redefine={"Jet_pt": "Jet_pt * 2"})
    assert_once(found, {"original_Jet_pt": events["Jet_pt"]})


@pytest.mark.parametrize("name", ["Leading_pt", "Leading.pt"])
@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_columns_redefined_by_an_alias_have_the_new_values(job, records, events, tmp_path, output, name):
    """An RNTuple carried the old ones, as the column is called otherwise than what is redefined."""
    more = {"aliases": {"Leading_*": "Jet_*"}, "redefine": {name: f"{name} * 2"}}
    found = skimmed(job, [records], tmp_path, {"format": output}, **more)
    assert_once(found, events | {"Jet_pt": events["Jet_pt"] * 2})
