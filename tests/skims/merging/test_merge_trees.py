# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of skims that are TTrees: shards of a run, and what the next run reads of them."""

import array
import json
import shutil

import awkward as ak
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE

NUM_SHARDS = 4


def config_for(path, **skim):
    return {
        "schema_version": 1,
        "samples": {"d": {"files": [path], "sum_weights": "genWeight"}},
        "define": {"kind": "nMuon == 2 ? 'pair' : ''", "far": "Muon_pt[Muon_pt > 40]"},
        "select": [{"name": "met", "where": "MET_pt > 20"}],
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
        "skims": {"s": {"file": "s.root", "keep": ["*"], "format": "ttree"} | skim},
    }


@pytest.fixture(scope="module")
def shards(generate, run_in, call, tmp_path_factory):
    """A skim in one run, s.root, and in four shards."""
    folder = tmp_path_factory.mktemp("tree_shards")
    generate("dimuon", folder / "in.root", 40000, "--seed", 3)
    config = config_for("in.root:Events")
    del config["histograms"], config["output"]
    assert run_in(folder, config).returncode == DONE
    for number in range(1, NUM_SHARDS + 1):
        assert call("run", "--shard", f"{number}/{NUM_SHARDS}", "a.json", cwd=folder).returncode == DONE
    return folder


def paths_of(folder, numbers=(1, 2, 3, 4)):
    return [folder / f"s.shard{number}of{NUM_SHARDS}.root" for number in numbers]


def merged(call, *arguments):
    done = call("merge", "-f", *arguments)
    assert done.returncode == DONE, done.stderr
    return done.stdout


def arrays(path):
    with uproot.open(path) as file:
        return file["Events"].arrays()


def test_shards_come_in_the_order_of_the_run(call, shards, tmp_path):
    out = tmp_path / "m.root"
    text = merged(call, out, *paths_of(shards, (3, 1, 4, 2)))
    assert text.startswith("1 TTree of 4 files")
    found, expected = arrays(out), arrays(shards / "s.root")
    assert found.fields == expected.fields
    for name in found.fields:
        assert ak.array_equal(found[name], expected[name]), name
    frames = [ROOT.RDataFrame("Events", str(path)) for path in (out, shards / "s.root")]
    sums = [frame.Define("all", "Sum(far)").Sum("all").GetValue() for frame in frames]
    assert sums[0] == sums[1] > 0
    records = [json.loads(call("show", "--json", path).stdout) for path in (out, shards / "s.root")]
    assert records[0]["files"][0]["record"] == records[1]["files"][0]["record"]
    assert call("verify", out).returncode == DONE


def test_merging_in_a_tree_gives_the_bytes_of_merging_at_once(call, shards, tmp_path):
    merged(call, tmp_path / "all.root", *paths_of(shards))
    call("merge", "--incomplete", tmp_path / "1.root", *paths_of(shards, (1, 2)))
    call("merge", "--incomplete", tmp_path / "2.root", *paths_of(shards, (3, 4)))
    merged(call, tmp_path / "m.root", tmp_path / "2.root", tmp_path / "1.root")
    assert (tmp_path / "m.root").read_bytes() == (tmp_path / "all.root").read_bytes()


def test_a_missing_shard_is_an_error(call, shards, tmp_path):
    done = call("merge", tmp_path / "m.root", *paths_of(shards, (1, 4)))
    assert done.returncode == FAILED
    assert 'shard 2/4, 3/4 of the sample "d" is missing' in done.stderr
    done = call("merge", "--incomplete", tmp_path / "m.root", *paths_of(shards, (1, 4)))
    assert done.returncode == INCOMPLETE


def test_the_next_run_reads_merged_trees(call, shards, run_in, tmp_path):
    merged(call, tmp_path / "m.root", *paths_of(shards))
    contents = []
    for number, path in enumerate((tmp_path / "m.root", shards / "s.root")):
        folder = tmp_path / str(number)
        folder.mkdir()
        config = config_for(f"{path}:Events")
        del config["skims"], config["define"]
        assert run_in(folder, config).returncode == DONE
        with uproot.open(folder / "h.root") as file:
            contents.append(file["met"].values().tolist())
    assert contents[0] == contents[1]
    assert sum(contents[0]) > 0


def test_trees_of_json(call, shards, tmp_path):
    report = json.loads(merged(call, "--json", tmp_path / "m.root", *paths_of(shards)))
    (tree,) = report["trees"]
    assert report["ntuples"] == []
    assert (tree["path"], tree["files"]) == ("Events", NUM_SHARDS)
    assert tree["entries"] == len(arrays(shards / "s.root"))
    assert tree["baskets"] == tree["methods"]["copy"]["baskets"]
    assert tree["baskets"] == tree["baskets_verified"] + tree["baskets_without_checksum"]


def fill_further(path, entries):
    """The tree "t" of a file, which keeps its UUID."""
    with ROOT.TFile.Open(str(path), "UPDATE") as file:
        x = array.array("i", [0])
        tree = file.Get("t") if file.GetListOfKeys() else ROOT.TTree("t", "")
        tree.SetBranchAddress("x", x) if tree.GetEntries() else tree.Branch("x", x, "x/I")
        for x[0] in range(entries):
            tree.Fill()
        tree.Write("", ROOT.TObject.kOverwrite)


def test_copies_are_found_among_files_that_were_filled_further(call, tmp_path):
    first, further, copy = (tmp_path / f"{name}.root" for name in ("first", "further", "copy"))
    fill_further(first, 10)
    shutil.copy(first, further)
    fill_further(further, 5)
    shutil.copy(further, copy)
    done = call("merge", tmp_path / "m.root", first, further, copy)
    assert done.returncode == FAILED, done.stdout
    assert f'"{further}" and "{copy}" have the same UUID' in done.stderr
