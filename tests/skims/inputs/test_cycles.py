# SPDX-License-Identifier: BSD-3-Clause
"""Objects of files that are named with their cycle, "name;cycle", as ROOT and uproot take them."""

import json
import shutil

import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE
from prepared_root import prepared_root

SIZES = {"t;1": 3, "t;2": 5, "t": 5, "dir/t;1": 7}
WRITE = """
def tree(name, size, first):
    made, x = ROOT.TTree(name, ""), array.array("i", [0])
    made.Branch("x", x, "x/I")
    for i in range(size):
        x[0] = first + i
        made.Fill()
    made.Write()
    made.SetDirectory(ROOT.nullptr)

def ntuple(name, folder, size, first):
    model = ROOT.RNTupleModel.Create()
    model.MakeField["int"]("x")
    with ROOT.RNTupleWriter.Append(model, name, folder) as writer:
        for i in range(size):
            entry = writer.CreateEntry()
            entry["x"] = first + i
            writer.Fill(entry)

file = ROOT.TFile(sys.argv[1] + "/tree.root", "RECREATE")
tree("t", 3, 0)
tree("t", 5, 10)
tree("odd;3", 4, 50)
for size in (3, 5):
    histogram = ROOT.TH1D("h", "", 2, 0, 2)
    histogram.SetDirectory(ROOT.nullptr)
    histogram.Fill(1, size)
    histogram.Write()
file.mkdir("dir").cd()
tree("t", 7, 20)
file.Close()

file = ROOT.TFile(sys.argv[1] + "/ntuple.root", "RECREATE")
ntuple("t", file, 3, 0)
ntuple("t", file, 5, 10)
ntuple("t", file.mkdir("dir"), 7, 20)
file.Close()

for kind, older in (("tree", ntuple), ("ntuple", tree)):
    file = ROOT.TFile(sys.argv[1] + "/newer_" + kind + ".root", "RECREATE")
    for made in (older, tree if kind == "tree" else ntuple):
        size, first = (3, 0) if made is older else (5, 10)
        made("t", size, first) if made is tree else made("t", file, size, first)
    file.Close()

file = ROOT.TFile(sys.argv[1] + "/lists.root", "RECREATE")
for kind in ("tree", "ntuple"):
    chosen = ROOT.TEntryList(kind, "", "dir/t", kind + ".root")
    chosen.Enter(1)
    chosen.Enter(4)
    chosen.SetTreeName("dir/t")
    chosen.SetFileName(kind + ".root")
    chosen.Write()
file.Close()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """tree.root and ntuple.root: two cycles of t and one of dir/t, with values from 0, 10 and 20 on."""
    folder = tmp_path_factory.mktemp("cycles")
    with prepared_root("import array\nROOT.TH1.AddDirectory(False)") as root:
        root.run(WRITE, folder)
    return folder


def values_of(call, location, tmp_path):
    done = call("convert", location, "-o", tmp_path / "c.root", "--name", "c", "--force")
    assert done.returncode == DONE, done.stderr
    return uproot.open(tmp_path / "c.root")["c"].arrays()["x"].to_list()


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
@pytest.mark.parametrize("name", SIZES)
def test_each_cycle_has_its_own_entries(call, folder, tmp_path, kind, name):
    first = {"t;1": 0, "dir/t;1": 20}.get(name, 10)
    found = values_of(call, f"{folder / kind}.root:{name}", tmp_path)
    assert found == list(range(first, first + SIZES[name]))


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
def test_outputs_are_called_as_the_object_without_its_cycle(call, folder, tmp_path, kind):
    done = call("convert", f"{folder / kind}.root:t;1", "-o", "c.root", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (DONE, "")
    assert uproot.open(tmp_path / "c.root").keys(cycle=False) == ["t"]


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
def test_a_name_is_that_of_its_newest_object_whatever_the_older_one_is(call, folder, tmp_path, kind):
    path = folder / f"newer_{kind}.root"
    assert values_of(call, path, tmp_path) == values_of(call, f"{path}:t;2", tmp_path) == [10, 11, 12, 13, 14]
    assert values_of(call, f"{path}:t;1", tmp_path) == [0, 1, 2]
    done = call("verify", path)
    assert done.returncode == DONE, done.stdout + done.stderr
    inspected = json.loads(call("inspect", "--json", path).stdout)
    assert {each: len(inspected[each]) for each in ("trees", "ntuples")} == {
        "trees": int(kind == "tree"),
        "ntuples": int(kind == "ntuple"),
    }
    done = call("convert", f"{path}:other", "-o", tmp_path / "other.root")
    assert done.stderr.count('"t"') == 1
    done = call("recover", path, tmp_path / "r.root")
    assert done.returncode == DONE, done.stdout + done.stderr
    assert values_of(call, tmp_path / "r.root", tmp_path) == [10, 11, 12, 13, 14]


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
def test_a_cycle_that_is_not_there_is_an_error_that_says_which_are(call, folder, tmp_path, kind):
    path = folder / f"{kind}.root"
    for command in (("inspect",), ("convert", "-o", tmp_path / "c.root"), ("diff", f"{path}:t")):
        done = call(*command, f"{path}:t;3")
        assert done.returncode in (FAILED, WRONG_USAGE), done.stdout
        assert f'{path}: contains no cycle 3 of "t"; it contains 1, 2' in done.stderr


def test_runs_take_cycles_and_keep_what_they_make_of_each_apart(run_in, folder, tmp_path):
    config = {
        "schema_version": 1,
        "histograms": {"x": {"x": {"value": "x", "bins": 30, "range": [0, 30]}}},
        "output": {"histograms": "h.root"},
    }
    for name, first in (("t;1", 0), ("t;2", 10), ("t", 10)):
        samples = {"mc": {"files": [f"{folder}/tree.root:{name}"]}}
        done = run_in(tmp_path, config | {"samples": samples}, "--force", "--store", "store")
        assert done.returncode == DONE, done.stderr
        contents = uproot.open(tmp_path / "h.root")["x"].values().tolist()
        assert contents == [float(first <= x < first + SIZES[name]) for x in range(30)]


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
def test_files_of_checksums_have_all_cycles(call, folder, tmp_path, kind):
    path = shutil.copy(folder / f"{kind}.root", tmp_path / "data.root")
    done = call("verify", "--write-checksums", path)
    assert done.returncode == DONE, done.stdout + done.stderr
    assert values_of(call, f"{path}:t;1", tmp_path) == [0, 1, 2]
    assert values_of(call, f"{path}:t;2", tmp_path) == values_of(call, f"{path}:t", tmp_path)


def test_the_newest_cycle_is_the_same_entries_as_the_name(run_in, folder, tmp_path):
    files = [f"{folder}/tree.root:{name}" for name in ("t", "t;2")]
    config = {"schema_version": 1, "samples": {"mc": {"files": files}}, "skims": {"s": {"file": "s.root"}}}
    done = run_in(tmp_path, config)
    assert done.returncode == WRONG_USAGE
    assert 'the sample "mc" would count events twice' in done.stderr


def test_a_name_may_end_like_a_cycle(call, folder, tmp_path):
    assert values_of(call, f"{folder}/tree.root:odd;3", tmp_path) == [50, 51, 52, 53]
    assert values_of(call, f"{folder}/tree.root:odd;3;1", tmp_path) == [50, 51, 52, 53]


@pytest.mark.parametrize("kind", ["tree", "ntuple"])
@pytest.mark.parametrize("name", ["dir/t", "dir/t;1"])
def test_lists_of_entries_are_for_any_cycle_in_any_directory(run_in, folder, kind, name):
    samples = {"mc": {"files": [f"{kind}.root:{name}"], "entry_list": f"lists.root:{kind};1"}}
    skims = {"s": {"file": "s.root", "format": "ttree", "keep": ["x"]}}
    done = run_in(folder, {"schema_version": 1, "samples": samples, "skims": skims}, "--force")
    assert done.returncode == DONE, done.stderr
    assert uproot.open(folder / "s.root")["Events"].arrays()["x"].to_list() == [21, 24]


def test_histograms_may_be_asked_for_by_their_cycle(sk, folder):
    path = folder / "tree.root"
    integrals = {name: sk.read_histogram(path, name).values().sum() for name in ("h;1", "h;2", "h")}
    assert integrals == {"h;1": 3, "h;2": 5, "h": 5}
    assert sk.read_histogram(path, "h;1").name == "h"
    with pytest.raises(sk.FileError, match='contains no cycle 3 of "h"; it contains 1, 2'):
        sk.read_histogram(path, "h;3")


def test_frames_take_cycles_in_both_spellings(sk, folder):
    path = folder / "tree.root"
    assert sk.open(f"{path}:t;1").count() == 3
    assert sk.open({"mc": {"files": {str(path): "t;1"}}}).count() == 3
