# SPDX-License-Identifier: BSD-3-Clause
"""What `skimline inspect` shows of trees, against what ROOT and uproot see."""

import json

import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED
from root_trees import write_kinds, write_numbers
from tree_copies import copy_to_tree


@pytest.fixture(scope="module")
def muons(generate, tmp_path_factory):
    folder = tmp_path_factory.mktemp("muons")
    return copy_to_tree(generate("dimuon", folder / "in.root", 2000), folder / "tree.root")


def shown_as_json(call, path):
    done = call("inspect", "--json", path)
    assert (done.returncode, done.stderr) == (DONE, "")
    return json.loads(done.stdout)


def test_numbers_are_those_of_uproot(call, tmp_path):
    path = write_kinds(tmp_path / "a.root", entries=700)
    shown = shown_as_json(call, path)
    assert shown["size"] == path.stat().st_size
    assert shown["ntuples"] == []
    (tree,) = shown["trees"]
    with uproot.open(path) as file:
        theirs = file["t"]
        assert (tree["name"], tree["title"], tree["entries"]) == ("t", "kinds", 700)
        assert tree["branches"] == len(theirs.branches)
        assert tree["clusters"] == 6
        for column in tree["columns"]:
            branch = theirs[column["name"].split(".")[0]]
            assert column["baskets"] == branch.num_baskets, column["name"]
            assert column["bytes_stored"] == sum(branch.member("fBasketBytes")), column["name"]
            assert column["bytes_unpacked"] == branch.member("fTotBytes"), column["name"]
    types = {column["name"]: column["type"] for column in tree["columns"]}
    assert types["list"] == "Float_t[n]"
    assert types["matrix"] == "Short_t[2][3]"
    assert types["pair.y"] == "Int_t"


def test_collections_and_titles_are_shown(call, muons):
    (tree,) = shown_as_json(call, f"{muons}:Events")["trees"]
    collections = {each["name"]: each for each in tree["collections"]}
    assert collections["Jet"]["count"] == "nJet"
    assert collections["Jet"]["columns"] == ["Jet_pt", "Jet_eta"]
    assert set(collections["Muon"]["columns"]) == {
        f"Muon_{name}" for name in ("pt", "eta", "phi", "mass", "charge")
    }
    descriptions = {column["name"]: column["description"] for column in tree["columns"]}
    assert descriptions["MET_pt"] == "missing momentum"
    text = call("inspect", muons).stdout
    for part in ("Events: 2 000 entries", "MET_pt", "missing momentum", "Float_t[nJet]", "zstd:5", "Jet"):
        assert part in text, part


def test_unreadable_branches_are_shown_with_a_reason(call, tmp_path):
    ROOT.WriteUnreadable(str(tmp_path / "a.root"), 10)
    (tree,) = shown_as_json(call, tmp_path / "a.root")["trees"]
    pointers = tree["unsupported"]
    assert {each["name"] for each in pointers} == {"graph.fFunctions", "graph.fHistogram"}
    text = call("inspect", tmp_path / "a.root").stdout
    assert [each for each in pointers if not each["reason"] or each["reason"] not in text] == []


def test_all_trees_of_a_file_are_shown(call, tmp_path):
    path = write_numbers(tmp_path / "a.root", name="first", entries=3)
    write_numbers(path, name="second", entries=4)
    with uproot.update(path) as file:
        file.mkrntuple("third", {"x": [1.0, 2.0]})
    shown = shown_as_json(call, path)
    assert [(tree["name"], tree["entries"]) for tree in shown["trees"]] == [("first", 3), ("second", 4)]
    assert [(ntuple["name"], ntuple["entries"]) for ntuple in shown["ntuples"]] == [("third", 2)]
    assert [tree["name"] for tree in shown_as_json(call, f"{path}:second")["trees"]] == ["second"]


def test_names_that_do_not_exist(call, tmp_path):
    path = write_numbers(tmp_path / "a.root", name="first")
    done = call("inspect", f"{path}:fist")
    assert done.returncode == FAILED
    assert '"fist"' in done.stderr
    assert '"first"' in done.stderr


def test_samples_made_by_others(call, shared_data):
    (tree,) = shown_as_json(call, shared_data / "uproot-HZZ.root")["trees"]
    with uproot.open(shared_data / "uproot-HZZ.root") as file:
        assert [column["name"] for column in tree["columns"]] == file["events"].keys()
        assert tree["entries"] == file["events"].num_entries


def test_columns_that_hardly_change_are_read(call, generate, tmp_path):
    path = generate("dimuon", tmp_path / "a.root", 300_000, "--format", "ttree")
    with uproot.open(path) as file:
        assert len(set(file["Events"]["run"].array())) < 5
    shown = call("inspect", path).stdout
    assert "\n  run " in shown
    assert "cannot be read" not in shown
